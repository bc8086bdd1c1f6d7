package quiet

//netcode:command id=0x2
type Test struct{}
