package right // want package:`Drop=0x100 Dig=0x102`

//netcode:command id=0x100
type Drop struct{}

//netcode:command id=0x102
type Dig struct{}
