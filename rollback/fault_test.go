package rollback_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

var errBroken = errors.New("broken")

// failure makes one of the callbacks fail at a step or later; undo repairs it.
type failure struct {
	name, doing string
	hasKey      bool
	arm         func(r *rig, victim *action)
}

func panicking() { panic(errBroken) }

var failures = []failure{
	{"execute", "execute", true, func(r *rig, victim *action) { victim.run = panicking }},
	{"tick", "tick", false, func(r *rig, _ *action) { r.game.onTick = panicking }},
	{"save error", "save", false, func(r *rig, _ *action) { r.game.saveErr = errBroken }},
	{"save panic", "save", false, func(r *rig, _ *action) { r.game.onSave = panicking }},
}

func (r *rig) repair(victim *action) {
	victim.run = nil
	r.game.onTick, r.game.onSave, r.game.onLoad = nil, nil, nil
	r.game.saveErr, r.game.loadErr = nil, nil
}

// faulted checks that everything is refused with the same fault, and that the state is the last good one.
func (r *rig) faulted(err error, step netcode.Step, f failure, key netcode.Key, good ledgerState) {
	r.t.Helper()
	require.ErrorIs(r.t, err, netcode.ErrFaulted)
	require.ErrorIs(r.t, err, errBroken)
	fault, ok := errors.AsType[*netcode.FaultError](err)
	require.True(r.t, ok)
	require.Same(r.t, fault, r.m.Fault())
	require.Equal(r.t, step, fault.Step)
	require.Equal(r.t, f.doing, fault.Doing)
	require.Equal(r.t, f.hasKey, fault.HasKey)
	if f.hasKey {
		require.Equal(r.t, key, fault.Key)
	}
	require.NotErrorIs(r.t, err, rollback.ErrStateLost)

	require.Equal(r.t, step-1, r.m.Step())
	require.Equal(r.t, good, r.game.ledgerState)

	e := r.add(step+1, 1)
	_, err = r.m.Set(e)
	require.Same(r.t, fault, err)
	require.Zero(r.t, e.Action.(*action).released)
	e.Action.Release()
	require.False(r.t, r.m.Remove(key))
	require.Same(r.t, fault, r.m.Tick(step+5))
	require.Same(r.t, fault, r.m.Settle())
	_, err = r.m.Schedule(step + 5)
	require.Same(r.t, fault, err)
	require.Equal(r.t, step-1, r.m.Step())
}

func TestFailingStepIsUndone(t *testing.T) {
	for _, f := range failures {
		for _, depth := range []int{1, 2, 5} {
			t.Run(f.name, func(t *testing.T) {
				r := newRig(t, rollback.Config{Start: 1, Depth: depth})
				earlier := r.set(r.add(5, 1))
				before, victim, after := r.set(r.add(6, 1)), r.set(r.add(6, 2)), r.set(r.add(6, 3))
				r.tick(5)
				state, err := r.m.AppendState(nil)
				require.NoError(t, err)
				f.arm(r, victim.Action.(*action))
				good := expect(ledgerState{}, 1, 5, earlier)
				r.faulted(r.m.Tick(9), 6, f, victim.Header.Key, good)
				r.repair(victim.Action.(*action))

				// The last good state can still be had.
				again, err := r.m.AppendState(nil)
				require.NoError(t, err)
				require.Equal(t, state, again)
				anchor, step, err := r.m.AppendAnchor(nil)
				require.NoError(t, err)
				require.Equal(t, r.m.FirstRetained()-1, step)
				require.Equal(t, expect(ledgerState{}, 1, step, earlier), parseLedger(anchor[8:]))

				// A load that is refused does not end the fault, a good one does.
				require.ErrorIs(t, r.m.Load(state[:20]), rollback.ErrStateRefused)
				require.NotNil(t, r.m.Fault())
				require.Equal(t, good, r.game.ledgerState)
				require.Zero(t, before.Action.(*action).released+victim.Action.(*action).released)
				require.Zero(t, after.Action.(*action).released)
				require.NoError(t, r.m.Load(state))
				require.Nil(t, r.m.Fault())
				r.released()
				r.tick(9)
				_, got := r.state()
				require.Equal(t, expect(good, 6, 9), got)
			})
		}
	}
}

