package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// unit is a struct of the game with the methods that generated code gives it.
type unit struct {
	alive    bool
	health   int16
	speed    float32
	position [3]float32
	name     string
	bag      replica.Items[int32]

	text  []byte // of the name, for writing
	dirty [1]uint64
}

func newUnit() *unit {
	u := new(unit)
	for _, i := range []int{fieldAlive, fieldHealth, fieldSpeed, fieldPosition, fieldName} {
		replica.Fields(u.dirty[:]).Add(i)
	}
	return u
}

func (u *unit) setHealth(v int16) { u.health = v; replica.Fields(u.dirty[:]).Add(fieldHealth) }
func (u *unit) setSpeed(v float32) {
	u.speed = v
	replica.Fields(u.dirty[:]).Add(fieldSpeed)
}
func (u *unit) setPosition(v [3]float32) {
	u.position = v
	replica.Fields(u.dirty[:]).Add(fieldPosition)
}
func (u *unit) setName(v string) { u.name = v; replica.Fields(u.dirty[:]).Add(fieldName) }

func (u *unit) ReplicaClass() *replica.Class { return unitClass }

func (u *unit) TakeDirty(fields replica.Fields) {
	if u.bag.Dirty() {
		fields.Add(fieldBag)
	}
	fields[0] |= u.dirty[0]
	u.dirty[0] = 0
}

func (u *unit) WriteReplica(s *replica.State, fields replica.Fields) error {
	if fields.Has(fieldAlive) {
		if err := s.SetBool(fieldAlive, u.alive); err != nil {
			return err
		}
	}
	if fields.Has(fieldHealth) {
		if err := s.SetInt(fieldHealth, int64(u.health)); err != nil {
			return err
		}
	}
	if fields.Has(fieldSpeed) {
		if err := s.SetScalar(fieldSpeed, u.speed); err != nil {
			return err
		}
	}
	if fields.Has(fieldPosition) {
		if err := s.SetVector(fieldPosition, u.position); err != nil {
			return err
		}
	}
	if fields.Has(fieldName) {
		u.text = append(u.text[:0], u.name...)
		if err := s.SetBytes(fieldName, u.text); err != nil {
			return err
		}
	}
	if fields.Has(fieldBag) {
		return u.bag.Write(s, fieldBag, encodeCount)
	}
	return nil
}

func encodeCount(f *netpeer.Field, v int32) (netpeer.Value, error) { return f.Int(int64(v)) }

func decodeCount(f *netpeer.Field, v *netpeer.Value) int32 {
	n, _ := v.Int(f)
	return int32(n)
}

func (u *unit) ReadReplica(s *replica.State, fields replica.Fields) {
	if fields.Has(fieldAlive) {
		u.alive = s.Bool(fieldAlive)
	}
	if fields.Has(fieldHealth) {
		u.health = int16(s.Int(fieldHealth))
	}
	if fields.Has(fieldSpeed) {
		u.speed = s.Scalar(fieldSpeed)
	}
	if fields.Has(fieldPosition) {
		u.position = s.Vector(fieldPosition)
	}
	if fields.Has(fieldName) {
		u.name = string(s.Bytes(fieldName))
	}
	if fields.Has(fieldBag) {
		u.bag.Read(s, fieldBag, decodeCount)
	}
}

var _ replica.Object = (*unit)(nil)

func TestObjects(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	u, got := newUnit(), new(unit)
	sync := func() replica.Update {
		require.NoError(t, w.e.Capture(u))
		update := w.sync(2)
		got.ReadReplica(update.State, update.Changed)
		return update
	}
	u.alive, u.health, u.name = true, 80, "anna"
	u.bag.Add(5)
	second := u.bag.Add(6)
	require.True(t, sync().New)
	require.Equal(t, "anna", got.name)
	require.Equal(t, int16(80), got.health)
	require.Equal(t, u.bag.Len(), got.bag.Len())

	require.True(t, u.bag.Remove(second))
	third := u.bag.Add(7)
	require.Equal(t, netpeer.ElementID{Index: second.Index, Generation: 1}, third)
	require.True(t, u.bag.Set(third, 8))
	require.False(t, u.bag.Set(second, 9), "the generation is another")
	u.setHealth(70)
	u.setPosition([3]float32{1.5, 2, 3})
	update := sync()
	require.Equal(t, 3, update.Changed.Len())
	v, ok := got.bag.At(third)
	require.True(t, ok)
	require.Equal(t, int32(8), v)
	_, ok = got.bag.At(second)
	require.False(t, ok)
	require.Equal(t, int16(70), got.health)
	require.Equal(t, [3]float32{1.5, 2, 3}, got.position)

	// What cannot be written is written later, together with what came after it.
	u.setSpeed(float32(nan()))
	u.setName("bert")
	require.ErrorIs(t, w.e.Capture(u), quant.ErrNotANumber)
	require.Empty(t, w.send(2))
	u.setSpeed(2)
	sync()
	require.Equal(t, float32(2), got.speed)
	require.Equal(t, "bert", got.name)

	require.ErrorIs(t, w.e.Capture(other{}), replica.ErrClass)
}

func nan() float64 { zero := 0.0; return zero / zero }

// other is an object of another class.
type other struct{ replica.Object }

func (other) ReplicaClass() *replica.Class {
	return replica.MustClass(unitLayout(), unitCodecs()...)
}

// Slots are used again with another generation, and never one that somebody else's element has.
func TestItemsSlots(t *testing.T) {
	var a replica.Items[int32]
	require.True(t, a.Dirty(), "the first state is complete")
	ids := make(map[netpeer.ElementID]bool)
	for range 50 {
		id := a.Add(1)
		require.False(t, ids[id])
		ids[id] = true
		other := a.Add(2)
		require.False(t, ids[other])
		ids[other] = true
		require.True(t, a.Remove(id))
		require.False(t, a.Remove(id))
	}
	require.Equal(t, 50, a.Len())

	s := replica.NewState(unitClass)
	require.NoError(t, s.PutItem(fieldBag, intItem(t, 0, 40, 1, 5)))
	require.NoError(t, s.PutItem(fieldBag, intItem(t, 1<<32-1, 1<<32-1, 1, 6)))
	a.Read(s, fieldBag, decodeCount)
	require.False(t, a.Dirty())
	require.Equal(t, 2, a.Len())
	for range 100 {
		id := a.Add(3)
		require.NotZero(t, id.Index, "that slot is taken")
		require.False(t, ids[id], "of an element that is gone: %v", id)
		ids[id] = true
	}
	var order []uint32
	for id := range a.All() {
		order = append(order, id.Index)
	}
	require.IsIncreasing(t, order)
}

func TestItemsWriteFails(t *testing.T) {
	var a replica.Items[int32]
	for range 65 {
		a.Add(1)
	}
	s := replica.NewState(unitClass)
	require.ErrorIs(t, a.Write(s, fieldBag, encodeCount), replica.ErrTooManyItems)
	require.True(t, a.Dirty())
	for id := range a.All() {
		a.Remove(id)
		break
	}
	require.NoError(t, a.Write(s, fieldBag, encodeCount))
	require.False(t, a.Dirty())
	require.Len(t, s.Items(fieldBag), 64)
	require.ErrorIs(t, a.Write(s, fieldHealth, encodeCount), netpeer.ErrKind)
	require.ErrorIs(t, a.Write(s, 99, encodeCount), netpeer.ErrField)
}
