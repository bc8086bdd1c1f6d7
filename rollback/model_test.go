package rollback_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

func TestNewRefuses(t *testing.T) {
	for field, cfg := range map[string]rollback.Config{
		"Start":       {Start: netcode.MinStep},
		"Depth":       {Depth: -1},
		"MaxCommands": {MaxCommands: -1},
		"MaxAdvance":  {MaxAdvance: -1},
	} {
		_, err := rollback.New(new(ledger), cfg)
		require.ErrorContains(t, err, "Config."+field)
	}
	for field, cfg := range map[string]rollback.Config{
		"Depth":       {Depth: 1<<20 + 1},
		"MaxCommands": {MaxCommands: 1<<26 + 1},
	} {
		_, err := rollback.New(new(ledger), cfg)
		require.ErrorContains(t, err, "Config."+field)
	}
	_, err := rollback.New(nil, rollback.Config{})
	require.ErrorContains(t, err, "simulation")
}

func TestModelDefaults(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1})
	require.Equal(t, netcode.Step(0), r.m.Step())
	require.Equal(t, netcode.Step(1), r.m.FirstRetained())
	require.True(t, r.m.Predicts())
	r.tick(120)
	require.Equal(t, netcode.Step(1), r.m.FirstRetained())
	r.tick(121)
	require.Equal(t, netcode.Step(2), r.m.FirstRetained())

	require.ErrorIs(t, r.m.Tick(121+1<<20+1), netcode.ErrStepRange)
	require.Equal(t, netcode.Step(121), r.m.Step())
	for range 1 << 16 {
		r.set(r.add(200, 1))
	}
	_, err := r.m.Set(r.add(200, 1))
	require.ErrorIs(t, err, netcode.ErrTooManyCommands)
}

// The application may set the world up after New; the first snapshot is what the first step finds.
func TestModelStartsFromTheSimulationAsItIs(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	r.game.Value = 77
	r.tick(2)
	late := r.set(r.add(1, 5))
	r.tick(2)
	_, state := r.state()
	require.Equal(t, expect(ledgerState{Value: 77}, 1, 2, late), state)
	anchor, step, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, netcode.Step(0), step)
	require.Equal(t, ledgerState{Value: 77}, parseLedger(anchor[8:]))
}

func TestTickRanges(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4, MaxAdvance: 10})
	r.tick(5)
	_, before := r.state()
	for _, to := range []netcode.Step{4, 0, -1, netcode.MinStep, 16, netcode.MaxStep} {
		require.ErrorIs(t, r.m.Tick(to), netcode.ErrStepRange, "to %d", to)
		step, state := r.state()
		require.Equal(t, netcode.Step(5), step)
		require.Equal(t, before, state)
	}
	r.tick(5)
	_, state := r.state()
	require.Equal(t, before, state)
	r.tick(15)

	// A tick that is refused leaves an outstanding replay outstanding.
	r.set(r.add(15, 3))
	require.ErrorIs(t, r.m.Tick(14), netcode.ErrStepRange)
	require.Zero(t, r.m.Stats().Rollbacks)
	require.NoError(t, r.m.Settle())
	require.Equal(t, uint64(1), r.m.Stats().ReplayedSteps)
}

// A prediction that the authority confirms replays nothing, even under its real order, as long as it stays
// where it was among the commands of its step.
func TestRightPredictionReplaysNothing(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 8})
	first, last := r.add(3, 10), r.add(3, 30)
	first.Header.Order, last.Header.Order = 1, 100
	predicted := r.add(3, 20)
	predicted.Header.Order, predicted.Predicted = 50, true
	r.set(first)
	r.set(last)
	r.set(predicted)
	r.tick(6)
	executed := r.game.executions

	h := predicted.Header
	h.Order = 7
	confirmed := r.entry(r.game, h, predicted.Action.(*action).payload)
	changed, err := r.m.Set(confirmed)
	require.NoError(t, err)
	require.False(t, changed)
	r.released(first, last, confirmed)
	r.tick(8)
	require.Equal(t, executed, r.game.executions)
	require.Zero(t, r.m.Stats().Rollbacks)

	// The header did change: a command that comes between the guess and the truth runs after it now.
	between := r.add(3, 40)
	between.Header.Order = 20
	r.set(between)
	r.tick(8)
	_, state := r.state()
	require.Equal(t, expect(ledgerState{}, 1, 8, first, confirmed, between, last), state)
}

