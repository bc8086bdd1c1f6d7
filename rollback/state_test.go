package rollback_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

func stateAt(step netcode.Step, s ledgerState) []byte {
	return s.append(binary.LittleEndian.AppendUint64(nil, uint64(step)))
}

// A refused load leaves model and simulation as they were, commands and marks included.
func TestRefusedLoadChangesNothing(t *testing.T) {
	for name, load := range map[string]struct {
		state []byte
		arm   func(r *rig)
		want  error
	}{
		"nothing":     {nil, nil, rollback.ErrShortState},
		"seven bytes": {make([]byte, 7), nil, rollback.ErrShortState},
		"a step only": {make([]byte, 8), nil, rollback.ErrStateRefused},
		"cut":         {stateAt(3, ledgerState{Value: 5})[:39], nil, rollback.ErrStateRefused},
		"too long":    {append(stateAt(3, ledgerState{Value: 5}), 0), nil, rollback.ErrStateRefused},
		"last step":   {stateAt(netcode.MaxStep, ledgerState{Value: 5}), nil, netcode.ErrStepRange},
		"panic": {stateAt(3, ledgerState{Value: 5}), func(r *rig) {
			r.game.onLoad = func() {
				r.game.onLoad = nil
				panicking()
			}
		}, rollback.ErrStateRefused},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 5})
			old, coming := r.set(r.add(6, 1)), r.set(r.add(9, 2))
			r.tick(7)
			late := r.set(r.add(5, 3))
			_, before := r.state()
			if load.arm != nil {
				load.arm(r)
			}
			err := r.m.Load(load.state)
			require.ErrorIs(t, err, load.want)
			require.NotErrorIs(t, err, netcode.ErrFaulted)
			require.Nil(t, r.m.Fault())
			step, state := r.state()
			require.Equal(t, netcode.Step(7), step)
			require.Equal(t, before, state)
			require.Equal(t, netcode.Step(3), r.m.FirstRetained())
			r.released(old, coming, late)

			r.tick(9)
			require.Equal(t, uint64(1), r.m.Stats().Rollbacks)
			_, state = r.state()
			require.Equal(t, expect(ledgerState{}, 1, 9, old, coming, late), state)
		})
	}
}

func TestLoadForgets(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 5})
	r.set(r.add(3, 1))
	r.set(r.add(30, 1))
	r.set(r.add(400, 1))
	r.tick(7)
	r.set(r.add(4, 1)) // a mark
	want := ledgerState{Value: 8, TickSum: 3}
	require.NoError(t, r.m.Load(stateAt(-50, want)))
	r.released()
	step, state := r.state()
	require.Equal(t, netcode.Step(-50), step)
	require.Equal(t, want, state)
	require.Equal(t, netcode.Step(-49), r.m.FirstRetained())
	require.NoError(t, r.m.Settle())
	require.Zero(t, r.m.Stats().Rollbacks)
	require.Zero(t, r.m.Stats().Commands)

	anchor, at, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, netcode.Step(-50), at)
	require.Equal(t, stateAt(-50, want), anchor)

	e := r.add(-50, 1)
	_, err = r.m.Set(e)
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	r.tick(-48)
	late := r.set(r.add(-49, 1))
	r.tick(450)
	_, state = r.state()
	require.Equal(t, expect(want, -49, 450, late), state)
}

// The state is not corrected before the tick; the anchor does not depend on it.
func TestStatesWithMarks(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	r.tick(6)
	late := r.set(r.add(3, 1))
	step, state := r.state()
	require.Equal(t, netcode.Step(6), step)
	require.Equal(t, expect(ledgerState{}, 1, 6), state)
	before, at, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, netcode.Step(2), at)
	require.Equal(t, stateAt(2, expect(ledgerState{}, 1, 2)), before)

	require.NoError(t, r.m.Settle())
	_, state = r.state()
	require.Equal(t, expect(ledgerState{}, 1, 6, late), state)
	after, _, err := r.m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestAppendFailure(t *testing.T) {
	for name, arm := range map[string]func(g *ledger){
		"error": func(g *ledger) { g.saveErr = errBroken },
		"panic": func(g *ledger) { g.onSave = panicking },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rollback.Config{Start: 1, Depth: 4})
			r.tick(2)
			arm(r.game)
			dst := []byte("kept")
			got, err := r.m.AppendState(dst)
			require.ErrorIs(t, err, errBroken)
			require.Equal(t, dst, got)
			fault, _ := errors.AsType[*netcode.FaultError](err)
			require.Equal(t, "save", fault.Doing)
			require.Same(t, fault, r.m.Tick(3))
			_, err = r.m.AppendState(nil)
			require.ErrorIs(t, err, errBroken)
			require.Same(t, fault, r.m.Fault())

			// While the state cannot be saved, a load has nothing to fall back on.
			good := stateAt(9, ledgerState{Value: 1})
			require.ErrorIs(t, r.m.Load(good[:30]), rollback.ErrStateLost)
			require.NoError(t, r.m.Load(good))
			r.repair(new(action))
			r.tick(10)
		})
	}
}

// A load in good health that cannot keep the present state does not touch it.
func TestLoadWithoutBackup(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	r.tick(2)
	_, before := r.state()
	r.game.saveErr = errBroken
	err := r.m.Load(stateAt(9, ledgerState{Value: 1}))
	require.ErrorIs(t, err, netcode.ErrFaulted)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, before, r.game.ledgerState)
	require.Equal(t, netcode.Step(2), r.m.Step())
}

// Whatever is loaded, the model stays in a known state.
func FuzzLoad(f *testing.F) {
	f.Add(stateAt(5, ledgerState{Value: 1, ExecutionCount: 2, LastID: 3, LastSeed: 4, TickSum: 5}))
	f.Add(stateAt(netcode.MaxStep, ledgerState{}))
	f.Add(stateAt(netcode.MinStep, ledgerState{}))
	f.Add([]byte{1, 2, 3})
	f.Add(make([]byte, 20))
	f.Fuzz(func(t *testing.T, state []byte) {
		r := newRig(t, rollback.Config{Start: 1, Depth: 3})
		kept := r.set(r.add(5, 1))
		r.tick(4)
		_, before := r.state()
		if err := r.m.Load(state); err != nil {
			step, after := r.state()
			require.Equal(t, netcode.Step(4), step)
			require.Equal(t, before, after)
			r.released(kept)
			return
		}
		r.released()
		b, err := r.m.AppendState(nil)
		require.NoError(t, err)
		require.Equal(t, state, b)
		r.tick(r.m.FirstRetained())
	})
}
