package rollback

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// engine is what both models share: it holds commands and snapshots and runs steps. The models decide which
// steps may be touched.
//
// The snapshot of an executed step s, first <= s <= step, is step-s places before newest in the ring. The place
// after newest is where the next step is saved; while a step is being run, it holds the state from before that
// step. Before the first step the ring holds nothing: the snapshot of first is then the simulation's own state.
type engine struct {
	sim    netcode.Simulation
	step   netcode.Step // last completed step
	newest *snapshot

	gate   gate
	phase  phase
	marked bool
	final  bool         // executed commands cannot change and are dropped at once
	lost   bool         // the simulation's contents are unknown
	mark   netcode.Step // smallest executed step that has changed, if marked

	replayed netcode.Step // last step of the latest replay; no step after it has been run before
	begun    uint64       // executions before the step being run
	stats    Stats
	trace    *netcode.Trace

	maxAdvance int64
	snapshots  []snapshot // a ring, which next links
	backup     []byte     // what the simulation held while load tries other bytes
	fault      *netcode.FaultError

	commands commands
}

// gate says whether calls may come in.
type gate uint8

const (
	open   gate = iota
	busy        // a call is being served
	closed      // faulted
)

type snapshot struct {
	state []byte
	next  *snapshot
	at    int // index in the ring
}

func newEngine(sim netcode.Simulation, c Config) engine {
	ring := make([]snapshot, c.Depth)
	newest := &ring[len(ring)-1]
	last := newest
	for i := range ring {
		last.next, ring[i].at = &ring[i], i
		last = &ring[i]
	}
	return engine{
		sim:        sim,
		commands:   newCommands(c.Start, c.Depth, c.MaxCommands),
		step:       c.Start - 1,
		replayed:   c.Start - 1,
		newest:     newest,
		snapshots:  ring,
		maxAdvance: c.MaxAdvance,
		trace:      c.Trace,
	}
}

// refusal says why the gate is not open.
func (e *engine) refusal() error {
	if e.gate == busy {
		return ErrReentrant
	}
	return e.fault
}

// tick replays what is marked and advances through to. If it fails, the gate is closed afterwards.
func (e *engine) tick(to netcode.Step) (err error) {
	if e.gate != open || to <= e.step || uint64(to)-uint64(e.step) > uint64(e.maxAdvance) {
		if run, err := e.admit(to); !run {
			return err
		}
	}

	e.gate, e.phase = busy, announcing
	defer func() {
		if e.phase != idle {
			err = e.fail(recovered(recover()))
		}
	}()
	if e.marked {
		if err := e.rewind(); err != nil {
			return e.fail(err)
		}
	}
	c := &e.commands
	for e.step < to {
		s := e.step + 1
		snapshot := e.newest.next
		if e.phase != loading { // what was loaded is saved
			if uint64(s)-uint64(c.first) >= uint64(len(e.snapshots)) {
				// The ring is full. What its oldest snapshot was kept for goes first.
				e.phase = releasing
				e.release(c.at(c.first))
				c.advance()
			}
			e.phase = saving
			b, err := e.sim.AppendBinary(snapshot.state[:0])
			if err != nil {
				return e.fail(err)
			}
			snapshot.state = b
		}
		if held := c.at(s).head; held != nil {
			// Nothing can change the list meanwhile: the gate is busy.
			e.phase = executing
			e.begun = e.stats.Executions
			if e.trace.Executed != nil {
				e.executeTraced(held)
				held = nil
			}
			for held != nil {
				action := held.entry.Action
				held = held.next
				e.stats.Executions++
				if action != nil {
					action.Execute()
				}
			}
		}
		e.phase = ticking
		e.sim.Tick(s)
		e.step = s
		e.newest = snapshot
		if e.final {
			e.phase = releasing
			e.release(c.at(s))
		}
	}
	e.gate, e.phase = open, idle
	return nil
}

// admit looks into a tick that is not the usual one, which is of at least one step and not too many. It
// reports whether there is anything to run.
func (e *engine) admit(to netcode.Step) (run bool, err error) {
	switch {
	case e.gate != open:
		return false, e.refusal()
	case to != e.step:
		return false, fmt.Errorf("rollback: tick from step %d to %d, at most %d at once: %w",
			e.step, to, e.maxAdvance, netcode.ErrStepRange)
	}
	return e.marked, nil
}

// executeTraced executes the commands of the next step, from the given one on, and tells the hook.
func (e *engine) executeTraced(held *slot) {
	replay := e.step < e.replayed
	for ; held != nil; held = held.next {
		e.stats.Executions++
		held.entry.Execute()
		e.trace.Executed(held.entry.Header, replay)
	}
}

// rewind loads the snapshot of the marked step, which is then the next step to be run.
func (e *engine) rewind() error {
	if e.trace.Rollback != nil {
		e.trace.Rollback(e.mark, e.step)
	}
	back := int(uint64(e.step)-uint64(e.mark)) + 1 // at most the depth
	e.stats.Rollbacks++
	e.stats.ReplayedSteps += uint64(back)
	e.stats.DeepestRollback = max(e.stats.DeepestRollback, int64(back))

	e.phase = loading
	e.marked = false
	e.replayed, e.step = e.step, e.mark-1
	e.newest = e.back(back)
	return e.sim.UnmarshalBinary(e.newest.next.state)
}

// running returns the command whose execution was counted last.
func (e *engine) running() netcode.Key {
	s := e.commands.at(e.step + 1).head
	for range e.stats.Executions - e.begun - 1 {
		s = s.next
	}
	return s.entry.Header.Key
}

// release drops the commands of a step that can no longer be run. If an action panics, those not reached are
// still in the slots, for load to release.
func (e *engine) release(p *place) {
	c := &e.commands
	s := p.head
	p.list = list{}
	for s != nil {
		if s.home != unindexed {
			c.keys.leave(s)
		}
		action, next, free := s.entry.Action, s.next, c.free
		s.entry.Action, s.entry.Payload = nil, nil
		s.next, c.free = free, s
		s = next
		if action != nil {
			action.Release()
		}
	}
}

// back returns the ring place n before the newest; n is at most the depth.
func (e *engine) back(n int) *snapshot {
	i := e.newest.at - n
	if i < 0 {
		i += len(e.snapshots)
	}
	return &e.snapshots[i]
}

func (e *engine) counted() Stats {
	s := e.stats
	s.Commands = e.commands.len()
	return s
}
