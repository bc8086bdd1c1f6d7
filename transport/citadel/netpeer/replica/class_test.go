package replica_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

func TestNewClass(t *testing.T) {
	require.NoError(t, unitLayout().Validate(), "the class of the tests makes sense")
	list := netpeer.Collection(netpeer.Bool(), 8)
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		property schema.Property
		codec    netpeer.Field
		err      error
	}{
		"integer":             {schema.Property{Type: schema.Int, Bounds: schema.IntRange(1, 2)}, netpeer.Int(0, 7), nil},
		"integer, reversed":   {schema.Property{Type: schema.Int, Bounds: schema.IntRange(2, 1)}, netpeer.Int(0, 7), replica.ErrBounds},
		"scalar, reversed":    {schema.Property{Type: schema.Scalar, Bounds: schema.ScalarRange(2, 1, 8)}, scalar(0, 1, 8), replica.ErrBounds},
		"scalar, infinite":    {schema.Property{Type: schema.Scalar, Bounds: schema.ScalarRange(0, inf, 8)}, scalar(0, 1, 8), replica.ErrBounds},
		"scalar, no number":   {schema.Property{Type: schema.Scalar, Bounds: schema.ScalarRange(inf-inf, 1, 8)}, scalar(0, 1, 8), replica.ErrBounds},
		"collection":          {schema.Property{Type: schema.Collection, Bounds: schema.MaxCardinality(8)}, list, nil},
		"collection, another": {schema.Property{Type: schema.Collection, Bounds: schema.MaxCardinality(9)}, list, replica.ErrClass},
		"collection, endless": {schema.Property{Type: schema.Collection}, list, replica.ErrClass},
		"collection of none":  {schema.Property{Type: schema.Collection, Bounds: schema.MaxCardinality(8)}, netpeer.Bool(), replica.ErrClass},
		"no collection":       {schema.Property{Type: schema.Int}, list, replica.ErrClass},
		"another kind":        {schema.Property{Type: schema.Int}, netpeer.Bool(), nil},
		"no codec":            {schema.Property{Type: schema.Int}, netpeer.Field{}, netpeer.ErrInvalidSchema},
		"no quaternion":       {schema.Property{Type: schema.Quat}, netpeer.Quat(7), quant.ErrInvalidSpec},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replica.NewClass(schema.Layout{Properties: []schema.Property{c.property}}, c.codec)
			if c.err == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.err)
			}
		})
	}
	_, err := replica.NewClass(unitLayout())
	require.ErrorIs(t, err, replica.ErrClass)
	require.Panics(t, func() { replica.MustClass(unitLayout()) })
	_, err = replica.NewClass(schema.Layout{Properties: make([]schema.Property, schema.MaxFields+1)}, make([]netpeer.Field, schema.MaxFields+1)...)
	require.ErrorIs(t, err, schema.ErrTooManyFields)

	id, err := unitLayout().Identity()
	require.NoError(t, err)
	require.Equal(t, id, unitClass.Identity())
	require.Equal(t, netpeer.TableEntry{Class: 42, Identity: id}, unitClass.TableEntry())
}

func TestFields(t *testing.T) {
	f := replica.NewFields(130)
	require.True(t, f.Empty())
	for _, i := range []int{129, 0, 64, 63} {
		f.Add(i)
	}
	var got []int
	for i := range f.All() {
		got = append(got, i)
	}
	require.Equal(t, []int{0, 63, 64, 129}, got)
	require.Equal(t, 4, f.Len())
	for i := range f.All() {
		require.Zero(t, i)
		break
	}
	f.Remove(64)
	f.Remove(1000)
	require.False(t, f.Has(64))
	require.False(t, f.Has(-1))
	require.False(t, f.Has(1000))
	require.Panics(t, func() { f.Add(1000) })
	f.Clear()
	require.True(t, f.Empty())
	for _, n := range []int{0, 1, 63, 64, 65, 128, 130} {
		f.Clear()
		f.AddAll(n)
		require.Equal(t, n, f.Len())
	}
}