func TestWrongPredictionReplays(t *testing.T) {
	base := func(r *rig) (neighbour, predicted netcode.Entry) {
		neighbour = r.add(3, 10)
		neighbour.Header.Order = 5
		predicted = r.add(3, 20)
		predicted.Header.Order, predicted.Predicted = 9, true
		r.set(neighbour)
		r.set(predicted)
		r.tick(6)
		return neighbour, predicted
	}
	for name, change := range map[string]func(e *netcode.Entry){
		"payload":      func(e *netcode.Entry) { e.Payload[0]++; e.Action.(*action).payload.Value++ },
		"type":         func(e *netcode.Entry) { e.Header.Type++ },
		"earlier step": func(e *netcode.Entry) { e.Header.Step-- },
		"later step":   func(e *netcode.Entry) { e.Header.Step++ },
		"coming step":  func(e *netcode.Entry) { e.Header.Step = 7 },
		"place":        func(e *netcode.Entry) { e.Header.Order = 4 },
		"tie":          func(e *netcode.Entry) { e.Header.Order, e.Predicted = 5, false; e.Header.Key.Author = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 8})
			neighbour, predicted := base(r)
			e := r.entry(r.game, predicted.Header, predicted.Action.(*action).payload)
			change(&e)
			changed, err := r.m.Set(e)
			require.NoError(t, err)
			quiet := name == "tie" // the neighbour was first by sequence too
			require.Equal(t, !quiet, changed)
			r.tick(6)
			require.Equal(t, !quiet, r.m.Stats().Rollbacks == 1)
			_, state := r.state()
			require.Equal(t, expect(ledgerState{}, 1, 6, neighbour, e), state)
			r.released(neighbour, e)
		})
	}
}

// Of two late commands before one tick the older one decides, whichever came first.
func TestOldestMarkWins(t *testing.T) {
	for _, steps := range [][2]netcode.Step{{8, 5}, {5, 8}} {
		r := newRig(t, rollback.Config{Start: 1, Depth: 10})
		r.tick(9)
		a, b := r.set(r.add(steps[0], 1)), r.set(r.add(steps[1], 2))
		r.tick(10)
		_, state := r.state()
		require.Equal(t, expect(ledgerState{}, 1, 10, a, b), state)
		stats := r.m.Stats()
		require.Equal(t, rollback.Stats{
			Executions: 2, Rollbacks: 1, ReplayedSteps: 5, DeepestRollback: 5, Commands: 2,
		}, stats)
	}
}

func TestEdgeOfTheWindow(t *testing.T) {
	for _, ticked := range []netcode.Step{0, 1, 3, 4, 5, 30} {
		t.Run(fmt.Sprint(ticked), func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 4})
			kept := r.set(r.add(ticked+1, 9))
			if ticked > 0 {
				r.tick(ticked)
			}
			first := max(1, ticked-3)
			require.Equal(t, first, r.m.FirstRetained())
			_, before := r.state()

			_, err := r.m.Schedule(first - 1)
			require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
			for _, e := range []netcode.Entry{
				r.add(first-1, 1),
				r.entry(r.game, netcode.Header{Key: kept.Header.Key, Step: first - 1}, payload{}),
				r.add(netcode.MinStep, 1),
			} {
				changed, err := r.m.Set(e)
				require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
				require.False(t, changed)
				require.Zero(t, e.Action.(*action).released)
				e.Action.Release()
			}
			require.NoError(t, r.m.Settle())
			_, state := r.state()
			require.Equal(t, before, state)
			require.Zero(t, r.m.Stats().Rollbacks)
			r.released(kept)

			step, err := r.m.Schedule(first)
			require.NoError(t, err)
			require.Equal(t, first, step)
			late := r.set(r.add(first, 2))
			r.tick(ticked + 1)
			_, state = r.state()
			require.Equal(t, expect(ledgerState{}, 1, ticked+1, late, kept), state)
		})
	}
}

