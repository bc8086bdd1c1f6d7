package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// The fields of the class that the tests use: one of each kind, and one for each condition.
const (
	fieldAlive = iota
	fieldHealth
	fieldSpeed
	fieldPosition
	fieldLook
	fieldName
	fieldBag
	fieldAmmo     // owner only
	fieldShadow   // skip owner
	fieldBirth    // initial only
	fieldAnim     // simulated only
	fieldSteering // autonomous only
	fieldRank     // custom
	fieldSecret   // never
	fieldNotes    // owner only, a collection
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
	small := schema.IntRange(0, 255)
	return schema.Layout{Class: 42, Version: 3, Properties: []schema.Property{
		{Name: "alive", Type: schema.Bool, Authority: schema.ClientOwned},
		{Name: "health", Type: schema.Int, Bounds: schema.IntRange(0, 100), Authority: schema.ClientOwned},
		{Name: "speed", Type: schema.Scalar, Bounds: schema.ScalarRange(0, 10, 8)},
		{Name: "position", Type: schema.Vector3},
		{Name: "look", Type: schema.Quat},
		{Name: "name", Type: schema.Bytes, Bounds: schema.MaxLen(16), Authority: schema.ClientOwned},
		{Name: "bag", Type: schema.Collection, Bounds: schema.MaxCardinality(64), Authority: schema.ClientOwned},
		{Name: "ammo", Type: schema.Int, Bounds: small, Condition: schema.OwnerOnly},
		{Name: "shadow", Type: schema.Int, Bounds: small, Condition: schema.SkipOwner},
		{Name: "birth", Type: schema.Int, Bounds: small, Condition: schema.InitialOnly},
		{Name: "anim", Type: schema.Int, Bounds: small, Condition: schema.SimulatedOnly},
		{Name: "steering", Type: schema.Int, Bounds: small, Condition: schema.AutonomousOnly},
		{Name: "rank", Type: schema.Int, Bounds: small, Condition: schema.Custom},
		{Name: "secret", Type: schema.Int, Bounds: small, Condition: schema.Never},
		{Name: "notes", Type: schema.Collection, Bounds: schema.MaxCardinality(8), Condition: schema.OwnerOnly},
	}}
}

func unitCodecs() []netpeer.Field {
	small := netpeer.Int(0, 255)
	return []netpeer.Field{
		netpeer.Bool(), netpeer.Int(0, 100), scalar(0, 10, 8), box(1000, 8), netpeer.Quat(quant.Quat10),
		netpeer.Bytes(16), netpeer.Collection(netpeer.Int(0, 1000), 64),
		small, small, small, small, small, small, small, netpeer.Collection(netpeer.Bytes(8), 8),
	}
}

var unitClass = replica.MustClass(unitLayout(), unitCodecs()...)

// world is a sender with one object and receivers with nothing lost between them.
type world struct {
	t *testing.T
	s *replica.Sender
	e *replica.Entity
	r map[replica.PeerID]*replica.Receiver
}

const object = 7

func newWorld(t *testing.T, c replica.Config, peers ...replica.PeerID) *world {
	w := &world{t: t, s: replica.NewSender(c), r: make(map[replica.PeerID]*replica.Receiver)}
	var err error
	w.e, err = w.s.Spawn(object, unitClass, 0, 1)
	require.NoError(t, err)
	for _, p := range peers {
		w.s.Join(p, 0)
		w.r[p] = replica.NewReceiver(0, unitClass)
	}
	return w
}

// send makes the bunches of a tick for a peer and returns them.
func (w *world) send(to replica.PeerID) (bodies [][]byte) {
	w.s.Advance()
	require.NoError(w.t, w.s.Send(to, func(_ uint32, body []byte) error {
		bodies = append(bodies, append([]byte(nil), body...))
		return nil
	}))
	return bodies
}

// deliver gives bodies to a peer's receiver.
func (w *world) deliver(to replica.PeerID, bodies ...[]byte) (last replica.Update) {
	for _, b := range bodies {
		u, err := w.r[to].Apply(b)
		require.NoError(w.t, err)
		last = u
	}
	return last
}

// acks takes what a peer's receiver has to acknowledge to the sender, and returns how many baselines moved.
func (w *world) acks(from replica.PeerID) int {
	body, err := w.r[from].AppendAcks(nil)
	require.NoError(w.t, err)
	if len(body) == 0 {
		return 0
	}
	moved, err := w.s.Ack(from, body)
	require.NoError(w.t, err)
	return moved
}

// sync does all of this.
func (w *world) sync(to replica.PeerID) replica.Update {
	u := w.deliver(to, w.send(to)...)
	w.acks(to)
	return u
}

func header(t *testing.T, body []byte) netpeer.Header {
	h, err := netpeer.PeekHeader(body)
	require.NoError(t, err)
	return h
}

func intItem(t *testing.T, index, generation uint32, key uint64, v int64) netpeer.Element {
	value, err := unitClass.Schema().Field(fieldBag).Item().Int(v)
	require.NoError(t, err)
	return netpeer.Element{ID: netpeer.ElementID{Index: index, Generation: generation}, Key: key, Value: value}
}
