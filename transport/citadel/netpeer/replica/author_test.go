package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// After one field that is refused nothing is emitted, whatever is added before and after, and no token is used.
func TestDraftIsATransaction(t *testing.T) {
	good := func(e *netpeer.Encoder) {
		e.Bool(fieldAlive, true)
		e.Int(fieldHealth, 3)
		e.Scalar(fieldSpeed, 1.5)
		e.Vector(fieldPosition, [3]float32{1, 2, 3})
		e.Quat(fieldLook, [4]float32{0, 0, 0, 1})
		e.Bytes(fieldName, []byte("anna"))
		e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 1, 0, 1, 1)}})
	}
	a := replica.NewAuthor(unitClass, object, 100)
	prefix := []byte{1, 2, 3}
	for name, c := range map[string]struct {
		add func(e *netpeer.Encoder)
		err error
	}{
		"not a number":   {func(e *netpeer.Encoder) { e.Scalar(fieldSpeed, float32(nan())) }, quant.ErrNotANumber},
		"not a point":    {func(e *netpeer.Encoder) { e.Vector(fieldPosition, [3]float32{0, 0, float32(nan())}) }, quant.ErrNotANumber},
		"too long":       {func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 17)) }, netpeer.ErrBytesTooLong},
		"another kind":   {func(e *netpeer.Encoder) { e.Int(fieldAlive, 1) }, netpeer.ErrKind},
		"no such field":  {func(e *netpeer.Encoder) { e.Bool(99, true) }, netpeer.ErrField},
		"wrong order":    {func(e *netpeer.Encoder) { e.Int(fieldHealth, 1); e.Bool(fieldAlive, true) }, netpeer.ErrFieldOrder},
		"an id twice":    {func(e *netpeer.Encoder) { e.Collection(fieldBag, twice(t)) }, netpeer.ErrDuplicateID},
		"twice the same": {func(e *netpeer.Encoder) { e.Int(fieldHealth, 1); e.Int(fieldHealth, 1) }, netpeer.ErrFieldOrder},
	} {
		t.Run(name, func(t *testing.T) {
			e := a.Begin(prefix)
			c.add(e)
			good(e)
			body, err := a.End()
			require.ErrorIs(t, err, c.err)
			require.Equal(t, prefix, body)
			require.Equal(t, uint64(100), a.Last())
		})
	}
	good(a.Begin(prefix))
	body, err := a.End()
	require.NoError(t, err)
	h := header(t, body[3:])
	require.True(t, h.Full)
	require.Equal(t, uint64(101), h.Result)
	health(4)(a.Begin(nil))
	body, err = a.End()
	require.NoError(t, err)
	require.Equal(t, netpeer.Header{Object: object, Result: 102, Base: 101}, header(t, body))
	a.Reset(nil)
	a.Begin(nil)
	body, err = a.End()
	require.NoError(t, err)
	require.True(t, header(t, body).Full)

	a = replica.NewAuthor(unitClass, object, 1<<64-1)
	a.Begin(nil)
	_, err = a.End()
	require.ErrorIs(t, err, netpeer.ErrZeroToken, "there is no token left")
}

func twice(t *testing.T) *netpeer.CollectionDelta {
	return &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 1, 0, 1, 1), intItem(t, 1, 0, 1, 1)}}
}

