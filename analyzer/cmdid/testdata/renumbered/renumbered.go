package renumbered

//netcode:command id=0x1 // want `DNET0006: Move has the id 0x0000000000000001, and the generated code has 0x0000000000000009`
type Move struct{ Dir uint8 }
