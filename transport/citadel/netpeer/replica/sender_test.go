package replica_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

func setAll(t *testing.T, st *replica.State, v int64) {
	require.NoError(t, st.SetInt(fieldHealth, v))
	for i := fieldAmmo; i <= fieldSecret; i++ {
		require.NoError(t, st.SetInt(i, v))
	}
	require.NoError(t, st.PutItem(fieldBag, intItem(t, 0, 0, uint64(v), v)))
	note, err := unitClass.Schema().Field(fieldNotes).Item().Bytes([]byte{byte(v)})
	require.NoError(t, err)
	require.NoError(t, st.PutItem(fieldNotes, netpeer.Element{Key: uint64(v), Value: note}))
}

func TestConditions(t *testing.T) {
	w := newWorld(t, replica.Config{}, 1, 2, 3) // 1 is the owner
	require.NoError(t, w.s.Admit(3, object, fieldRank, true))
	setAll(t, w.e.State(), 5)
	for _, p := range []replica.PeerID{1, 2, 3} {
		require.True(t, w.sync(p).Full)
	}
	sees := func(p replica.PeerID) (fields []int) {
		for i := range unitClass.Len() {
			if i != fieldBag && i != fieldNotes && w.r[p].State(object).Has(i) {
				fields = append(fields, i)
			}
		}
		return fields
	}
	owner := []int{fieldHealth, fieldAmmo, fieldBirth, fieldSteering}
	observer := []int{fieldHealth, fieldShadow, fieldBirth, fieldAnim}
	admitted := []int{fieldHealth, fieldShadow, fieldBirth, fieldAnim, fieldRank}
	require.Equal(t, owner, sees(1))
	require.Equal(t, observer, sees(2))
	require.Equal(t, admitted, sees(3))
	require.Len(t, w.r[1].State(object).Items(fieldNotes), 1)
	require.Empty(t, w.r[2].State(object).Items(fieldNotes))

	// An initial field is not in a difference.
	setAll(t, w.e.State(), 6)
	for _, p := range []replica.PeerID{1, 2, 3} {
		u := w.sync(p)
		require.False(t, u.Full)
		require.Equal(t, int64(6), u.State.Int(fieldHealth))
		require.Equal(t, int64(5), u.State.Int(fieldBirth))
	}
	require.Equal(t, int64(6), w.r[3].State(object).Int(fieldRank))
	require.Empty(t, w.send(2), "there is nothing to send, although a hidden field differs")

	// A new owner sees other fields, and what the old one saw is gone.
	require.NoError(t, w.s.SetOwner(object, 2))
	require.True(t, w.sync(1).Full)
	require.True(t, w.sync(2).Full)
	require.Empty(t, w.send(3))
	require.Equal(t, observer, sees(1))
	require.Equal(t, owner, sees(2))
	require.Empty(t, w.r[1].State(object).Items(fieldNotes))
	require.Equal(t, int64(6), w.r[1].State(object).Int(fieldBirth), "a full bunch is a new start")

	require.NoError(t, w.s.Admit(3, object, fieldRank, true), "as it is already")
	require.Empty(t, w.send(3))
	require.NoError(t, w.s.Admit(3, object, fieldRank, false))
	require.True(t, w.sync(3).Full)
	require.Equal(t, observer, sees(3))
	require.ErrorIs(t, w.s.Admit(3, object, fieldHealth, true), netpeer.ErrField)
	require.ErrorIs(t, w.s.Admit(3, 99, fieldRank, true), replica.ErrUnknownObject)
	require.ErrorIs(t, w.s.Admit(99, object, fieldRank, true), replica.ErrUnknownPeer)
}

// The narrowest role sees what an authority rebroadcasts.
func TestPeerRole(t *testing.T) {
	w := newWorld(t, replica.Config{}, 1)
	setAll(t, w.e.State(), 5)
	require.Equal(t, replica.Peer, w.s.RoleOf(1, object))
	body, h, err := w.s.AppendBunch(nil, 1, object, replica.Peer)
	require.NoError(t, err)
	require.True(t, h.Full)
	u := w.deliver(1, body)
	w.acks(1)
	var got []int
	for i := range u.Changed.All() {
		got = append(got, i)
	}
	require.Equal(t, []int{fieldHealth, fieldBag, fieldShadow, fieldAnim}, got)
	require.Empty(t, u.State.Items(fieldNotes))
	body, h, err = w.s.AppendBunch(body[:0], 1, object, replica.Peer)
	require.NoError(t, err)
	require.Empty(t, body)
	require.Zero(t, h)
	_, h, err = w.s.AppendBunch(nil, 1, object, replica.Owner)
	require.NoError(t, err)
	require.True(t, h.Full, "another role")
	require.Equal(t, replica.Owner, w.s.RoleOf(1, object))
}

