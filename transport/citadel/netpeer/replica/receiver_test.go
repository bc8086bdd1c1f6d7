package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// forge makes a bunch of the test class with an encoder.
func forge(t *testing.T, h netpeer.Header, fields func(e *netpeer.Encoder)) []byte {
	var e netpeer.Encoder
	h.Object = object
	e.Begin(nil, unitClass.Schema(), h)
	if fields != nil {
		fields(&e)
	}
	body, err := e.End()
	require.NoError(t, err)
	return body
}

func health(v int64) func(*netpeer.Encoder) {
	return func(e *netpeer.Encoder) { e.Int(fieldHealth, v) }
}

// A bunch that is not applied changes nothing that can be seen, and is not acknowledged.
func TestReceiverRefuses(t *testing.T) {
	bag := func(d netpeer.CollectionDelta) func(*netpeer.Encoder) {
		return func(e *netpeer.Encoder) {
			e.Int(fieldHealth, 99)
			e.Collection(fieldBag, &d)
		}
	}
	many := make([]netpeer.Element, 64)
	for i := range many {
		many[i] = intItem(t, uint32(i+10), 0, 1, 1)
	}
	older := unitLayout()
	older.Version = 2
	olderClass := replica.MustClass(older, unitCodecs()...)
	var e netpeer.Encoder
	e.Begin(nil, olderClass.Schema(), netpeer.Header{Object: object, Full: true, Result: 99})
	otherSchema, err := e.End()
	require.NoError(t, err)

	at := netpeer.Header{Result: 12, Base: 10}
	for name, c := range map[string]struct {
		body []byte
		err  error
	}{
		"nothing":              {nil, bitpack.ErrOverrun},
		"header only":          {[]byte{0, 0, 0, object}, bitpack.ErrOverrun},
		"stale":                {forge(t, netpeer.Header{Result: 9, Base: 5}, health(1)), replica.ErrStale},
		"stale and full":       {forge(t, netpeer.Header{Full: true, Result: 9}, health(1)), replica.ErrStale},
		"again":                {forge(t, netpeer.Header{Full: true, Result: 10}, health(1)), replica.ErrStale},
		"missing base":         {forge(t, netpeer.Header{Result: 12, Base: 11}, health(1)), replica.ErrMissingBase},
		"base to come":         {forge(t, netpeer.Header{Result: 12, Base: 13}, health(1)), replica.ErrMissingBase},
		"base is itself":       {forge(t, netpeer.Header{Result: 12, Base: 12}, health(1)), replica.ErrMissingBase},
		"another version":      {otherSchema, replica.ErrUnknownClass},
		"cut":                  {forge(t, at, health(1))[:8], bitpack.ErrOverrun},
		"one byte more":        {append(forge(t, at, health(1)), 0), bitpack.ErrPadding},
		"removes what is not":  {forge(t, at, bag(netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 5}}})), replica.ErrInconsistent},
		"changes what is not":  {forge(t, at, bag(netpeer.CollectionDelta{Changed: []netpeer.Element{intItem(t, 5, 0, 1, 1)}})), replica.ErrInconsistent},
		"changes another life": {forge(t, at, bag(netpeer.CollectionDelta{Changed: []netpeer.Element{intItem(t, 1, 1, 1, 1)}})), replica.ErrInconsistent},
		"adds what is there":   {forge(t, at, bag(netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 1, 0, 1, 1)}})), replica.ErrInconsistent},
		"adds too many":        {forge(t, at, bag(netpeer.CollectionDelta{Added: many})), replica.ErrInconsistent},
		"full with removals": {forge(t, netpeer.Header{Full: true, Result: 12},
			bag(netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 1}}})), replica.ErrInconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			r := replica.NewReceiver(0, unitClass)
			u, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: 10}, func(e *netpeer.Encoder) {
				e.Int(fieldHealth, 50)
				e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 1, 0, 1, 7)}})
			}))
			require.NoError(t, err)
			_, err = r.AppendAcks(nil)
			require.NoError(t, err)
			version := u.State.Version()

			_, err = r.Apply(c.body)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, version, r.State(object).Version())
			require.Equal(t, int64(50), r.State(object).Int(fieldHealth))
			require.Len(t, r.State(object).Items(fieldBag), 1)
			require.Equal(t, 1, r.Len())
			ack, err := r.AppendAcks(nil)
			require.NoError(t, err)
			require.Empty(t, ack)
			s := r.Stats()
			require.Equal(t, uint64(1), s.Stale+s.MissingBase+s.Refused)

			_, err = r.Apply(forge(t, at, health(51)))
			require.NoError(t, err, "the base is as good as before")
		})
	}
}

