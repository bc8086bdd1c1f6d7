package selected

// The generator was told to take Move and nothing else.

type Move struct{ Dir uint8 }

//netcode:command id=0x2
type Jump struct{}