// However many receivers share a payload, the bytes are those that each would get by itself.
func TestSharedPayloadsAreTheSameBytes(t *testing.T) {
	shared, alone := newWorld(t, replica.Config{}), newWorld(t, replica.Config{Unshared: true})
	rng := rand.New(rand.NewPCG(1, 2))
	peers := make([]replica.PeerID, 30)
	for i := range peers {
		peers[i] = replica.PeerID(i + 1)
		for _, w := range []*world{shared, alone} {
			w.s.Join(peers[i], 0)
			w.r[peers[i]] = replica.NewReceiver(0, unitClass)
		}
	}
	bunches := 0
	for range 120 {
		if v := rng.Int64N(100); rng.IntN(2) == 0 {
			setAll(t, shared.e.State(), v)
			setAll(t, alone.e.State(), v)
		}
		for _, p := range peers {
			a, b := shared.send(p), alone.send(p)
			require.Equal(t, b, a)
			bunches += len(a)
			if rng.IntN(3) == 0 { // else the bunch is lost
				for _, w := range []*world{shared, alone} {
					w.deliver(p, a...)
				}
			}
			if rng.IntN(3) == 0 {
				require.Equal(t, alone.acks(p), shared.acks(p))
			}
		}
	}
	require.Greater(t, bunches, 1000)
}

// After 64 unacknowledged states comes a full one, and the baseline stays what it was.
func TestOverflow(t *testing.T) {
	w := newWorld(t, replica.Config{AckTimeout: 1 << 40}, 2)
	w.sync(2)
	base, _ := w.s.Baseline(2, object)
	for i := range 200 {
		require.NoError(t, w.e.State().SetInt(fieldHealth, 1+int64(i%2)))
		h := header(t, w.send(2)[0])
		require.Equal(t, i == 64 || i == 64+64 || i == 64+2*64, h.Full, i)
		if !h.Full {
			require.Equal(t, base, h.Base)
		}
	}
}

func TestAckTimeout(t *testing.T) {
	w := newWorld(t, replica.Config{AckTimeout: 10}, 2)
	w.sync(2)
	var fulls []int
	for i := range 35 {
		require.NoError(t, w.e.State().SetInt(fieldHealth, 1+int64(i%2)))
		if header(t, w.send(2)[0]).Full {
			fulls = append(fulls, i)
		}
	}
	require.Equal(t, []int{10, 20, 30}, fulls)
}

func TestResend(t *testing.T) {
	w := newWorld(t, replica.Config{Resend: 2, AckTimeout: 16}, 2)
	var sent []int
	for i := range 80 {
		if i == 20 {
			require.NoError(t, w.e.State().SetInt(fieldHealth, 1))
		}
		if len(w.send(2)) > 0 {
			sent = append(sent, i)
		}
	}
	require.Equal(t, []int{0, 2, 6, 14, 20, 22, 26, 34, 50, 66}, sent, "at ever longer intervals, and at once if there is something new")
}

