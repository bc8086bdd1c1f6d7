package gone

//netcode:command id=0x1
type Move struct{ Dir uint8 }

type Jump struct{} // want `DNET0006: the generated code is about a command Jump, and there is none`
