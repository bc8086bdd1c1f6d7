package changed

//netcode:command id=0x1 // want `DNET0006: the generated code was made from other commands`
type Move struct{ Dir uint16 }
