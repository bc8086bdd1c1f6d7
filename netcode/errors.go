package netcode

import (
	"errors"
	"fmt"
)

// Exhaustion of the counters. Nothing has changed when one of these is returned.
var (
	ErrSequenceExhausted = errors.New("netcode: no sequence numbers left")
	ErrOrderExhausted    = errors.New("netcode: no order numbers left")
	ErrIDsExhausted      = errors.New("netcode: no entity ids left")
	ErrNoIDs             = errors.New("netcode: cannot reserve zero ids")
)

// Refusals of models. Nothing has changed when one of these is returned.
var (
	// ErrHistoryExceeded: the change reaches behind the oldest step that can still be executed again.
	ErrHistoryExceeded = errors.New("netcode: step is behind the retained history")

	// ErrStepRange: the step lies outside what the model accepts, such as a tick backward or further ahead
	// than its limit.
	ErrStepRange = errors.New("netcode: step out of range")

	// ErrUnconfirmed: a lockstep client was asked to run a step that the authority has not completed.
	ErrUnconfirmed = errors.New("netcode: step is not confirmed yet")

	// ErrTooManyCommands: the model holds as many commands as it was configured to hold.
	ErrTooManyCommands = errors.New("netcode: too many commands in the model")

	// ErrFaulted: the simulation failed earlier (see [FaultError]) and only loading a state helps.
	ErrFaulted = errors.New("netcode: simulation is faulted")
)

// FaultError reports a failure of the application's own simulation code: an executor or a tick that
// panicked, or a state that could not be appended or loaded. It matches [ErrFaulted].
type FaultError struct {
	Step  Step   // the step being executed, saved or loaded
	Key   Key    // the command being executed, if HasKey
	Doing string // "execute", "tick", "save", "load" or "release"

	HasKey bool
	Cause  error // a recovered panic value is wrapped in an error
}

// Error implements error.
func (e *FaultError) Error() string {
	if e.HasKey {
		return fmt.Sprintf("netcode: %s command %v at step %d: %v", e.Doing, e.Key, e.Step, e.Cause)
	}
	return fmt.Sprintf("netcode: %s step %d: %v", e.Doing, e.Step, e.Cause)
}

// Is reports a match with [ErrFaulted].
func (e *FaultError) Is(target error) bool { return target == ErrFaulted }

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Cause }
