// Package quiet has nothing wrong with it. It mentions
// netcode:command in prose.
package quiet

//netcode:command id=0x1
type Move struct{ Dir uint8 }

// Jump follows from its name, which is reported only on demand.
//
//netcode:command predicted
type Jump struct {
	Height int32 `netcode:"range=0..3"`
	Names  []Say `netcode:"max=4"`
}

type Say struct {
	Text string `netcode:"max=64"`
}

//netcode:deterministic
func tick() {
	//netcode:nondeterministic nothing depends on it
	_ = 0
}