// Setting what cannot be set changes nothing, and setting what is there is no change.
func TestState(t *testing.T) {
	s := replica.NewState(unitClass)
	require.Equal(t, unitClass, s.Class())
	require.False(t, s.Has(fieldHealth))
	require.True(t, s.Has(fieldBag), "a collection has a value")
	require.Zero(t, s.Int(fieldHealth))
	require.Equal(t, [4]float32{3: 1}, s.Quat(fieldLook))
	require.Nil(t, s.Bytes(fieldName))

	text := []byte("anna")
	sets := []func() error{
		func() error { return s.SetBool(fieldAlive, true) },
		func() error { return s.SetInt(fieldHealth, 70) },
		func() error { return s.SetScalar(fieldSpeed, 1.5) },
		func() error { return s.SetVector(fieldPosition, [3]float32{1, -2, 3}) },
		func() error { return s.SetQuat(fieldLook, [4]float32{0, 0, 0, 1}) },
		func() error { return s.SetBytes(fieldName, text) },
		func() error { return s.PutItem(fieldBag, intItem(t, 3, 1, 1, 4)) },
	}
	for i, set := range sets {
		before := s.Version()
		require.NoError(t, set())
		after := s.Version()
		require.Greater(t, after, before, i)
		require.NoError(t, set())
		require.Equal(t, after, s.Version(), i)
	}
	text[0] = 'X'
	require.Equal(t, "anna", string(s.Bytes(fieldName)), "a copy")
	require.True(t, s.Bool(fieldAlive))
	require.Equal(t, int64(70), s.Int(fieldHealth))
	require.Equal(t, float32(1.5), s.Scalar(fieldSpeed))
	require.Equal(t, [3]float32{1, -2, 3}, s.Vector(fieldPosition))

	require.NoError(t, s.ApplyItems(fieldBag, &netpeer.CollectionDelta{
		Removed: []netpeer.ElementID{{Index: 3, Generation: 1}},
		Added:   []netpeer.Element{intItem(t, 3, 2, 1, 5), intItem(t, 1, 0, 1, 4)}, // in any order
	}))
	require.Len(t, s.Items(fieldBag), 2)
	require.Equal(t, uint32(1), s.Items(fieldBag)[0].ID.Index)

	before := s.Version()
	bad := float32(nan())
	for i, c := range []struct{ got, want error }{
		{s.SetScalar(fieldSpeed, bad), quant.ErrNotANumber},
		{s.SetVector(fieldPosition, [3]float32{0, bad, 0}), quant.ErrNotANumber},
		{s.SetQuat(fieldLook, [4]float32{0, bad, 0, 0}), quant.ErrNotANumber},
		{s.SetBytes(fieldName, make([]byte, 17)), netpeer.ErrBytesTooLong},
		{s.SetInt(fieldAlive, 1), netpeer.ErrKind},
		{s.SetBool(fieldHealth, true), netpeer.ErrKind},
		{s.SetBool(-1, true), netpeer.ErrField},
		{s.SetInt(99, 1), netpeer.ErrField},
		{s.SetScalar(99, 1), netpeer.ErrField},
		{s.SetVector(99, [3]float32{}), netpeer.ErrField},
		{s.SetQuat(99, [4]float32{}), netpeer.ErrField},
		{s.SetBytes(99, nil), netpeer.ErrField},
		{s.SetValue(99, new(netpeer.Value)), netpeer.ErrField},
		{s.SetValue(fieldHealth, new(netpeer.Value)), netpeer.ErrKind},
		{s.PutItem(fieldHealth, intItem(t, 0, 0, 1, 1)), netpeer.ErrKind},
		{s.PutItem(fieldNotes, intItem(t, 0, 0, 1, 1)), netpeer.ErrKind},
		{s.PutItem(99, intItem(t, 0, 0, 1, 1)), netpeer.ErrField},
		{s.RemoveItem(fieldBag, netpeer.ElementID{Index: 3}), replica.ErrNoItem},
		{s.ApplyItems(fieldBag, &netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 3}}}), replica.ErrInconsistent},
		{s.ApplyItems(fieldHealth, new(netpeer.CollectionDelta)), netpeer.ErrKind},
		{s.ApplyItems(99, new(netpeer.CollectionDelta)), netpeer.ErrField},
		{s.ApplyItems(fieldNotes, &netpeer.CollectionDelta{Added: []netpeer.Element{intItem(t, 0, 0, 1, 1)}}), netpeer.ErrKind},
		{s.RemoveItem(fieldHealth, netpeer.ElementID{}), netpeer.ErrKind},
		{s.RemoveItem(99, netpeer.ElementID{}), netpeer.ErrField},
	} {
		require.ErrorIs(t, c.got, c.want, i)
	}
	require.Equal(t, before, s.Version())
	v := s.Value(fieldBag)
	require.ErrorIs(t, s.SetValue(fieldBag, &v), netpeer.ErrKind)

	// Values of one state are values of another of the class.
	c := replica.NewState(unitClass)
	for i := range fieldBag {
		v := s.Value(i)
		require.NoError(t, c.SetValue(i, &v))
		w := c.Value(i)
		require.True(t, v.Equal(&w))
	}
	require.Equal(t, netpeer.KindNone, func() netpeer.Kind { v := s.Value(99); return v.Kind() }())
}