// In a replay the model stops where it failed, with everything before it corrected.
func TestFailingReplayIsUndone(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 8})
			victim := r.set(r.add(7, 2))
			r.tick(9)
			late := r.set(r.add(5, 1))
			if f.hasKey {
				f.arm(r, victim.Action.(*action))
			} else {
				// Fail when step 7 is reached.
				victim := r.set(r.add(6, 1))
				victim.Action.(*action).run = func() { f.arm(r, nil) }
				if f.doing == "tick" {
					victim.Action.(*action).run = func() {
						r.game.onTick = func() { r.game.onTick = panicking }
					}
				}
				defer r.repair(victim.Action.(*action))
				good := expect(ledgerState{}, 1, 6, late, victim)
				r.faulted(r.m.Tick(9), 7, f, netcode.Key{}, good)
				return
			}
			good := expect(ledgerState{}, 1, 6, late)
			r.faulted(r.m.Tick(9), 7, f, victim.Header.Key, good)
		})
	}
}

func TestFailingVeryFirstStep(t *testing.T) {
	for _, f := range failures {
		r := newRig(t, rollback.Config{Start: netcode.MinStep + 1, Depth: 1})
		victim := r.set(r.add(netcode.MinStep+1, 1))
		f.arm(r, victim.Action.(*action))
		err := r.m.Tick(netcode.MinStep + 1)
		require.ErrorIs(t, err, errBroken)
		require.Equal(t, netcode.MinStep, r.m.Step())
		require.Equal(t, netcode.MinStep+1, r.m.FirstRetained())
		require.Equal(t, ledgerState{}, r.game.ledgerState)
	}
}

func TestPanicValues(t *testing.T) {
	fail := func(run func()) error {
		r := newRig(t, rollback.Config{Start: 1, Depth: 2})
		r.set(r.add(1, 1)).Action.(*action).run = run
		err := r.m.Tick(1)
		require.ErrorIs(t, err, netcode.ErrFaulted)
		return err
	}
	var m map[int]int
	err := fail(func() { m[1] = 1 })
	_, ok := errors.AsType[runtime.Error](err)
	require.True(t, ok)

	err = fail(func() { panic("words") })
	p, ok := errors.AsType[*rollback.PanicError](err)
	require.True(t, ok)
	require.Equal(t, "words", p.Value)
	require.Contains(t, string(p.Stack), "TestPanicValues")
	require.ErrorContains(t, err, "panic: words")

	err = fail(func() { panic(nil) })
	_, ok = errors.AsType[*runtime.PanicNilError](err)
	require.True(t, ok)
}

// An action that ends its goroutine, as a failed test does, is contained as well.
func TestGoexit(t *testing.T) {
	for name, arm := range map[string]func(r *rig){
		"execute": func(r *rig) { r.set(r.add(3, 1)).Action.(*action).run = runtime.Goexit },
		"tick":    func(r *rig) { r.game.onTick = runtime.Goexit },
		"save":    func(r *rig) { r.game.onSave = runtime.Goexit },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 2})
			r.tick(2)
			state, err := r.m.AppendState(nil)
			require.NoError(t, err)
			arm(r)
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = r.m.Tick(5)
				t.Error("Tick returned")
			}()
			<-done
			r.repair(new(action))
			require.ErrorIs(t, r.m.Tick(5), netcode.ErrFaulted)
			require.Equal(t, expect(ledgerState{}, 1, 2), r.game.ledgerState)
			require.NoError(t, r.m.Load(state))
			r.tick(5)
		})
	}
}