// Changes to the present step and to coming ones.
func TestCorrections(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	coming, present := r.add(6, 1), r.add(3, 2)
	r.set(coming)
	r.set(present)
	r.tick(3)

	better := r.set(r.entry(r.game, present.Header, payload{Value: 5}))
	r.released(coming, better)
	later := coming.Header
	later.Step = 4
	sooner := r.set(r.entry(r.game, later, payload{Value: 6}))
	r.tick(3)
	require.Equal(t, uint64(1), r.m.Stats().ReplayedSteps)
	r.tick(7)
	require.Equal(t, uint64(1), r.m.Stats().ReplayedSteps)
	_, state := r.state()
	require.Equal(t, expect(ledgerState{}, 1, 7, better, sooner), state)

	require.True(t, r.m.Remove(sooner.Header.Key))
	require.False(t, r.m.Remove(sooner.Header.Key))
	require.False(t, r.m.Remove(netcode.Key{Author: 9}))
	require.False(t, r.m.Remove(better.Header.Key), "it is too old to be held")
	r.tick(7)
	_, state = r.state()
	require.Equal(t, expect(ledgerState{}, 1, 7, better), state)
	require.Equal(t, int64(4), r.m.Stats().DeepestRollback)
}

func TestSnapshotIsRestoredManyTimes(t *testing.T) {
	for _, depth := range []int{1, 2, 3, 5, 7, 8, 120} {
		r := newRig(t, rollback.Config{Start: 1, Depth: depth})
		r.tick(netcode.Step(3*depth + 1)) // the ring has wrapped three times
		oldest, last := r.m.FirstRetained(), r.m.Step()
		e := r.add(oldest, 0)
		for i := range int32(5) {
			e = r.set(r.entry(r.game, e.Header, payload{Value: i + 1}))
			r.tick(last)
			_, state := r.state()
			require.Equal(t, expect(ledgerState{}, 1, last, e), state)
		}
		require.True(t, r.m.Remove(e.Header.Key))
		r.tick(last)
		_, state := r.state()
		require.Equal(t, expect(ledgerState{}, 1, last), state)
		require.Equal(t, uint64(6*depth), r.m.Stats().ReplayedSteps)
	}
}

// What the model has appended is the caller's, and what it was given to load is not kept.
func TestStatesAreCopies(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 3})
	r.tick(5)
	_, want := r.state()
	state, err := r.m.AppendState(nil)
	require.NoError(t, err)
	anchor, _, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	clear(anchor[8:])
	e := r.set(r.add(3, 1))
	r.tick(5)
	r.m.Remove(e.Header.Key)
	r.tick(5)
	_, got := r.state()
	require.Equal(t, want, got)

	require.NoError(t, r.m.Load(state))
	clear(state)
	r.tick(6)
	r.set(r.add(6, 1))
	r.tick(6)
	r.m.Remove(netcode.Key{Session: 7, Author: 1, Sequence: r.next})
	r.tick(6)
	_, got = r.state()
	require.Equal(t, expect(want, 6, 6), got)
}