// A difference to an object that is not there invents nothing.
func TestNoInventedBase(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	_, err := r.Apply(forge(t, netpeer.Header{Result: 2, Base: 1}, health(1)))
	require.ErrorIs(t, err, replica.ErrMissingBase)
	require.Nil(t, r.State(object))
	require.Zero(t, r.Len())
}

// Full bunches are states of their own: what is not in one is not there any more. Of an object that is the client's
// own they may be corrections.
func TestFullReplaces(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	full := func(result uint64, fields func(*netpeer.Encoder)) replica.Update {
		u, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: result}, fields))
		require.NoError(t, err)
		return u
	}
	full(1, func(e *netpeer.Encoder) {
		e.Bool(fieldAlive, true)
		e.Int(fieldHealth, 9)
	})
	r.Own(object, true)
	u := full(2, health(8))
	require.True(t, u.State.Bool(fieldAlive))
	require.Equal(t, 1, u.Changed.Len())
	u = full(3, func(e *netpeer.Encoder) {
		e.Bool(fieldAlive, true)
		e.Collection(fieldBag, nil)
	})
	require.False(t, u.State.Has(fieldHealth), "not a correction")
	full(4, health(8))
	r.Own(object, false)
	u = full(5, health(7))
	require.False(t, u.State.Has(fieldAlive))
	require.Equal(t, 2, u.Changed.Len())
	require.Equal(t, int64(7), u.State.Int(fieldHealth))
}

func TestTable(t *testing.T) {
	older := unitLayout()
	older.Version, older.Properties = 2, older.Properties[:5]
	olderClass := replica.MustClass(older, unitCodecs()[:5]...)
	table := func(entries ...netpeer.TableEntry) []byte {
		body, err := netpeer.AppendTable(nil, entries)
		require.NoError(t, err)
		return body
	}
	foreign := netpeer.TableEntry{Class: 1, Identity: schema.Identity{Version: 9}}

	r := replica.NewReceiver(0, unitClass)
	require.ErrorIs(t, r.Table(table(foreign, olderClass.TableEntry())), replica.ErrUnknownClass)
	_, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: 1}, nil))
	require.ErrorIs(t, err, replica.ErrUnknownClass, "we know it, but the peer does not say that it is this one")
	require.Error(t, r.Table([]byte{1}))
	require.NoError(t, r.Table(table(foreign, unitClass.TableEntry())))
	_, err = r.Apply(forge(t, netpeer.Header{Full: true, Result: 1}, nil))
	require.NoError(t, err)

	// One that knows two versions goes by the table, and an object may change from one to the other.
	r = replica.NewReceiver(0, unitClass, olderClass)
	require.NoError(t, r.Table(table(olderClass.TableEntry())))
	var e netpeer.Encoder
	e.Begin(nil, olderClass.Schema(), netpeer.Header{Object: object, Full: true, Result: 1})
	body, err := e.End()
	require.NoError(t, err)
	u, err := r.Apply(body)
	require.NoError(t, err)
	require.Equal(t, olderClass, u.Class())
	require.NoError(t, r.Table(table(unitClass.TableEntry())))
	u, err = r.Apply(forge(t, netpeer.Header{Full: true, Result: 2}, health(3)))
	require.NoError(t, err)
	require.True(t, u.New)
	require.Equal(t, unitClass, u.Class())
	_, err = r.Apply(forge(t, netpeer.Header{Result: 3, Base: 1}, health(3)))
	require.ErrorIs(t, err, replica.ErrMissingBase, "that was a state of the other version")
}