func TestGoexitOutsideOfSteps(t *testing.T) {
	for name, call := range map[string]func(r *rig, state []byte){
		"save": func(r *rig, _ []byte) { r.game.onSave = runtime.Goexit; _, _ = r.m.AppendState(nil) },
		"keep": func(r *rig, state []byte) { r.game.onSave = runtime.Goexit; _ = r.m.Load(state) },
		"load": func(r *rig, state []byte) { r.game.onLoad = runtime.Goexit; _ = r.m.Load(state) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 2})
			r.tick(2)
			state, err := r.m.AppendState(nil)
			require.NoError(t, err)
			done := make(chan struct{})
			go func() {
				defer close(done)
				call(r, state)
				t.Error("the call returned")
			}()
			<-done
			r.repair(new(action))
			require.ErrorIs(t, r.m.Tick(5), netcode.ErrFaulted)
			require.NoError(t, r.m.Load(state))
			r.tick(5)
		})
	}
}

// When the snapshot cannot be loaded either, the fault says that the simulation holds nobody knows what.
func TestStateLost(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 3})
	r.tick(4)
	state, err := r.m.AppendState(nil)
	require.NoError(t, err)
	r.set(r.add(5, 1)).Action.(*action).run = func() {
		r.game.onLoad = panicking
		panic("first")
	}
	err = r.m.Tick(5)
	require.ErrorIs(t, err, netcode.ErrFaulted)
	require.ErrorIs(t, err, rollback.ErrStateLost)
	require.ErrorIs(t, err, errBroken)
	require.ErrorContains(t, err, "first")
	require.Equal(t, netcode.Step(4), r.m.Step())
	dst := []byte("kept")
	got, err := r.m.AppendState(dst)
	require.ErrorIs(t, err, rollback.ErrStateLost)
	require.Equal(t, dst, got)

	// Snapshots are as good as ever.
	anchor, step, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, expect(ledgerState{}, 1, step), parseLedger(anchor[8:]))

	require.ErrorIs(t, r.m.Load(state), rollback.ErrStateRefused)
	require.ErrorIs(t, r.m.Fault(), rollback.ErrStateLost)
	r.repair(new(action))
	require.NoError(t, r.m.Load(state))
	r.tick(5)
	_, ledger := r.state()
	require.Equal(t, expect(ledgerState{}, 1, 5), ledger)
}

// A snapshot that fails to load once, in a replay, is tried again to put the simulation in a known state.
func TestReplayThatCannotLoad(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 5})
	r.tick(4)
	r.set(r.add(2, 1))
	r.game.onLoad = func() {
		r.game.onLoad = nil
		r.game.Value = 99
		panicking()
	}
	err := r.m.Tick(5)
	require.ErrorIs(t, err, errBroken)
	require.NotErrorIs(t, err, rollback.ErrStateLost)
	require.Equal(t, "load", r.m.Fault().Doing)
	require.Equal(t, netcode.Step(2), r.m.Fault().Step)
	require.Equal(t, netcode.Step(1), r.m.Step())
	require.Equal(t, expect(ledgerState{}, 1, 1), r.game.ledgerState)

	r = newRig(t, rollback.Config{Start: 1, Depth: 5})
	r.tick(4)
	r.set(r.add(2, 1))
	r.game.loadErr = errBroken
	require.ErrorIs(t, r.m.Tick(5), rollback.ErrStateLost)
	require.ErrorIs(t, r.m.Fault(), errBroken)
}

func TestHooksMayPanic(t *testing.T) {
	trace := new(netcode.Trace)
	r := newRig(t, rollback.Config{Start: 1, Depth: 5, Trace: trace})
	r.tick(3)
	r.set(r.add(2, 1))
	trace.Rollback = func(_, _ netcode.Step) { panicking() }
	require.ErrorIs(t, r.m.Settle(), errBroken)
	require.Equal(t, netcode.Step(2), r.m.Fault().Step)
	require.Equal(t, netcode.Step(3), r.m.Step())
	require.Equal(t, expect(ledgerState{}, 1, 3), r.game.ledgerState)

	trace = new(netcode.Trace)
	r = newRig(t, rollback.Config{Start: 1, Depth: 5, Trace: trace})
	r.tick(3)
	r.set(r.add(4, 1))
	second := r.set(r.add(4, 1))
	trace.Executed = func(h netcode.Header, _ bool) {
		if h.Key == second.Header.Key {
			panicking()
		}
	}
	require.ErrorIs(t, r.m.Tick(4), errBroken)
	require.Equal(t, second.Header.Key, r.m.Fault().Key)
	require.Equal(t, expect(ledgerState{}, 1, 3), r.game.ledgerState)
}