func TestStepEdges(t *testing.T) {
	for _, depth := range []int{1, 2, 3, 120, 500} {
		t.Run(fmt.Sprintf("last/depth=%d", depth), func(t *testing.T) {
			start := netcode.MaxStep - 300
			r := newRig(t, rollback.Config{Start: start, Depth: depth})
			final := r.set(r.add(netcode.MaxStep, 1))
			r.tick(netcode.MaxStep)
			require.NoError(t, r.m.Tick(netcode.MaxStep))
			late := r.set(r.add(r.m.FirstRetained(), 2))
			require.NoError(t, r.m.Tick(netcode.MaxStep))
			_, state := r.state()
			require.Equal(t, expect(ledgerState{}, start, netcode.MaxStep, final, late), state)
			require.ErrorIs(t, r.m.Tick(netcode.MinStep), netcode.ErrStepRange)
			_, err := r.m.Set(r.add(netcode.MinStep, 1))
			require.ErrorIs(t, err, netcode.ErrHistoryExceeded)

			b, err := r.m.AppendState(nil)
			require.NoError(t, err)
			require.ErrorIs(t, r.m.Load(b), netcode.ErrStepRange)
			_, again := r.state()
			require.Equal(t, state, again)
		})
		t.Run(fmt.Sprintf("first/depth=%d", depth), func(t *testing.T) {
			start := netcode.MinStep + 1
			r := newRig(t, rollback.Config{Start: start, Depth: depth, MaxAdvance: math.MaxInt64})
			_, err := r.m.Set(r.add(netcode.MinStep, 1))
			require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
			require.ErrorIs(t, r.m.Tick(netcode.MaxStep), netcode.ErrStepRange)
			b, err := r.m.AppendState(nil)
			require.NoError(t, err)
			r.tick(start + 2)
			late := r.set(r.add(r.m.FirstRetained(), 2))
			r.tick(start + 300)
			_, state := r.state()
			require.Equal(t, expect(ledgerState{}, start, start+300, late), state)
			require.NoError(t, r.m.Load(b))
			require.Equal(t, netcode.MinStep, r.m.Step())
			require.Equal(t, start, r.m.FirstRetained())
		})
	}
}

// Commands for steps that never come cost a slot each, no more, and the limit holds.
func TestHostileSteps(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4, MaxCommands: 100})
	var held []netcode.Entry
	for i := range netcode.Step(50) {
		held = append(held, r.set(r.add(netcode.MaxStep-i*1e15, 1)), r.set(r.add(3+i, 1)))
	}
	refused := r.add(9, 1)
	_, err := r.m.Set(refused)
	require.ErrorIs(t, err, netcode.ErrTooManyCommands)
	refused.Action.Release()
	r.released(held...)

	// A command that is held may still be replaced, and moved far.
	h := held[1].Header
	h.Step = netcode.MaxStep
	held[1] = r.set(r.entry(r.game, h, payload{Value: 3}))
	r.released(held...)

	r.tick(100)
	_, state := r.state()
	require.Equal(t, expect(ledgerState{}, 1, 100, held...), state)
	require.Equal(t, 51, r.m.Stats().Commands)
	for _, e := range held {
		require.Equal(t, e.Header.Step > 96, r.m.Remove(e.Header.Key))
	}
	require.Zero(t, r.m.Stats().Commands)
	r.released()
}

// Commands far ahead run when their step comes, in their order, however they were set.
func TestFarCommandsRunInTime(t *testing.T) {
	r := newRig(t, rollback.Config{Start: -5, Depth: 3})
	var held []netcode.Entry
	for _, step := range []netcode.Step{700, 130, 131, 129, 400, 700, 128, 127, 700, 401} {
		held = append(held, r.set(r.add(step, int32(step))))
	}
	h := held[0].Header
	h.Order = 99 // to the end of step 700
	held[0] = r.set(r.entry(r.game, h, payload{Value: 7}))
	for s := netcode.Step(-5); s <= 701; s++ {
		r.tick(s)
	}
	_, state := r.state()
	require.Equal(t, expect(ledgerState{}, -5, 701, held...), state)
	require.Zero(t, r.m.Stats().Rollbacks)
}

