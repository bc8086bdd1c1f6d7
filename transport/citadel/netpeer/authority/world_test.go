package authority_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The fields of the class that the tests use. The first ones are the owner's to write.
const (
	fieldAlive = iota
	fieldHealth
	fieldEmote
	fieldName
	fieldAim // skip owner
	fieldBag
	fieldScore // from here on the server's
	fieldAmmo  // owner only
	fieldBirth // initial only
	fieldAnim  // simulated only
	fieldNotes // owner only, a collection
)

func scalar(least, greatest float32, perUnit uint32) netpeer.Field {
	q, err := quant.NewScalar(least, greatest, perUnit)
	if err != nil {
		panic(err)
	}
	return netpeer.Scalar(q)
}

func box(half float32, perUnit uint32) netpeer.Field {
	q, err := quant.NewVector([3]float32{-half, -half, -half}, [3]float32{half, half, half}, perUnit)
	if err != nil {
		panic(err)
	}
	return netpeer.Vector(q)
}

func unitLayout() schema.Layout {
	const client = schema.ClientOwned
	small := schema.IntRange(0, 255)
	return schema.Layout{Class: 42, Version: 3, Properties: []schema.Property{
		{Name: "alive", Type: schema.Bool, Authority: client},
		{Name: "health", Type: schema.Int, Bounds: schema.IntRange(0, 100), Authority: client},
		{Name: "emote", Type: schema.Scalar, Bounds: schema.ScalarRange(0, 1, 64), Authority: client},
		{Name: "name", Type: schema.Bytes, Bounds: schema.MaxLen(8), Authority: client},
		{Name: "aim", Type: schema.Vector3, Condition: schema.SkipOwner, Authority: client},
		{Name: "bag", Type: schema.Collection, Bounds: schema.MaxCardinality(6), Authority: client},
		{Name: "score", Type: schema.Int, Bounds: small},
		{Name: "ammo", Type: schema.Int, Bounds: small, Condition: schema.OwnerOnly},
		{Name: "birth", Type: schema.Int, Bounds: small, Condition: schema.InitialOnly},
		{Name: "anim", Type: schema.Int, Bounds: small, Condition: schema.SimulatedOnly},
		{Name: "notes", Type: schema.Collection, Bounds: schema.MaxCardinality(4), Condition: schema.OwnerOnly},
	}}
}

// unitCodecs are wider than the bounds, so that a client can write what it must not.
func unitCodecs() []netpeer.Field {
	small := netpeer.Int(0, 255)
	return []netpeer.Field{
		netpeer.Bool(), netpeer.Int(-20, 200), scalar(-2, 3, 256), netpeer.Bytes(64), box(100, 8),
		netpeer.Collection(netpeer.Int(0, 1000), 6), small, small, small, small,
		netpeer.Collection(netpeer.Bytes(8), 4),
	}
}

var (
	unitClass  = replica.MustClass(unitLayout(), unitCodecs()...)
	crateClass = replica.MustClass(schema.Layout{Class: 43, Version: 1, Properties: []schema.Property{
		{Name: "hits", Type: schema.Int, Bounds: schema.IntRange(0, 9), Authority: schema.ClientOwned},
		{Name: "position", Type: schema.Vector3},
	}}, netpeer.Int(0, 9), box(1000, 8))

	// oldUnitClass is the class before the last fields were appended.
	oldUnitClass = func() *replica.Class {
		l := unitLayout()
		l.Version, l.Properties = 2, l.Properties[:fieldScore]
		return replica.MustClass(l, unitCodecs()[:fieldScore]...)
	}()
)

// The objects and identities of the tests: alice and bob are in match 1, carol in match 2. Object 1 is alice's, 2 is
// bob's, 3 is carol's, 4 is the server's and 5 is alice's and persistent.
const (
	alice replica.PeerID = iota + 1
	bob
	carol
)

func newServer(t *testing.T, c authority.Config) *authority.Server {
	s := authority.NewServer(c)
	require.NoError(t, s.Register(unitClass))
	require.NoError(t, s.Register(crateClass))
	s.Join(alice, 1, false)
	s.Join(bob, 1, false)
	s.Join(carol, 2, false)
	for _, o := range []authority.Spec{
		{Object: 1, Class: 42, Match: 1, Owner: alice},
		{Object: 2, Class: 42, Match: 1, Owner: bob},
		{Object: 3, Class: 42, Match: 2, Owner: carol},
		{Object: 4, Class: 42, Match: 1},
		{Object: 5, Class: 42, Match: 1, Owner: alice, Persistent: true},
	} {
		e, err := s.Spawn(o)
		require.NoError(t, err)
		require.NoError(t, e.State().SetInt(fieldHealth, 50))
		require.NoError(t, e.State().SetInt(fieldScore, 7))
	}
	return s
}

// sent is what a server emitted.
type sent struct {
	to   replica.PeerID
	kind wire.Kind
	body []byte
}

func collect(out *[]sent) authority.Emit {
	return func(to replica.PeerID, kind wire.Kind, body []byte) {
		*out = append(*out, sent{to, kind, append([]byte(nil), body...)})
	}
}

// forge makes a bunch of a class with an encoder.
func forge(t testing.TB, c *replica.Class, h netpeer.Header, fields func(e *netpeer.Encoder)) []byte {
	var e netpeer.Encoder
	e.Begin(nil, c.Schema(), h)
	if fields != nil {
		fields(&e)
	}
	body, err := e.End()
	require.NoError(t, err)
	return body
}

func full(object uint32, result uint64) netpeer.Header {
	return netpeer.Header{Object: object, Full: true, Result: result}
}

func health(v int64) func(*netpeer.Encoder) {
	return func(e *netpeer.Encoder) { e.Int(fieldHealth, v) }
}

func item(t testing.TB, index, generation uint32, key uint64, v int64) netpeer.Element {
	value, err := unitClass.Schema().Field(fieldBag).Item().Int(v)
	require.NoError(t, err)
	return netpeer.Element{ID: netpeer.ElementID{Index: index, Generation: generation}, Key: key, Value: value}
}
