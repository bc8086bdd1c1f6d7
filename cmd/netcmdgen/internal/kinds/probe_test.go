package kinds

// Probe is a command of the tests.
//
//netcode:command
type Probe struct {
	Cell Cell
	N    uint16
}