// A collection that is too large for differences is sent in full, and one that shrank by more than a bunch holds too.
func TestLargeCollections(t *testing.T) {
	w := newWorld(t, replica.Config{MaxItems: 4}, 2)
	for i := range uint32(5) {
		require.NoError(t, w.e.State().PutItem(fieldBag, intItem(t, i, 0, 1, 1)))
	}
	w.sync(2)
	require.NoError(t, w.e.State().SetInt(fieldHealth, 1))
	require.True(t, w.sync(2).Full)
	require.NoError(t, w.e.State().RemoveItem(fieldBag, netpeer.ElementID{}))
	require.False(t, w.sync(2).Full)
	require.Len(t, w.r[2].State(object).Items(fieldBag), 4)

	// 65,536 elements are replaced by others: more operations than there is room for.
	layout := schema.Layout{Class: 1, Version: 1, Properties: []schema.Property{
		{Name: "all", Type: schema.Collection, Bounds: schema.MaxCardinality(netpeer.MaxItems)},
	}}
	class := replica.MustClass(layout, netpeer.Collection(netpeer.Bool(), netpeer.MaxItems))
	s := replica.NewSender(replica.Config{})
	e, err := s.Spawn(1, class, 0, replica.Nobody)
	require.NoError(t, err)
	s.Join(2, 0)
	r := replica.NewReceiver(0, class)
	yes, err := class.Schema().Field(0).Item().Bool(true)
	require.NoError(t, err)
	for i := range uint32(netpeer.MaxItems) {
		require.NoError(t, e.State().PutItem(0, netpeer.Element{ID: netpeer.ElementID{Index: i}, Value: yes}))
	}
	trip := func() (u replica.Update) {
		require.NoError(t, s.Send(2, func(_ uint32, body []byte) (err error) {
			u, err = r.Apply(body)
			return err
		}))
		ack, err := r.AppendAcks(nil)
		require.NoError(t, err)
		_, err = s.Ack(2, ack)
		require.NoError(t, err)
		return u
	}
	require.True(t, trip().Full)
	for i := netpeer.MaxItems; i > 0; i-- {
		require.NoError(t, e.State().RemoveItem(0, netpeer.ElementID{Index: uint32(i - 1)}))
	}
	require.NoError(t, e.State().PutItem(0, netpeer.Element{ID: netpeer.ElementID{Generation: 1}, Value: yes}))
	u := trip()
	require.True(t, u.Full)
	require.Len(t, u.State.Items(0), 1)
}

// An object that leaves and comes back is sent in full, even if nothing has changed.
func TestRelevance(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	w.sync(2)
	require.Equal(t, []uint32{object}, w.s.Relevant(2))
	require.NoError(t, w.s.Look(2, [3]float32{110, 0, 0}))
	require.Equal(t, []uint32{object}, w.s.Relevant(2), "between the two radii")
	require.Empty(t, w.send(2))
	require.NoError(t, w.s.Look(2, [3]float32{200, 0, 0}))
	require.Empty(t, w.s.Relevant(2))
	require.NoError(t, w.s.Move(object, [3]float32{150, 0, 0}))
	require.True(t, w.sync(2).Full)

	// Another group sees nothing, wherever it looks.
	w.s.Join(3, 1)
	require.NoError(t, w.s.Look(3, [3]float32{150, 0, 0}))
	require.Empty(t, w.s.Relevant(3))
	require.Empty(t, w.send(3))

	require.True(t, w.s.Despawn(object))
	require.False(t, w.s.Despawn(object))
	require.Empty(t, w.send(2))
	require.Empty(t, w.s.Relevant(2))
	_, err := w.s.Spawn(object, unitClass, 0, replica.Nobody)
	require.NoError(t, err)
	_, err = w.s.Spawn(object, unitClass, 0, replica.Nobody)
	require.ErrorIs(t, err, replica.ErrObjectExists)
	require.NoError(t, w.s.Look(2, [3]float32{}))
	require.True(t, header(t, w.send(2)[0]).Full)

	// Despawned and spawned again between two ticks.
	w.acks(2)
	require.True(t, w.s.Despawn(object))
	e, err := w.s.Spawn(object, unitClass, 0, replica.Nobody)
	require.NoError(t, err)
	require.Equal(t, e, w.s.Entity(object))
	require.True(t, header(t, w.send(2)[0]).Full)

	require.True(t, w.s.Leave(2))
	require.False(t, w.s.Leave(2))
	require.Nil(t, w.s.Relevant(2))
	for _, err := range []error{
		w.s.Look(2, [3]float32{}), w.s.ForceFull(2, object), w.s.Send(2, nil),
		func() error { _, err := w.s.Ack(2, nil); return err }(),
		func() error { _, _, err := w.s.AppendBunch(nil, 2, object, replica.Peer); return err }(),
	} {
		require.ErrorIs(t, err, replica.ErrUnknownPeer)
	}
	require.ErrorIs(t, w.s.Move(99, [3]float32{}), replica.ErrUnknownObject)
	require.ErrorIs(t, w.s.SetOwner(99, 1), replica.ErrUnknownObject)
	w.s.Join(2, 0)
	_, _, err = w.s.AppendBunch(nil, 2, 99, replica.Peer)
	require.ErrorIs(t, err, replica.ErrUnknownObject)
}