// Releases happen in a tick, when commands are too old, and in a load. A panic there loses nothing.
func TestReleaseMayPanic(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 2})
	r.set(r.add(1, 1))
	r.set(r.add(1, 1)).Action.(*action).onRelease = panicking
	r.set(r.add(1, 1))
	r.set(r.add(2, 1))
	err := r.m.Tick(3)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, "release", r.m.Fault().Doing)
	require.Equal(t, netcode.Step(1), r.m.Fault().Step)
	step, _ := r.state()
	require.Equal(t, netcode.Step(2), step)
	state, err := r.m.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, r.m.Load(state))
	r.released()

	r.set(r.add(3, 1))
	r.set(r.add(3, 1)).Action.(*action).onRelease = panicking
	r.set(r.add(3, 1))
	require.ErrorIs(t, r.m.Load(state), netcode.ErrFaulted)
	require.Equal(t, "release", r.m.Fault().Doing)
	anchor, _, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, state, anchor)
	require.NoError(t, r.m.Load(state))
	r.released()
	r.tick(9)
}

// Nothing that the model runs may call back into it.
func TestReentrancy(t *testing.T) {
	callers := map[string]func(r *rig, trace *netcode.Trace, call func()){
		"execute": func(r *rig, _ *netcode.Trace, call func()) { r.set(r.add(4, 1)).Action.(*action).run = call },
		"tick":    func(r *rig, _ *netcode.Trace, call func()) { r.game.onTick = call },
		"save":    func(r *rig, _ *netcode.Trace, call func()) { r.game.onSave = call },
		"load":    func(r *rig, _ *netcode.Trace, call func()) { r.game.onLoad = call; r.set(r.add(2, 1)) },
		"release": func(r *rig, _ *netcode.Trace, call func()) { r.set(r.add(2, 1)).Action.(*action).onRelease = call },
		"executed": func(r *rig, tr *netcode.Trace, call func()) {
			tr.Executed = func(netcode.Header, bool) { call() }
			r.set(r.add(4, 1))
		},
		"rollback": func(r *rig, tr *netcode.Trace, call func()) {
			tr.Rollback = func(_, _ netcode.Step) { call() }
			r.set(r.add(2, 1))
		},
	}
	for name, arm := range callers {
		t.Run(name, func(t *testing.T) {
			trace := new(netcode.Trace)
			r := newRig(t, rollback.Config{Start: 1, Depth: 2, Trace: trace})
			r.tick(2)
			kept := r.set(r.add(4000, 1))
			state, err := r.m.AppendState(nil)
			require.NoError(t, err)
			calls := 0
			arm(r, trace, func() {
				calls++
				e := r.add(5, 1)
				_, err := r.m.Set(e)
				require.ErrorIs(t, err, rollback.ErrReentrant)
				e.Action.Release()
				require.False(t, r.m.Remove(kept.Header.Key))
				require.ErrorIs(t, r.m.Tick(9), rollback.ErrReentrant)
				require.ErrorIs(t, r.m.Settle(), rollback.ErrReentrant)
				require.ErrorIs(t, r.m.Load(state), rollback.ErrReentrant)
				_, err = r.m.AppendState(nil)
				require.ErrorIs(t, err, rollback.ErrReentrant)
				_, _, err = r.m.AppendAnchor(nil)
				require.ErrorIs(t, err, rollback.ErrReentrant)
			})
			r.tick(8)
			require.Positive(t, calls)
			require.Nil(t, r.m.Fault())
			r.released(kept)
		})
	}
}

// A release at the end of Set or Remove finds the model in order, and may use it.
func TestReleaseMayCallBackOutsideOfSteps(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 2})
	a := r.add(1, 1)
	a.Action.(*action).onRelease = func() { r.set(r.add(1, 2)) }
	r.set(a)
	require.True(t, r.m.Remove(a.Header.Key))
	r.tick(1)
	_, state := r.state()
	require.Equal(t, int32(2), state.Value)
}
