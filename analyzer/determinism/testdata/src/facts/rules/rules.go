// Package rules declares what a simulation is made of.
package rules

type Rule interface {
	// Apply runs in every step.
	//
	//netcode:deterministic
	Apply(n int32) int32 // want Apply:`^runs as Rule.Apply$`

	Describe() string
}

// Mover is simulation code as a whole.
//
//netcode:deterministic
type Mover interface {
	Move() // want Move:`^runs as Mover.Move$`
}