// Acknowledgements are a peer's words, and it may say anything.
func TestForgedAcks(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	require.NoError(t, w.e.State().SetInt(fieldHealth, 1))
	first := header(t, w.send(2)[0])
	for _, entries := range [][]netpeer.AckEntry{
		{{Object: object, Result: first.Result + 1}},
		{{Object: object, Result: 0, History: 1}},
		{{Object: object, Result: 0}},
		{{Object: object + 1, Result: first.Result}},
		{{Object: object, Result: 1<<64 - 1, History: 1<<32 - 1}},
	} {
		body, err := netpeer.AppendAcks(nil, entries)
		require.NoError(t, err)
		moved, err := w.s.Ack(2, body)
		require.NoError(t, err)
		require.Zero(t, moved, entries)
	}
	_, err := w.s.Ack(2, []byte{0xff})
	require.Error(t, err)
	acked, pending := w.s.Baseline(2, object)
	require.Zero(t, acked)
	require.Equal(t, 1, pending)
}

// Tokens end, and then nothing is sent rather than one twice.
func TestTokensEnd(t *testing.T) {
	w := newWorld(t, replica.Config{LastToken: 1<<64 - 2}, 2, 3)
	require.Equal(t, uint64(1<<64-1), header(t, w.send(2)[0]).Result)
	require.ErrorIs(t, w.s.Send(3, nil), baseline.ErrExhausted)
	_, err := w.s.NextToken()
	require.ErrorIs(t, err, baseline.ErrExhausted)
}

// What emit returns ends the sending. What it did not take is sent again.
func TestEmitFails(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	full := errors.New("queue is full")
	require.ErrorIs(t, w.s.Send(2, func(uint32, []byte) error { return full }), full)
	require.Len(t, w.send(2), 1)
}

// The order in which objects are sent is that of their ids.
func TestOrder(t *testing.T) {
	s := replica.NewSender(replica.Config{})
	for _, id := range []uint32{9, 3, 7, 1 << 31, 0} {
		_, err := s.Spawn(id, unitClass, 0, replica.Nobody)
		require.NoError(t, err)
	}
	s.Join(1, 0)
	var got []uint32
	require.NoError(t, s.Send(1, func(id uint32, _ []byte) error { got = append(got, id); return nil }))
	require.Len(t, got, 5)
	require.True(t, slices.IsSorted(got))
}

// Who is admitted to a field remains so while the object is out of sight.
func TestAdmissionSurvivesRelevance(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2, 3)
	require.NoError(t, w.s.Admit(3, object, fieldRank, true))
	setAll(t, w.e.State(), 5)
	for _, p := range []replica.PeerID{2, 3} {
		w.sync(p)
		require.NoError(t, w.s.Look(p, [3]float32{9000, 0, 0}))
		require.Empty(t, w.send(p))
		acked, pending := w.s.Baseline(p, object)
		require.Zero(t, acked)
		require.Zero(t, pending)
		require.NoError(t, w.s.Look(p, [3]float32{}))
		u := w.sync(p)
		require.True(t, u.Full)
		require.Equal(t, p == 3, u.State.Has(fieldRank))
	}
	// Neither a new object nor a new connection inherits it.
	w.s.Despawn(object)
	var err error
	w.e, err = w.s.Spawn(object, unitClass, 0, 1)
	require.NoError(t, err)
	setAll(t, w.e.State(), 6)
	require.False(t, w.sync(3).State.Has(fieldRank))
	require.NoError(t, w.s.Admit(3, object, fieldRank, true))
	require.True(t, w.sync(3).State.Has(fieldRank))
	w.s.Join(3, 0)
	require.False(t, w.sync(3).State.Has(fieldRank))
}

// A group without objects takes no memory, whoever looks around in it.
func TestEmptyGroupsAreForgotten(t *testing.T) {
	w := newWorld(t, replica.Config{})
	for group := range uint64(100) {
		w.s.Join(2, 1000+group)
		require.Empty(t, w.send(2))
		_, err := w.s.Spawn(8, unitClass, 1000+group, 1)
		require.NoError(t, err)
		require.Len(t, w.send(2), 1)
		require.True(t, w.s.Despawn(8))
		require.Empty(t, w.send(2))
		require.Empty(t, w.s.Relevant(2))
		require.Equal(t, 1, w.s.Groups(), "that of the first object")
	}
}
