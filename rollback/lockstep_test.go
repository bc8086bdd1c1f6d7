package rollback_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

func TestNewLockstepRefuses(t *testing.T) {
	for field, cfg := range map[string]rollback.LockstepConfig{
		"Start":       {Start: netcode.MinStep},
		"Delay":       {Delay: -1},
		"MaxCommands": {MaxCommands: -1},
		"MaxAdvance":  {MaxAdvance: -1},
	} {
		_, err := rollback.NewLockstep(new(ledger), cfg)
		require.ErrorContains(t, err, "Config."+field)
	}
	_, err := rollback.NewLockstep(nil, rollback.LockstepConfig{})
	require.ErrorContains(t, err, "simulation")
}

func TestLockstepSchedule(t *testing.T) {
	r, m := newLockstepRig(t, rollback.LockstepConfig{Start: 1, Authority: true})
	require.False(t, m.Predicts())
	r.tick(10)
	for requested, want := range map[netcode.Step]netcode.Step{
		netcode.MinStep: 12, 0: 12, 10: 12, 11: 12, 12: 12, 13: 13, netcode.MaxStep: netcode.MaxStep,
	} {
		got, err := m.Schedule(requested)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	r, m = newLockstepRig(t, rollback.LockstepConfig{Start: netcode.MaxStep - 8, Delay: 5, Authority: true})
	r.tick(netcode.MaxStep - 5)
	got, err := m.Schedule(0)
	require.NoError(t, err)
	require.Equal(t, netcode.MaxStep, got)
	r.tick(netcode.MaxStep - 4)
	_, err = m.Schedule(0)
	require.ErrorIs(t, err, netcode.ErrStepRange)
	r.tick(netcode.MaxStep)
	require.Equal(t, netcode.MaxStep, m.FirstRetained())
	_, err = m.Set(r.add(netcode.MaxStep, 1))
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	_, err = m.Set(r.add(netcode.MinStep, 1))
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
}

func TestLockstepRunsConfirmedStepsOnly(t *testing.T) {
	r, m := newLockstepRig(t, rollback.LockstepConfig{Start: 1})
	require.Equal(t, netcode.Step(0), m.Confirmed())
	require.ErrorIs(t, m.Tick(1), netcode.ErrUnconfirmed)
	a, b := r.set(r.add(2, 1)), r.set(r.add(3, 2))
	m.Confirm(3)
	m.Confirm(2)
	require.Equal(t, netcode.Step(3), m.Confirmed())
	require.ErrorIs(t, m.Tick(4), netcode.ErrUnconfirmed)
	require.Equal(t, netcode.Step(0), m.Step())
	require.Equal(t, ledgerState{}, r.game.ledgerState)
	r.tick(2)
	r.released(b)
	require.ErrorIs(t, m.Tick(1), netcode.ErrStepRange)
	r.tick(3)
	r.released()
	require.Equal(t, expect(ledgerState{}, 1, 3, a, b), r.game.ledgerState)

	// Load takes the confirmations back, because it forgets the commands that they vouched for.
	m.Confirm(100)
	require.ErrorIs(t, m.Load(make([]byte, 12)), rollback.ErrStateRefused)
	require.Equal(t, netcode.Step(100), m.Confirmed())
	require.NoError(t, m.Load(stateAt(50, ledgerState{})))
	require.Equal(t, netcode.Step(50), m.Confirmed())
	require.ErrorIs(t, m.Tick(51), netcode.ErrUnconfirmed)
	r.tick(50)
}

func TestLockstepHistoryIsFinal(t *testing.T) {
	r, m := newLockstepRig(t, rollback.LockstepConfig{Start: 1, Authority: true, MaxAdvance: 50})
	require.Equal(t, netcode.MaxStep, m.Confirmed())
	done, coming := r.set(r.add(3, 1)), r.set(r.add(5, 2))
	r.tick(4)
	require.Equal(t, netcode.Step(5), m.FirstRetained())
	require.False(t, m.Remove(done.Header.Key))
	late := r.add(4, 1)
	_, err := m.Set(late)
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	late.Action.Release()
	h := coming.Header
	h.Step = 4
	late = r.entry(r.game, h, payload{})
	_, err = m.Set(late)
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	late.Action.Release()

	h.Step = 300
	moved := r.set(r.entry(r.game, h, payload{Value: 3}))
	r.released(moved)
	gone := r.set(r.add(6, 1))
	require.True(t, m.Remove(gone.Header.Key))
	require.ErrorIs(t, m.Tick(55), netcode.ErrStepRange)
	for s := netcode.Step(5); s <= 310; s++ {
		r.tick(s)
	}
	require.NoError(t, m.Settle())
	_, pending := m.Pending()
	require.False(t, pending)
	require.Nil(t, m.Fault())
	require.Equal(t, expect(ledgerState{}, 1, 310, done, moved), r.game.ledgerState)
	require.Equal(t, rollback.Stats{Executions: 2}, m.Stats())
	r.released()

	anchor, step, err := m.AppendAnchor(nil)
	require.NoError(t, err)
	require.Equal(t, netcode.Step(310), step)
	state, err := m.AppendState(nil)
	require.NoError(t, err)
	require.Equal(t, state, anchor)
}

func TestLockstepFailingStepIsUndone(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			r, m := newLockstepRig(t, rollback.LockstepConfig{Start: 1, Authority: true})
			before, victim := r.set(r.add(6, 1)), r.set(r.add(6, 2))
			r.tick(5)
			state, err := m.AppendState(nil)
			require.NoError(t, err)
			f.arm(r, victim.Action.(*action))
			r.faulted(m.Tick(9), 6, f, victim.Header.Key, expect(ledgerState{}, 1, 5))
			r.released(before, victim)
			r.repair(victim.Action.(*action))
			require.NoError(t, m.Load(state))
			r.released()
			r.tick(9)
			require.Equal(t, expect(ledgerState{}, 1, 9), r.game.ledgerState)
		})
	}
}