// Where orders are equal the authority's word runs first, then author, then sequence; never by arrival.
func TestEqualOrders(t *testing.T) {
	as := &actions{t: t}
	header := func(author netcode.AuthorID, sequence netcode.Sequence) netcode.Header {
		return netcode.Header{Key: netcode.Key{Author: author, Sequence: sequence}, Step: 2, Order: 5}
	}
	arrivals := [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}}
	for _, late := range []bool{false, true} {
		for _, arrival := range arrivals {
			r := newRig(t, rollback.Config{Start: 1, Depth: 4})
			r.actions = as
			entries := []netcode.Entry{
				r.entry(r.game, header(8, 1), payload{Value: 1}),
				r.entry(r.game, header(9, 1), payload{Value: 2}),
				r.entry(r.game, header(1, 1), payload{Value: 3}),
				r.entry(r.game, header(1, 2), payload{Value: 4}),
			}
			entries[2].Predicted, entries[3].Predicted = true, true
			if late {
				r.tick(3)
			}
			for _, i := range arrival {
				r.set(entries[i])
			}
			r.tick(3)
			_, state := r.state()
			require.Equal(t, int32(((1*31+2)*31+3)*31+4), state.Value)
		}
	}
}

func TestTrace(t *testing.T) {
	var events []string
	trace := &netcode.Trace{
		Executed: func(h netcode.Header, replay bool) {
			events = append(events, fmt.Sprintf("%v@%d replay=%t", h.Key, h.Step, replay))
		},
		Rollback: func(from, through netcode.Step) {
			events = append(events, fmt.Sprintf("rollback %d-%d", from, through))
		},
	}
	r := newRig(t, rollback.Config{Start: 1, Depth: 8, Trace: trace})
	r.set(r.add(2, 1))
	r.set(r.add(3, 1))
	r.set(r.add(4, 1))
	r.tick(3)
	r.set(r.add(2, 1))
	r.tick(4)
	require.Equal(t, []string{
		"1/1@2 replay=false",
		"1/2@3 replay=false",
		"rollback 2-3",
		"1/1@2 replay=true",
		"1/4@2 replay=true",
		"1/2@3 replay=true",
		"1/3@4 replay=false",
	}, events)
}

func TestActionsMayBeMissing(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 2})
	e := netcode.Entry{Header: netcode.Header{Key: netcode.Key{Sequence: 1}, Step: 1}}
	r.set(e)
	r.tick(1)
	e.Payload = []byte{1}
	r.set(e)
	r.tick(5)
	require.Zero(t, r.m.Stats().Commands)
	e.Header.Step = 6
	r.set(e)
	require.True(t, r.m.Remove(e.Header.Key))
	r.set(e)
	b, err := r.m.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, r.m.Load(b))
}

// A model that is done with a command does not keep its payload alive.
func TestPayloadIsLetGo(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 2})
	e := r.add(1, 1)
	p := weak.Make(&e.Payload[0])
	r.set(e)
	e.Payload = nil
	runtime.GC()
	require.NotNil(t, p.Value())
	r.tick(9)
	runtime.GC()
	require.Nil(t, p.Value())
	runtime.KeepAlive(r)
}

// Each way out of the model releases an action, once.
func TestRelease(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 3})
	aged, replaced, removed, moved, loaded, far := r.add(1, 1), r.add(2, 1), r.add(2, 1), r.add(3, 1), r.add(4, 1), r.add(4000, 1)
	for _, e := range []netcode.Entry{aged, replaced, removed, moved, loaded, far} {
		r.set(e)
	}
	r.tick(3)
	r.released(aged, replaced, removed, moved, loaded, far)

	replacement := r.set(r.entry(r.game, replaced.Header, payload{}))
	r.released(aged, removed, moved, loaded, far, replacement)
	r.m.Remove(removed.Header.Key)
	r.released(aged, moved, loaded, far, replacement)
	h := moved.Header
	h.Step = 9
	target := r.set(r.entry(r.game, h, payload{}))
	r.released(aged, loaded, far, replacement, target)
	r.tick(4)
	r.released(loaded, far, replacement, target)
	b, err := r.m.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, r.m.Load(b))
	r.released()
}
