package replica_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// The memory of states is counted as they come and go, whatever comes.
func TestMemoryIsCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	older := unitLayout()
	older.Version, older.Properties = 2, older.Properties[:7]
	olderClass := replica.MustClass(older, unitCodecs()[:7]...)
	r := replica.NewReceiver(3, unitClass, olderClass)
	r.LimitMemory(40_000)
	r.Own(2, true)
	applied, refused, thinned := 0, 0, 0
	for result := range uint64(5000) {
		id := rng.Uint32N(4)
		h := netpeer.Header{Object: id, Result: result + 1, Full: rng.IntN(10) == 0}
		if h.Base = max(1, result-min(result, uint64(rng.IntN(300)))); rng.IntN(2) == 0 {
			h.Base = max(result, 1)
		}
		class := unitClass
		if h.Full && rng.IntN(4) == 0 {
			class = olderClass
		}
		if st := r.State(id); st != nil && !h.Full {
			class = st.Class()
		}
		var e netpeer.Encoder
		e.Begin(nil, class.Schema(), h)
		e.Int(fieldHealth, rng.Int64N(100))
		if rng.IntN(2) == 0 {
			e.Bytes(fieldName, make([]byte, rng.IntN(17)))
		}
		if rng.IntN(2) == 0 {
			e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, rng.Uint32N(60), rng.Uint32N(50), 1, 1)}})
		}
		if class == unitClass && h.Full {
			note, err := unitClass.Schema().Field(fieldNotes).Item().Bytes(make([]byte, rng.IntN(9)))
			require.NoError(t, err)
			e.Collection(fieldNotes, &netpeer.CollectionDelta{Added: []netpeer.Element{{Key: 1, Value: note}}})
		}
		body, err := e.End()
		require.NoError(t, err)
		before, stored := r.Memory(), 0
		if r.State(id) != nil {
			stored = r.Stored(id)
		}
		if _, err := r.Apply(body); err == nil {
			if applied++; r.Stored(id) < stored && r.Memory() < before {
				thinned++
			}
		} else {
			refused++
			require.Equal(t, before, r.Memory())
		}
		if rng.IntN(100) == 0 {
			r.Forget(rng.Uint32N(4))
		}
		require.Equal(t, r.Recount(), r.Memory())
		require.LessOrEqual(t, r.Memory(), 40_000)
	}
	require.Greater(t, applied, 300)
	require.Greater(t, refused, 500)
	require.Greater(t, thinned, 50)
	for id := range uint32(4) {
		r.Forget(id)
	}
	require.Zero(t, r.Memory())
}

// A server that never moves the baseline forward, and one that has ever more to tell, take no more memory than there
// is for it. What an object needs at present stays, what is refused changes nothing, and there is room again
// when objects are forgotten.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 4 * (15*64 + 16) // four states with a name and nothing else
	name := func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 16)) }
	of := func(id uint32, h netpeer.Header, fields func(*netpeer.Encoder)) []byte {
		body := forge(t, h, fields)
		body[3] = byte(id)
		return body
	}
	r := replica.NewReceiver(0, unitClass)
	r.LimitMemory(limit)
	_, err := r.Apply(of(1, netpeerFull(1), name))
	require.NoError(t, err)
	for i := range uint64(50) {
		u, err := r.Apply(of(1, netpeerDelta(2+i, 1), health(int64(i))))
		require.NoError(t, err, "the base is there")
		require.Equal(t, int64(i), u.State.Int(fieldHealth))
		require.Equal(t, 1, u.Changed.Len(), "what was shown before was not thrown away too early")
		require.LessOrEqual(t, r.Memory(), limit)
	}
	_, err = r.Apply(of(1, netpeerDelta(60, 2), health(1)))
	require.ErrorIs(t, err, replica.ErrMissingBase, "it had to go")
	u, err := r.Apply(of(1, netpeerDelta(61, 51), health(1)))
	require.NoError(t, err, "the newest is there")
	require.Len(t, u.State.Bytes(fieldName), 16)

	for id := uint32(2); r.Len() < 4; id++ {
		_, err := r.Apply(of(id, netpeerFull(uint64(id)), name))
		if err != nil {
			require.ErrorIs(t, err, replica.ErrMemory)
			_, err = r.Apply(of(1, netpeerFull(100+uint64(id)), name)) // costs the first its differences
		}
		require.NoError(t, err)
	}
	_, err = r.AppendAcks(nil)
	require.NoError(t, err)
	more := of(9, netpeerFull(200), func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 16)); e.Int(fieldAmmo, 1) })
	_, err = r.Apply(more)
	require.ErrorIs(t, err, replica.ErrMemory)
	require.Nil(t, r.State(9))
	require.Equal(t, 4, r.Len())
	ack, err := r.AppendAcks(nil)
	require.NoError(t, err)
	require.Empty(t, ack)
	r.Forget(1)
	_, err = r.Apply(more)
	require.NoError(t, err)
	require.Equal(t, limit, r.Memory())
}

// A state takes 64 bytes to a field and 80 to an element, and what byte strings have; and a difference has no room if
// there is none for its base besides it.
func TestMemoryOfAState(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	note, err := unitClass.Schema().Field(fieldNotes).Item().Bytes(make([]byte, 8))
	require.NoError(t, err)
	_, err = r.Apply(forge(t, netpeerFull(1), func(e *netpeer.Encoder) {
		e.Bytes(fieldName, make([]byte, 5))
		e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 1, 0, 1, 1), intItem(t, 2, 0, 1, 1)}})
		e.Collection(fieldNotes, &netpeer.CollectionDelta{Added: []netpeer.Element{{Value: note}}})
	}))
	require.NoError(t, err)
	const size = 15*64 + 5 + 3*80 + 8
	require.Equal(t, size, r.Memory())

	r.LimitMemory(size + size/2)
	for _, h := range []netpeer.Header{netpeerDelta(2, 1), netpeerDelta(3, 1)} {
		_, err = r.Apply(forge(t, h, health(1)))
		require.ErrorIs(t, err, replica.ErrMemory)
	}
	r.LimitMemory(2 * size)
	for _, h := range []netpeer.Header{netpeerDelta(4, 1), netpeerDelta(5, 1), netpeerFull(6)} {
		_, err = r.Apply(forge(t, h, health(1)))
		require.NoError(t, err)
	}
	require.Equal(t, 15*64, r.Memory(), "the full one had room only without the others")
	require.Equal(t, 1, r.Stored(object))
}