// A forgotten object is gone, late bunches of it stay out, and what is remembered of it makes room for others.
func TestForget(t *testing.T) {
	r := replica.NewReceiver(2, unitClass)
	full := func(id uint32, result uint64) error {
		var e netpeer.Encoder
		e.Begin(nil, unitClass.Schema(), netpeer.Header{Object: id, Full: true, Result: result})
		body, err := e.End()
		require.NoError(t, err)
		_, err = r.Apply(body)
		return err
	}
	require.NoError(t, full(1, 5))
	require.NoError(t, full(2, 6))
	require.ErrorIs(t, full(3, 7), replica.ErrTooManyObjects)
	r.Forget(1)
	r.Forget(1)
	r.Forget(77)
	require.Nil(t, r.State(1))
	require.ErrorIs(t, full(1, 4), replica.ErrStale)
	require.NoError(t, full(3, 8), "the first one makes room")
	require.ErrorIs(t, full(4, 8), replica.ErrTooManyObjects)
	r.Forget(3)
	ack, err := r.AppendAcks(nil)
	require.NoError(t, err)
	var entries []netpeer.AckEntry
	require.NoError(t, netpeer.ParseAcks(ack, &entries))
	require.Len(t, entries, 2)

	r.Forget(2)
	require.NoError(t, full(2, 9), "and it is back")
	for i := range uint32(100) {
		r.Forget(3 + i)
		require.NoError(t, full(4+i, 10+uint64(i)), i)
		_, err := r.AppendAcks(nil)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Len(), 2)
	}
	require.NotNil(t, r.State(2))
}

// Acknowledgements have a history, and as many entries as one body holds.
func TestAppendAcks(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	for _, result := range []uint64{3, 5, 6} {
		_, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: result}, nil))
		require.NoError(t, err)
	}
	ack, err := r.AppendAcks([]byte{1})
	require.NoError(t, err)
	var entries []netpeer.AckEntry
	require.NoError(t, netpeer.ParseAcks(ack[1:], &entries))
	require.Equal(t, []netpeer.AckEntry{{Object: object, Result: 6, History: 0b101}}, entries)

	var e netpeer.Encoder
	for id := range uint32(netpeer.MaxEntries + 5) {
		e.Begin(nil, unitClass.Schema(), netpeer.Header{Object: 100 + id, Full: true, Result: 1})
		body, err := e.End()
		require.NoError(t, err)
		_, err = r.Apply(body)
		require.NoError(t, err)
	}
	for _, want := range []int{netpeer.MaxEntries, 5, 0} {
		ack, err := r.AppendAcks(nil)
		require.NoError(t, err)
		if want == 0 {
			require.Empty(t, ack)
			break
		}
		require.NoError(t, netpeer.ParseAcks(ack, &entries))
		require.Len(t, entries, want)
	}
}

// The states that a receiver keeps are bounded, and the base of the last difference is always among them.
func TestStoredIsBounded(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	_, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: 1}, health(1)))
	require.NoError(t, err)
	for i := range uint64(500) {
		_, err := r.Apply(forge(t, netpeer.Header{Result: 2 + i, Base: 1}, health(int64(i%100))))
		require.NoError(t, err)
		require.LessOrEqual(t, r.Stored(object), 130)
	}
	_, err = r.Apply(forge(t, netpeer.Header{Result: 600, Base: 501}, health(1)))
	require.NoError(t, err)
	require.Equal(t, 2, r.Stored(object), "what is below the base is not needed")
	_, err = r.Apply(forge(t, netpeer.Header{Result: 601, Base: 1}, health(1)))
	require.ErrorIs(t, err, replica.ErrMissingBase)
}

func netpeerFull(result uint64) netpeer.Header { return netpeer.Header{Full: true, Result: result} }

func netpeerDelta(result, base uint64) netpeer.Header {
	return netpeer.Header{Result: result, Base: base}
}

// A bunch that is refused does not make a receiver forget the token of an object that was forgotten, in whose place
// it would have come.
func TestRefusedBunchDigsNoGrave(t *testing.T) {
	r := replica.NewReceiver(1, unitClass)
	_, err := r.Apply(forge(t, netpeer.Header{Full: true, Result: 10}, health(1)))
	require.NoError(t, err)
	r.Forget(object)
	for _, fields := range []func(e *netpeer.Encoder){
		func(e *netpeer.Encoder) {
			e.Collection(fieldBag, &netpeer.CollectionDelta{Removed: []netpeer.ElementID{{}}})
		},
		health(1),
	} {
		body := forge(t, netpeer.Header{Full: true, Result: 11}, fields)
		body[3]++ // of the next object
		_, bad := r.Apply(body)
		_, err = r.Apply(forge(t, netpeer.Header{Full: true, Result: 9}, health(2)))
		if bad != nil {
			require.ErrorIs(t, bad, replica.ErrInconsistent)
			require.ErrorIs(t, err, replica.ErrStale)
		} else {
			require.ErrorIs(t, err, replica.ErrTooManyObjects, "the next object is there")
		}
		require.Nil(t, r.State(object))
	}
	require.Equal(t, 1, r.Len())
}