// Objects are proposed with the fields that are the owner's, and then with what has changed of these.
func TestPropose(t *testing.T) {
	a := replica.NewAuthor(unitClass, object, 0)
	u := newUnit()
	u.health, u.name = 50, "anna"
	id := u.bag.Add(5)
	fields := func(body []byte) (h netpeer.Header, fields []int) {
		h, fields, err := netpeer.PeekFields(nil, body, unitClass.Schema())
		require.NoError(t, err)
		return h, fields
	}
	body, err := a.Propose(nil, u)
	require.NoError(t, err)
	h, got := fields(body)
	require.True(t, h.Full)
	require.Equal(t, []int{fieldAlive, fieldHealth, fieldName, fieldBag}, got)

	body, err = a.Propose(nil, u)
	require.NoError(t, err)
	require.Empty(t, body)
	u.setHealth(50)
	u.setSpeed(5) // the server's
	body, err = a.Propose(nil, u)
	require.NoError(t, err)
	require.Empty(t, body)

	u.setHealth(51)
	u.bag.Set(id, 6)
	body, err = a.Propose(nil, u)
	require.NoError(t, err)
	h, got = fields(body)
	require.False(t, h.Full)
	require.Equal(t, []int{fieldHealth, fieldBag}, got)
	var b netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(body, unitClass.Schema(), nil, &b))
	d, err := b.Changes[1].Value.Collection()
	require.NoError(t, err)
	require.Len(t, d.Changed, 1)
	require.Equal(t, uint64(2), d.Changed[0].Key)

	u.setName("much too long a name")
	u.setHealth(52)
	_, err = a.Propose(nil, u)
	require.ErrorIs(t, err, netpeer.ErrBytesTooLong)
	u.setName("bert")
	body, err = a.Propose(nil, u)
	require.NoError(t, err)
	_, got = fields(body)
	require.Equal(t, []int{fieldHealth, fieldName}, got)
	_, err = a.Propose(nil, other{})
	require.ErrorIs(t, err, replica.ErrClass)
}

// An author that is told what the server has proposes the difference to that, in a full bunch: elements that are there
// are changed and removed, not added.
func TestResetToWhatIsKnown(t *testing.T) {
	known := replica.NewState(unitClass)
	require.NoError(t, known.SetInt(fieldHealth, 50))
	require.NoError(t, known.SetBytes(fieldName, []byte("anna")))
	require.NoError(t, known.SetScalar(fieldSpeed, 3))
	for i := range uint32(3) {
		require.NoError(t, known.PutItem(fieldBag, intItem(t, i, 7, 4, int64(i))))
	}
	u := newUnit()
	u.ReadReplica(known, replicaFields(fieldHealth, fieldBag)) // but its name is its own
	u.setName("bert")
	a := replica.NewAuthor(unitClass, object, 9)
	propose := func() (b netpeer.Bunch) {
		body, err := a.Propose(nil, u)
		require.NoError(t, err)
		require.NoError(t, netpeer.ParseBunch(body, unitClass.Schema(), nil, &b))
		return b
	}
	fields := func(b netpeer.Bunch) (list []int) {
		for _, c := range b.Changes {
			list = append(list, c.Field)
		}
		return list
	}
	a.Reset(known)
	b := propose()
	require.True(t, b.Full)
	require.Equal(t, []int{fieldAlive, fieldName}, fields(b))

	a.Reset(known)
	u.bag.Set(netpeer.ElementID{Index: 1, Generation: 7}, 100)
	u.bag.Remove(netpeer.ElementID{Index: 2, Generation: 7})
	added := u.bag.Add(200)
	b = propose()
	require.True(t, b.Full)
	require.Equal(t, []int{fieldAlive, fieldName, fieldBag}, fields(b))
	d, err := b.Changes[2].Value.Collection()
	require.NoError(t, err)
	require.Equal(t, []netpeer.ElementID{{Index: 2, Generation: 7}}, d.Removed)
	require.Equal(t, []netpeer.Element{intItem(t, 1, 7, 5, 100)}, d.Changed)
	require.Len(t, d.Added, 1)
	require.Equal(t, added, d.Added[0].ID)
	require.Equal(t, 3, len(known.Items(fieldBag)), "what is known is not the author's")

	u.setHealth(51)
	b = propose()
	require.False(t, b.Full)
	require.Equal(t, []int{fieldHealth}, fields(b))

	a.Reset(replica.NewState(other{}.ReplicaClass())) // of another class is as good as nothing
	require.Equal(t, []int{fieldAlive, fieldHealth, fieldName, fieldBag}, fields(propose()))
}

func replicaFields(list ...int) replica.Fields {
	f := replica.NewFields(unitClass.Len())
	for _, i := range list {
		f.Add(i)
	}
	return f
}
