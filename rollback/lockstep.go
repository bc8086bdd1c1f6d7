package rollback

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Lockstep runs each step once, when its commands are certain. It is not safe for concurrent use.
//
// Its methods fail as those of [Model] do; Tick also with [netcode.ErrUnconfirmed].
type Lockstep struct {
	engine    engine
	delay     int64
	authority bool
	confirmed netcode.Step
}

// NewLockstep returns a model that advances sim from cfg.Start on. The model is the only one to advance or
// load sim from then on. Until the first step is run, the application may still change sim. An error names
// the field of cfg that is wrong.
func NewLockstep(sim netcode.Simulation, cfg LockstepConfig) (*Lockstep, error) {
	if sim == nil {
		return nil, errNoSimulation
	}
	if cfg.Delay < 0 {
		return nil, fmt.Errorf("rollback: Config.Delay: %d is negative", cfg.Delay)
	}
	if cfg.Delay == 0 {
		cfg.Delay = defaultDelay
	}
	shared, err := cfg.engine().filled()
	if err != nil {
		return nil, err
	}
	l := &Lockstep{
		engine:    newEngine(sim, shared),
		delay:     cfg.Delay,
		authority: cfg.Authority,
		confirmed: cfg.Start - 1,
	}
	l.engine.final = true
	return l, nil
}

// Step returns the last completed step; at first the one before the start step.
func (l *Lockstep) Step() netcode.Step { return l.engine.step }

// FirstRetained returns the oldest step whose commands can still change: the one after Step. When Step is
// [netcode.MaxStep] there is none, and MaxStep is returned.
func (l *Lockstep) FirstRetained() netcode.Step {
	next, _ := l.engine.step.Add(1)
	return next
}

// Predicts reports that commands must not be put in before the authority has answered: always false.
func (l *Lockstep) Predicts() bool { return false }

// Schedule returns the step at which a command runs that was requested for step requested: that step, but not
// before Step plus the delay. If that would be after the last step there is, it is [netcode.ErrStepRange].
func (l *Lockstep) Schedule(requested netcode.Step) (netcode.Step, error) {
	if l.engine.gate == closed {
		return requested, l.engine.fault
	}
	earliest, ok := l.engine.step.Add(l.delay)
	if !ok {
		return requested, fmt.Errorf("rollback: schedule step %d, %d after %d: %w",
			requested, l.delay, l.engine.step, netcode.ErrStepRange)
	}
	return max(requested, earliest), nil
}

// Confirm says that every command for the steps up to step has been set, so that they may be run. A step that
// was confirmed before changes nothing, and an authority needs no confirmation.
func (l *Lockstep) Confirm(step netcode.Step) { l.confirmed = max(l.confirmed, step) }

// Confirmed returns the last step that may be run: the highest one confirmed, or at first, and after a Load,
// Step. For an authority it is [netcode.MaxStep].
func (l *Lockstep) Confirmed() netcode.Step {
	if l.authority {
		return netcode.MaxStep
	}
	return l.confirmed
}

// Set puts a command in, as [Model.Set] does. A step that has been run is [netcode.ErrHistoryExceeded].
func (l *Lockstep) Set(entry netcode.Entry) (changed bool, err error) {
	if e := &l.engine; entry.Header.Step <= e.step && e.gate == open {
		return false, fmt.Errorf("rollback: set command %v at step %d, which has been run: %w",
			entry.Header.Key, entry.Header.Step, netcode.ErrHistoryExceeded)
	}
	return l.engine.set(&entry)
}

// Remove takes the command with that key out and releases its action, and reports whether it was held. A
// command that has been executed is not. A faulted model, or one that is called from inside itself, removes
// nothing.
func (l *Lockstep) Remove(key netcode.Key) bool { return l.engine.remove(&key) }

// Tick advances through step to. A step that has not been confirmed is [netcode.ErrUnconfirmed], and then no
// step is run. Everything else is as with [Model.Tick].
func (l *Lockstep) Tick(to netcode.Step) error {
	if to > l.Confirmed() && l.engine.gate == open {
		return fmt.Errorf("rollback: tick to step %d, confirmed is %d: %w", to, l.confirmed, netcode.ErrUnconfirmed)
	}
	return l.engine.tick(to)
}

// Settle does nothing, because nothing is ever outstanding. It returns the fault of a faulted model.
func (l *Lockstep) Settle() error { return l.engine.tick(l.engine.step) }

// AppendState appends Step as eight little-endian bytes and the simulation's state, as [Model.AppendState]
// does.
func (l *Lockstep) AppendState(dst []byte) ([]byte, error) { return l.engine.appendState(dst) }

// AppendAnchor appends what AppendState appends and returns Step: no change can reach a step that has been
// run. On failure dst is returned as it was.
func (l *Lockstep) AppendAnchor(dst []byte) ([]byte, netcode.Step, error) {
	out, err := l.engine.appendState(dst)
	return out, l.engine.step, err
}

// Load replaces the state as [Model.Load] does. Confirmations go with the commands: the loaded step is the
// last one confirmed.
func (l *Lockstep) Load(state []byte) error {
	if err := l.engine.load(state); err != nil {
		return err
	}
	l.confirmed = l.engine.step
	return nil
}

// Stats returns what the model has counted.
func (l *Lockstep) Stats() Stats { return l.engine.counted() }

// Fault returns the failure that the model is waiting to be loaded after, or nil.
func (l *Lockstep) Fault() *netcode.FaultError { return l.engine.fault }

// Pending returns the earliest executed step that the next Tick or Settle will run again, and whether there is
// one. There never is in a lockstep model.
func (l *Lockstep) Pending() (netcode.Step, bool) { return l.engine.mark, l.engine.marked }
