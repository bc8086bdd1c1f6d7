package rollback

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// stepSize is the length of the step in front of a state.
const stepSize = 8

func appendStep(dst []byte, s netcode.Step) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(s))
}

// appendState appends the last completed step and the present state.
func (e *engine) appendState(dst []byte) ([]byte, error) {
	if e.gate == busy {
		return dst, ErrReentrant
	}
	if e.lost {
		return dst, e.fault
	}
	before := e.gate
	e.gate, e.phase = busy, saving
	out, err := e.encode(appendStep(dst, e.step))
	e.gate, e.phase = before, idle
	if err != nil {
		f := &netcode.FaultError{Step: e.step, Doing: phaseNames[saving], Cause: err}
		if before == open {
			e.faulted(f)
		}
		return dst, f
	}
	return out, nil
}

// appendAnchor appends the oldest state that can still be returned to, behind the step that it completes.
// Marks do not matter: each is at or after the step that this snapshot was saved for.
func (e *engine) appendAnchor(dst []byte) ([]byte, netcode.Step, error) {
	first := e.commands.first
	if first > e.step {
		out, err := e.appendState(dst)
		return out, e.step, err
	}
	if e.gate == busy {
		return dst, first - 1, ErrReentrant
	}
	oldest := e.back(int(uint64(e.step) - uint64(first)))
	return append(appendStep(dst, first-1), oldest.state...), first - 1, nil
}

// load replaces everything by the state that appendState or appendAnchor wrote. The simulation may refuse the
// bytes after it has taken some of them, so its present state is kept aside until it has accepted.
func (e *engine) load(state []byte) error {
	if e.gate == busy {
		return ErrReentrant
	}
	if len(state) < stepSize {
		return fmt.Errorf("%w: %d bytes", ErrShortState, len(state))
	}
	step := netcode.Step(binary.LittleEndian.Uint64(state))
	if step == netcode.MaxStep {
		return fmt.Errorf("rollback: load: no step after %d: %w", step, netcode.ErrStepRange)
	}

	before := e.gate
	e.gate, e.phase = busy, saving
	kept := false
	if !e.lost {
		var err error
		e.backup, err = e.encode(e.backup[:0])
		kept = err == nil
		if err != nil && before == open {
			return e.faulted(&netcode.FaultError{Step: e.step, Doing: phaseNames[saving], Cause: err})
		}
	}
	e.phase = loading
	if err := e.decode(state[stepSize:]); err != nil {
		return e.refused(step, err, kept, before)
	}

	e.step, e.replayed, e.marked = step, step, false
	e.fault, e.lost = nil, false
	if e.forget(); e.gate != open {
		return e.fault
	}
	return nil
}

// refused takes the simulation back to what it held before a load that failed, if that was kept.
func (e *engine) refused(step netcode.Step, cause error, kept bool, before gate) error {
	err := fmt.Errorf("rollback: load step %d: %w: %w", step, ErrStateRefused, cause)
	again := errNoBackup
	if kept {
		again = e.decode(e.backup)
	}
	if again == nil {
		e.gate, e.phase = before, idle
		return err
	}
	return e.faulted(&netcode.FaultError{Step: step, Doing: phaseNames[loading], Cause: e.lose(err, again)})
}

// forget releases every command and starts over after e.step.
func (e *engine) forget() {
	e.phase = releasing
	defer func() {
		if e.phase != idle {
			e.fail(recovered(recover()))
		}
	}()
	c := &e.commands
	c.reset(e.step + 1)
	for _, block := range c.blocks {
		for i := range block {
			held := &block[i].entry
			action := held.Action
			*held = netcode.Entry{}
			if action != nil {
				action.Release()
			}
		}
	}
	e.gate, e.phase = open, idle
}
