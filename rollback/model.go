package rollback

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

var errNoSimulation = errors.New("rollback: simulation is nil")

// Model runs steps at once and runs them again when their commands change. It is not safe for concurrent use.
//
// Errors of its methods match, by errors.Is: [netcode.ErrHistoryExceeded], [netcode.ErrTooManyCommands],
// [netcode.ErrStepRange], [netcode.ErrFaulted], [ErrReentrant], and from Load also [ErrShortState] and
// [ErrStateRefused]. Except after a fault, nothing has changed when an error is returned.
type Model struct {
	engine engine
}

// New returns a model that advances sim from cfg.Start on. The model is the only one to advance or load sim
// from then on. Until the first step is run, the application may still change sim, to set up a world for
// example. An error names the field of cfg that is wrong.
func New(sim netcode.Simulation, cfg Config) (*Model, error) {
	if sim == nil {
		return nil, errNoSimulation
	}
	cfg, err := cfg.filled()
	if err != nil {
		return nil, err
	}
	return &Model{engine: newEngine(sim, cfg)}, nil
}

// Step returns the last completed step; at first the one before the start step.
func (m *Model) Step() netcode.Step { return m.engine.step }

// FirstRetained returns the oldest step whose commands can still change. It is one after Step while no step
// has been run since the start or a Load.
func (m *Model) FirstRetained() netcode.Step { return m.engine.commands.first }

// Predicts reports that commands may be put in before the authority has answered: always true.
func (m *Model) Predicts() bool { return true }

// Schedule returns the step at which a command runs that was requested for step requested: the same one, or
// [netcode.ErrHistoryExceeded] if that is before FirstRetained.
func (m *Model) Schedule(requested netcode.Step) (netcode.Step, error) {
	e := &m.engine
	if e.gate == closed {
		return requested, e.fault
	}
	if first := e.commands.first; requested < first {
		return requested, fmt.Errorf("rollback: schedule step %d, first retained is %d: %w",
			requested, first, netcode.ErrHistoryExceeded)
	}
	return requested, nil
}

// Set puts a command in, at entry.Header.Step, in place of the entry that has the same key, if any. On success
// the model owns the entry's action and releases it once: when it is replaced, removed or too old to be run
// again, or by Load. An action is set once; it is not handed in again with another entry. On failure it stays
// the caller's.
//
// A step before FirstRetained is [netcode.ErrHistoryExceeded]. A key that is not held yet is
// [netcode.ErrTooManyCommands] when the model is full. There is no limit to how far in the future a step may
// be.
//
// Set at a step that has been executed makes the next Tick replay from there, unless the entry replaces one
// with the same step, type and payload and stands at the same place among the commands of that step. changed
// is false in that case alone, whether the step has been executed or not.
func (m *Model) Set(entry netcode.Entry) (changed bool, err error) { return m.engine.set(&entry) }

// Remove takes the command with that key out and releases its action, and reports whether it was held. A
// faulted model, or one that is called from inside itself, removes nothing.
func (m *Model) Remove(key netcode.Key) bool { return m.engine.remove(&key) }

// Tick replays from the earliest changed step, if there is one, and advances through step to. A step before
// Step, or further ahead than MaxAdvance, is [netcode.ErrStepRange]. When application code fails, the steps
// before the failed one stand, the simulation is put back to the end of the last of them, which is then Step,
// and the returned [*netcode.FaultError] is also what later calls return.
func (m *Model) Tick(to netcode.Step) error { return m.engine.tick(to) }

// Settle replays what is to be replayed, without advancing. It fails as Tick does.
func (m *Model) Settle() error { return m.engine.tick(m.engine.step) }

// AppendState appends Step as eight little-endian bytes and the simulation's present state. Changes that
// have not been replayed yet are not in it. A faulted model still appends its last good state, unless the
// simulation could not be put back. On failure dst is returned as it was.
func (m *Model) AppendState(dst []byte) ([]byte, error) { return m.engine.appendState(dst) }

// AppendAnchor appends the oldest state that no change can reach any more: the step before FirstRetained as
// eight little-endian bytes, and the state at the end of it. It returns that step as well. It does not depend
// on replays being settled. On failure dst is returned as it was.
func (m *Model) AppendAnchor(dst []byte) ([]byte, netcode.Step, error) {
	return m.engine.appendAnchor(dst)
}

// Load replaces the simulation's state by what AppendState or AppendAnchor wrote, takes over the step in
// front of it, and forgets all commands and snapshots. It ends a fault. It does not retain state.
//
// Fewer than eight bytes are [ErrShortState]; [netcode.MaxStep], after which there is no step, is
// [netcode.ErrStepRange]. Bytes that the simulation refuses are [ErrStateRefused]: the simulation is given
// back what it held and everything is as before.
func (m *Model) Load(state []byte) error { return m.engine.load(state) }

// Stats returns what the model has counted.
func (m *Model) Stats() Stats { return m.engine.counted() }

// Fault returns the failure that the model is waiting to be loaded after, or nil.
func (m *Model) Fault() *netcode.FaultError { return m.engine.fault }

// Pending returns the earliest executed step that the next Tick or Settle will run again, and whether there is
// one.
func (m *Model) Pending() (netcode.Step, bool) { return m.engine.mark, m.engine.marked }
