package rollback

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/ariadne-netcode/ariadne/netcode"
)

var (
	// ErrShortState: the bytes given to Load are too few to name a step. Nothing has changed.
	ErrShortState = errors.New("rollback: state is shorter than its step")

	// ErrStateRefused: the simulation did not accept the bytes given to Load. Model and simulation are as they
	// were before.
	ErrStateRefused = errors.New("rollback: simulation refused the state")

	// ErrReentrant: a simulation, an action or a hook called back into the model that was running it. The call
	// did nothing.
	ErrReentrant = errors.New("rollback: model called from inside itself")

	// ErrStateLost is in the chain of a fault after which the simulation could not be put back either. The
	// simulation's contents are then unknown until Load succeeds.
	ErrStateLost = errors.New("rollback: simulation could not be put back")

	errGoexit   = errors.New("goroutine exited")
	errNoBackup = errors.New("its state could not be saved")
)

// PanicError carries the value of a panic that a model recovered from application code.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // the goroutine's stack at the time, as text
}

// Error implements error. It leaves the stack out.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error, a [runtime.Error] for example.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recovered turns what recover returned into an error. Nil means that the deferred function which asked was run
// by [runtime.Goexit].
func recovered(value any) error {
	if value == nil {
		return errGoexit
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// phase says what an engine is doing, to name it in a fault and to know what must be undone.
type phase uint8

const (
	idle phase = iota
	announcing
	releasing
	saving
	executing
	ticking
	loading
)

var phaseNames = [...]string{
	idle: "idle", announcing: "load", releasing: "release", saving: "save",
	executing: "execute", ticking: "tick", loading: "load",
}

// halfway reports whether a failure in this phase leaves the simulation between two states.
func (p phase) halfway() bool { return p >= executing }

// fail puts the simulation back to the state before the failed step and closes the engine.
func (e *engine) fail(cause error) error {
	f := &netcode.FaultError{Step: e.step + 1, Doing: phaseNames[e.phase]}
	switch e.phase {
	case announcing:
		f.Step = e.mark
	case releasing:
		f.Step = e.commands.first
	case executing:
		f.Key, f.HasKey = e.running(), true
	}
	if e.phase.halfway() {
		if err := e.decode(e.newest.next.state); err != nil {
			cause = e.lose(cause, err)
		}
	}
	f.Cause = cause
	return e.faulted(f)
}

func (e *engine) faulted(f *netcode.FaultError) error {
	e.fault, e.gate, e.phase = f, closed, idle
	return f
}

// lose notes that the simulation's contents are unknown and returns the cause that says so.
func (e *engine) lose(cause, again error) error {
	e.lost = true
	return fmt.Errorf("%w; %w: %w", cause, ErrStateLost, again)
}

// encode appends the simulation's state. The length of dst is kept on failure.
func (e *engine) encode(dst []byte) (out []byte, err error) {
	out = dst
	returned := false
	defer func() {
		if !returned {
			out, err = dst, recovered(recover())
			e.interrupted(err)
		}
	}()
	b, err := e.sim.AppendBinary(dst)
	returned = true
	if err != nil {
		return dst, err
	}
	return b, nil
}

// decode replaces the simulation's state.
func (e *engine) decode(state []byte) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = recovered(recover())
			if e.interrupted(err) {
				e.lost = true
			}
		}
	}()
	err = e.sim.UnmarshalBinary(state)
	returned = true
	return err
}

// interrupted closes the engine when the goroutine is ending, because no caller will get to do it.
func (e *engine) interrupted(err error) bool {
	if err != errGoexit {
		return false
	}
	e.faulted(&netcode.FaultError{Step: e.step, Doing: phaseNames[e.phase], Cause: err})
	return true
}
