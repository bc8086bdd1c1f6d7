package rollback

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// engine is what both models share: it holds commands and snapshots and runs steps. The models decide which
// steps may be touched.
//
// The snapshot of an executed step s, first <= s <= step, is at the ring place newest-(step-s), modulo the
// depth. The place after newest is where the next step is saved; while a step is being run, it holds the
// state from before that step. Before the first step the ring holds nothing: the snapshot of first is then the
// simulation's own state.
type engine struct {
	sim      netcode.Simulation
	commands commands

	step      netcode.Step // last completed step
	newest    int
	snapshots [][]byte
	backup    []byte // what the simulation held while load tries other bytes

	mark   netcode.Step // smallest executed step that has changed, if marked
	marked bool
	final  bool // executed commands cannot change and are dropped at once

	gate  gate
	phase phase
	lost  bool   // the simulation's contents are unknown
	begun uint64 // executions before the step being run
	fault *netcode.FaultError

	maxAdvance int64
	trace      *netcode.Trace
	stats      Stats
}

// gate says whether calls may come in.
type gate uint8

const (
	open   gate = iota
	busy        // a call is being served
	closed      // faulted
)

func newEngine(sim netcode.Simulation, c Config) engine {
	return engine{
		sim:        sim,
		commands:   newCommands(c.Start, c.Depth, c.MaxCommands),
		step:       c.Start - 1,
		newest:     c.Depth - 1,
		snapshots:  make([][]byte, c.Depth),
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

func (e *engine) tick(to netcode.Step) error {
	// This is the usual case of what tickAny looks into: at least one step, and not too many.
	if e.gate != open || to <= e.step || uint64(to)-uint64(e.step) > uint64(e.maxAdvance) {
		return e.tickAny(to)
	}
	if e.run(to); e.gate != open {
		return e.fault
	}
	return nil
}

func (e *engine) tickAny(to netcode.Step) error {
	switch {
	case e.gate != open:
		return e.refusal()
	case to != e.step:
		return fmt.Errorf("rollback: tick from step %d to %d, at most %d at once: %w",
			e.step, to, e.maxAdvance, netcode.ErrStepRange)
	case !e.marked:
		return nil
	}
	if e.run(to); e.gate != open {
		return e.fault
	}
	return nil
}

// run replays what is marked and advances through to. If it fails, the gate is closed afterwards.
func (e *engine) run(to netcode.Step) {
	e.gate, e.phase = busy, announcing
	defer func() {
		if e.phase != idle {
			e.fail(recovered(recover()))
		}
	}()

	executed := e.step
	saved := e.marked
	if saved && !e.rewind() {
		return
	}
	c := &e.commands
	for e.step < to {
		s := e.step + 1
		place := e.after(e.newest)
		if saved {
			saved = false
		} else {
			if uint64(s)-uint64(c.first) >= uint64(len(e.snapshots)) {
				// The ring is full. What its oldest snapshot was kept for goes first.
				e.phase = releasing
				if l := c.at(c.first); l.head != 0 {
					e.release(l)
				}
				c.advance()
			}
			e.phase = saving
			snapshot := &e.snapshots[place]
			b, err := e.sim.AppendBinary((*snapshot)[:0])
			if err != nil {
				e.fail(err)
				return
			}
			*snapshot = b
		}
		if ref := c.at(s).head; ref != 0 {
			// Nothing can change the list meanwhile: the gate is busy.
			e.phase = executing
			e.begun = e.stats.Executions
			if e.trace.Executed != nil {
				e.executeTraced(ref, s <= executed)
				ref = 0
			}
			for ref != 0 {
				held := &c.slots[ref]
				ref = held.next
				e.stats.Executions++
				held.entry.Execute()
			}
		}
		e.phase = ticking
		e.sim.Tick(s)
		e.step = s
		e.newest = place
		if e.final {
			e.phase = releasing
			e.release(c.at(s))
		}
	}
	e.gate, e.phase = open, idle
}

// executeTraced executes the commands of a step, from the given one on, and tells the hook.
func (e *engine) executeTraced(ref uint32, replay bool) {
	for ref != 0 {
		held := &e.commands.slots[ref]
		ref = held.next
		e.stats.Executions++
		held.entry.Execute()
		e.trace.Executed(held.entry.Header, replay)
	}
}

// rewind loads the snapshot of the marked step, which is then the next step to be run.
func (e *engine) rewind() bool {
	if e.trace.Rollback != nil {
		e.trace.Rollback(e.mark, e.step)
	}
	back := int(uint64(e.step)-uint64(e.mark)) + 1 // at most the depth
	e.stats.Rollbacks++
	e.stats.ReplayedSteps += uint64(back)
	e.stats.DeepestRollback = max(e.stats.DeepestRollback, int64(back))

	e.phase = loading
	e.marked = false
	e.step = e.mark - 1
	e.newest -= back
	if e.newest < 0 {
		e.newest += len(e.snapshots)
	}
	if err := e.sim.UnmarshalBinary(e.snapshots[e.after(e.newest)]); err != nil {
		e.fail(err)
		return false
	}
	return true
}

// running returns the command whose execution was counted last.
func (e *engine) running() netcode.Key {
	c := &e.commands
	ref := c.at(e.step + 1).head
	for range e.stats.Executions - e.begun - 1 {
		ref = c.slots[ref].next
	}
	return c.slots[ref].entry.Header.Key
}

// release drops the commands of a step that can no longer be run. If an action panics, those not reached are
// still in the slots, for load to release.
func (e *engine) release(l *list) {
	c := &e.commands
	ref := l.head
	*l = list{}
	for ref != 0 {
		s := &c.slots[ref]
		if home := s.home; home < uint32(len(c.heads)) && c.heads[home] == ref {
			c.heads[home] = s.chain // what leave would do, in the usual case
		} else {
			c.leave(ref)
		}
		next := s.next
		s.next = c.free
		c.free = ref
		ref = next
		action := s.entry.Action
		s.entry.Action = nil
		s.entry.Payload = nil
		if action != nil {
			action.Release()
		}
	}
}

// after returns the ring place that follows i.
func (e *engine) after(i int) int {
	if i++; i < len(e.snapshots) {
		return i
	}
	return 0
}

func (e *engine) counted() Stats {
	s := e.stats
	s.Commands = e.commands.len()
	return s
}
