package missing

//netcode:command id=0x1
type Move struct{ Dir uint8 }

//netcode:command id=0x2 // want `DNET0006: the generated code does not have the command Jump`
type Jump struct{}
