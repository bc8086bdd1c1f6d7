package netcode

import "encoding"

// Simulation is the game state that a session advances. The application implements it.
//
// AppendBinary appends the complete state: whatever Tick or an executor may read must be in it, and two
// equal states append equal bytes. UnmarshalBinary replaces the state by what AppendBinary wrote; it copies
// what it keeps, refuses anything else, and should change nothing when it refuses.
//
// All three must be deterministic: no clock, no global randomness, no map order, no goroutines.
type Simulation interface {
	// Tick advances the state by one step, after the step's commands have been executed.
	Tick(step Step)

	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Transient is a simulation that also offers updates between fixed steps: camera smoothing, particles,
// animation. The application calls TickTransient itself, as often as it draws; a session never does. What
// it changes must not be part of the state that Simulation appends.
type Transient[In any] interface {
	Simulation

	// TickTransient advances the presentation by dt seconds.
	TickTransient(in In, dt float64)
}
