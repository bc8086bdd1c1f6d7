package rollback_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// A step with two commands allocates nothing once the ring is full, nor does a replay or a confirmation.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	w := &world{state: make([]byte, 1<<10)}
	m, f := newBenchModel(t, w), newFeed(w)
	for range 2 * benchDepth {
		require.NoError(t, stepOnTime(m, f))
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { require.NoError(t, stepOnTime(m, f)) }))

	late := netcode.Entry{Header: netcode.Header{Key: netcode.Key{Author: 9}}}
	payloads, turn := [2][]byte{{0}, {1}}, 0
	late.Header.Step = m.Step() - 7
	require.Zero(t, testing.AllocsPerRun(100, func() {
		turn ^= 1
		late.Payload = payloads[turn]
		_, err := m.Set(late)
		require.NoError(t, err)
		require.NoError(t, m.Settle())
	}))
	require.Greater(t, m.Stats().Rollbacks, uint64(100))

	before := m.Stats().Rollbacks
	require.Zero(t, testing.AllocsPerRun(100, func() {
		late.Predicted = !late.Predicted
		_, err := m.Set(late)
		require.NoError(t, err)
		require.NoError(t, m.Settle())
	}))
	require.Equal(t, before, m.Stats().Rollbacks)

	var state []byte
	require.Zero(t, testing.AllocsPerRun(100, func() {
		var err error
		state, err = m.AppendState(state[:0])
		require.NoError(t, err)
		state, _, err = m.AppendAnchor(state[:0])
		require.NoError(t, err)
	}))
}

func TestLockstepAllocatesNothing(t *testing.T) {
	w := &world{state: make([]byte, 1<<10)}
	m, err := rollback.NewLockstep(w, rollback.LockstepConfig{Start: 1, Authority: true})
	require.NoError(t, err)
	f := newFeed(w)
	step := func() {
		first, second := f.pair()
		for _, e := range []*netcode.Entry{first, second} {
			_, err := m.Set(*e)
			require.NoError(t, err)
			f.done(e)
		}
		require.NoError(t, m.Tick(m.Step()+1))
	}
	step()
	require.Zero(t, testing.AllocsPerRun(1000, step))
}

// Memory does not depend on how long a session has lasted: over 100,000 steps in which commands arrive early,
// late and not at all, nothing is allocated and no more is held than the window and what is ahead of it.
func TestMemoryIsBounded(t *testing.T) {
	w := &world{state: make([]byte, 64)}
	m, f := newBenchModel(t, w), newFeed(w)
	worst := 0
	round := func() {
		first, second := f.pair()
		step := m.Step()
		if step%5 == 0 {
			first.Header.Step = max(m.FirstRetained(), step-3) // late
		}
		if step%7 == 0 {
			second.Header.Step = step + 40 // early
		}
		_, err := m.Set(*first)
		require.NoError(t, err)
		_, err = m.Set(*second)
		require.NoError(t, err)
		if step%11 == 0 {
			require.True(t, m.Remove(second.Header.Key))
		}
		f.done(first)
		f.done(second)
		first.Header.Step, second.Header.Step = step+9, step+9
		require.NoError(t, m.Tick(step+1))
		if step%1000 == 0 {
			worst = max(worst, m.Stats().Commands)
		}
	}
	for range 10 * benchDepth {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(100_000, round))
	require.Greater(t, m.Step(), netcode.Step(100_000))
	require.Greater(t, m.Stats().Rollbacks, uint64(10_000))
	require.Less(t, worst, benchCommands*(benchDepth+40))
}
