package left // want package:`Move=0x100 Jump=0x101`

//netcode:command id=0x100
type Move struct{}

//netcode:command id=0x101
type Jump struct{}