// A release that panics right after a step has been completed leaves that step completed.
func TestLockstepReleaseMayPanic(t *testing.T) {
	r, m := newLockstepRig(t, rollback.LockstepConfig{Start: netcode.MaxStep - 1, Authority: true})
	e := r.set(r.add(netcode.MaxStep, 1))
	e.Action.(*action).onRelease = panicking
	require.ErrorIs(t, m.Tick(netcode.MaxStep), errBroken)
	require.Equal(t, netcode.MaxStep, m.Fault().Step)
	step, state := r.state()
	require.Equal(t, netcode.MaxStep, step)
	require.Equal(t, expect(ledgerState{}, netcode.MaxStep-1, netcode.MaxStep, e), state)
	require.NoError(t, m.Load(stateAt(0, ledgerState{})))
	r.released()
}

// Two peers in lockstep, the client always behind, agree on every state.
func TestLockstepPeersAgree(t *testing.T) {
	server, authority := newLockstepRig(t, rollback.LockstepConfig{Start: 1, Delay: 3, Authority: true})
	client, follower := newLockstepRig(t, rollback.LockstepConfig{Start: 1, Delay: 3})
	states := map[netcode.Step]ledgerState{}
	for i := range netcode.Step(200) {
		step, err := authority.Schedule(i)
		require.NoError(t, err)
		e := server.set(server.add(step, int32(i)))
		client.set(client.entry(client.game, e.Header, e.Action.(*action).payload))
		server.tick(i + 1)
		states[i+1] = server.game.ledgerState
		if i%7 == 0 {
			follower.Confirm(authority.Step())
			client.tick(follower.Confirmed())
			require.Equal(t, states[follower.Step()], client.game.ledgerState)
		}
	}
	require.Greater(t, client.game.executions, 100)
}
