package rollback_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// collidingKeys returns keys that an attacker would choose: they all belong to one hash chain, at the size
// that a new model's table has.
func collidingKeys(t *testing.T, n int) []netcode.Key {
	m, err := rollback.New(new(ledger), rollback.Config{})
	require.NoError(t, err)
	var keys []netcode.Key
	k := netcode.Key{Session: 7, Author: 3}
	home := m.Home(k)
	for len(keys) < n {
		if m.Home(k) == home {
			keys = append(keys, k)
		}
		k.Sequence++
	}
	return keys
}

func TestCollidingKeys(t *testing.T) {
	keys := collidingKeys(t, 40)
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	m := r.m.(*rollback.Model)
	header := func(i int, step netcode.Step) netcode.Header {
		return netcode.Header{Key: keys[i], Step: step, Order: netcode.Order(i)}
	}
	held := make([]netcode.Entry, len(keys))
	for i := range keys {
		held[i] = r.set(r.entry(r.game, header(i, netcode.Step(1+i%10)), payload{Value: int32(i)}))
	}
	require.Equal(t, len(keys)-rollback.MaxChain, m.Spilled())
	for i := range keys { // they are found, wherever they are
		held[i] = r.set(r.entry(r.game, header(i, netcode.Step(1+i%10)), payload{Value: int32(i)}))
	}
	r.released(held...)
	require.Equal(t, len(keys), m.Stats().Commands)
	r.tick(5)
	_, state := r.state()
	require.Equal(t, expect(ledgerState{}, 1, 5, held...), state)
	for i := len(keys) - 1; i >= 0; i-- {
		require.Equal(t, held[i].Header.Step > 1, m.Remove(keys[i]))
		require.False(t, m.Remove(keys[i]))
	}
	require.Zero(t, m.Spilled())
	require.Zero(t, m.Stats().Commands)
	r.released()
}

// A key that was spilled is found there even when its chain has room again, and also after the table has grown.
func TestSpilledKeysStayUnique(t *testing.T) {
	for _, grow := range []bool{false, true} {
		keys := collidingKeys(t, rollback.MaxChain+1)
		r := newRig(t, rollback.Config{Start: 1, Depth: 4})
		m := r.m.(*rollback.Model)
		for i, k := range keys {
			r.set(r.entry(r.game, netcode.Header{Key: k, Step: 5, Order: netcode.Order(i)}, payload{}))
		}
		require.Equal(t, 1, m.Spilled())
		if grow {
			for range 100 {
				r.set(r.add(6, 0))
			}
			require.Zero(t, m.Spilled())
		}
		held := m.Stats().Commands
		last := keys[rollback.MaxChain]
		require.True(t, m.Remove(keys[0]))
		r.set(r.entry(r.game, netcode.Header{Key: last, Step: 5, Order: 99}, payload{}))
		require.Equal(t, held-1, m.Stats().Commands)
		require.True(t, m.Remove(last))
		require.False(t, m.Remove(last))
		require.Zero(t, m.Spilled())
	}
}

func TestCollidingKeysAgainstOracle(t *testing.T) {
	keys := collidingKeys(t, 40)
	spilled := false
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 9))
		w := newWalk(t, 1, 6, random.IntN, keys)
		for range 300 {
			w.op()
			w.compare()
			spilled = spilled || w.m.(*rollback.Model).Spilled() > 0
		}
		w.finish()
	}
	require.True(t, spilled)
}

// The table grows while commands are held, some of them in the far future, and loses none.
func TestGrowth(t *testing.T) {
	for _, limit := range []int{1, 2, 63, 64, 65, 1000} {
		r := newRig(t, rollback.Config{Start: 1, Depth: 3, MaxCommands: limit})
		random := rand.New(rand.NewPCG(uint64(limit), 0))
		held := make([]netcode.Entry, 0, limit)
		for range limit {
			held = append(held, r.set(r.add(netcode.Step(1+random.IntN(600)), 1)))
		}
		extra := r.add(1, 1)
		_, err := r.m.Set(extra)
		require.ErrorIs(t, err, netcode.ErrTooManyCommands)
		extra.Action.Release()
		r.released(held...)
		random.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
		for i, e := range held {
			require.Equal(t, limit-i, r.m.Stats().Commands)
			require.True(t, r.m.Remove(e.Header.Key))
		}
		r.set(r.add(1, 1))
	}
}

// An author with high sequences who is gone does not slow down for ever the one who shares the place, and neither
// of them is ever held twice.
func TestAuthorsShareAPlace(t *testing.T) {
	r := newRig(t, rollback.Config{Start: 1, Depth: 4})
	m := r.m.(*rollback.Model)
	key := func(author netcode.AuthorID, sequence netcode.Sequence) netcode.Key {
		return netcode.Key{Session: 7, Author: author, Sequence: sequence}
	}
	set := func(k netcode.Key, step netcode.Step) netcode.Entry {
		return r.set(r.entry(r.game, netcode.Header{Key: k, Step: step, Order: netcode.Order(k.Sequence)}, payload{}))
	}
	const other = 1 + rollback.SeenAuthors
	gone := set(key(1, netcode.MaxSequence), 1)
	require.False(t, m.KnownNew(key(other, 1)))
	r.tick(9)
	require.False(t, m.Remove(gone.Header.Key))

	next := key(other, 1)
	for range 1 + m.Slots() {
		require.False(t, m.KnownNew(next))
		set(next, m.Step()+1)
		r.tick(m.Step() + 1)
		next.Sequence++
	}
	require.True(t, m.KnownNew(next))
	first := next.Sequence - netcode.Sequence(m.Stats().Commands)
	var held []netcode.Entry
	for sequence := first; sequence <= next.Sequence; sequence++ {
		held = append(held, set(key(other, sequence), m.Step()+1))
		require.False(t, m.KnownNew(held[len(held)-1].Header.Key))
	}
	require.Equal(t, len(held), m.Stats().Commands)
	require.Equal(t, 4+1, len(held))
	r.released(held...)
}

// Commands that were set and aged out without a search, and those found among others that came the short way,
// are told apart whatever is searched for in between.
func TestLateIndexing(t *testing.T) {
	for every := 1; every < 9; every++ {
		r := newRig(t, rollback.Config{Start: 1, Depth: 3})
		var held []netcode.Entry
		for i := range 200 {
			step := r.m.Step() + 1
			e := r.set(r.add(step+netcode.Step(i%5), 1))
			held = append(held, e)
			if i%every == 0 { // before the others of its step
				e := r.add(step+netcode.Step(i%5), 2)
				e.Header.Order = 0
				held = append(held, r.set(e))
				require.False(t, r.m.Remove(netcode.Key{Author: 9}))
			}
			r.tick(step)
		}
		for _, e := range held {
			require.Equal(t, e.Header.Step >= r.m.FirstRetained(), r.m.Remove(e.Header.Key))
			require.False(t, r.m.Remove(e.Header.Key))
		}
		require.Zero(t, r.m.Stats().Commands)
		r.released()
	}
}
