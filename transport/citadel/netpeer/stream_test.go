package netpeer_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// What a caller of an encoder can do wrong. The first mistake counts.
func TestEncoderErrors(t *testing.T) {
	nan := float32(math.NaN())
	twice := &netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 1}, {Index: 1}}}
	var nothing netpeer.Prepared
	for name, c := range map[string]struct {
		header netpeer.Header
		write  func(e *netpeer.Encoder)
		want   error
	}{
		"no result":              {netpeer.Header{Base: 1}, func(*netpeer.Encoder) {}, netpeer.ErrZeroToken},
		"no base":                {netpeer.Header{Result: 1}, func(*netpeer.Encoder) {}, netpeer.ErrZeroToken},
		"no such field":          {deltaHeader, func(e *netpeer.Encoder) { e.Bool(7, true) }, netpeer.ErrField},
		"a field before":         {deltaHeader, func(e *netpeer.Encoder) { e.Bool(-1, true) }, netpeer.ErrField},
		"the same field":         {deltaHeader, func(e *netpeer.Encoder) { e.Bool(0, true); e.Bool(0, true) }, netpeer.ErrFieldOrder},
		"an earlier field":       {deltaHeader, func(e *netpeer.Encoder) { e.Int(1, 0); e.Bool(0, true) }, netpeer.ErrFieldOrder},
		"another kind":           {deltaHeader, func(e *netpeer.Encoder) { e.Bool(1, true) }, netpeer.ErrKind},
		"a scalar":               {deltaHeader, func(e *netpeer.Encoder) { e.Scalar(fieldHeat, nan) }, quant.ErrNotANumber},
		"a vector":               {deltaHeader, func(e *netpeer.Encoder) { e.Vector(fieldPosition, [3]float32{nan}) }, quant.ErrNotANumber},
		"a long string":          {deltaHeader, func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 33)) }, netpeer.ErrBytesTooLong},
		"a collection":           {deltaHeader, func(e *netpeer.Encoder) { e.Collection(fieldSlots, twice) }, netpeer.ErrDuplicateID},
		"the zero value":         {deltaHeader, func(e *netpeer.Encoder) { e.Value(0, &netpeer.Value{}) }, netpeer.ErrKind},
		"nothing prepared":       {deltaHeader, func(e *netpeer.Encoder) { e.Prepared(&nothing) }, netpeer.ErrKind},
		"not the last complaint": {deltaHeader, func(e *netpeer.Encoder) { e.Bool(9, true); e.Bool(1, true) }, netpeer.ErrField},
	} {
		t.Run(name, func(t *testing.T) {
			var e netpeer.Encoder
			e.Begin([]byte("kept"), avatar, c.header)
			c.write(&e)
			e.Quat(fieldRotation, [4]float32{1}) // comes too late to matter
			out, err := e.End()
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", string(out))

			// The encoder is as good as new.
			s := sampleState()
			out, err = s.encode(&e, nil, fullHeader)
			require.NoError(t, err)
			require.Equal(t, must(s.encodeByHand(nil, fullHeader)), out)
		})
	}
}

func TestPreparedErrors(t *testing.T) {
	yes := must(avatar.Field(0).Bool(true))
	_, _, err := avatar.Prepare(nil, 7, &yes)
	require.ErrorIs(t, err, netpeer.ErrField)
	_, _, err = avatar.Prepare(nil, 1, &yes)
	require.ErrorIs(t, err, netpeer.ErrKind)
	_, p, err := avatar.Prepare(nil, 0, &yes)
	require.NoError(t, err)

	for want, values := range map[error][]netpeer.Prepared{
		netpeer.ErrFieldOrder: {p, p},
		netpeer.ErrKind:       {{}},
	} {
		out, err := avatar.AppendPrepared([]byte("kept"), deltaHeader, values)
		require.ErrorIs(t, err, want)
		require.Equal(t, "kept", string(out))
	}
	_, err = avatar.AppendPrepared(nil, netpeer.Header{}, nil)
	require.ErrorIs(t, err, netpeer.ErrZeroToken)

	// A later version of the class has the same field, another class has not.
	later := schemaOf(netpeer.Bool(), netpeer.Int(-10, 10))
	other := schemaOf(netpeer.Int(0, 1), netpeer.Bool())
	empty := schemaOf()
	out, err := later.AppendPrepared(nil, deltaHeader, []netpeer.Prepared{p})
	require.NoError(t, err)
	bunch := &netpeer.Bunch{Header: deltaHeader, Changes: []netpeer.Change{{Value: yes}}}
	require.Equal(t, must(later.AppendBunch(nil, bunch)), out)
	_, err = other.AppendPrepared(nil, deltaHeader, []netpeer.Prepared{p})
	require.ErrorIs(t, err, netpeer.ErrKind)
	_, err = empty.AppendPrepared(nil, deltaHeader, []netpeer.Prepared{p})
	require.ErrorIs(t, err, netpeer.ErrField)
	var e netpeer.Encoder
	e.Begin(nil, schemaOf(netpeer.Bool()), deltaHeader)
	e.Prepared(&p)
	_, err = e.End()
	require.NoError(t, err)
	_, list, err := avatar.Prepare(nil, fieldSlots, must1(avatar.Field(fieldSlots).Collection(nil)))
	require.NoError(t, err)
	e.Begin(nil, schemaOf(avatarFields(netpeer.Collection(netpeer.Int(0, 101), 4))...), deltaHeader)
	e.Prepared(&list)
	_, err = e.End()
	require.ErrorIs(t, err, netpeer.ErrKind, "items of another range")
}

func must1(v netpeer.Value, err error) *netpeer.Value {
	v = must(v, err)
	return &v
}

// avatarFields returns the fields of the avatar with another last one.
func avatarFields(last netpeer.Field) []netpeer.Field {
	var fields []netpeer.Field
	for i := range avatar.Len() - 1 {
		fields = append(fields, *avatar.Field(i))
	}
	return append(fields, last)
}

// A header is read before anything else and without a schema, and nothing more is read of what is refused.
func TestHeaderDecides(t *testing.T) {
	body := must(avatar.AppendBunch(nil, sampleState().bunch(fullHeader)))
	body = body[:30] // the values are not even there
	h, err := netpeer.PeekHeader(body)
	require.NoError(t, err)
	want := fullHeader
	want.Identity = avatarID
	require.Equal(t, want, h)

	other := schemaOf(netpeer.Bool())
	b := netpeer.Bunch{Header: deltaHeader}
	require.ErrorIs(t, netpeer.ParseBunch(body, other, nil, &b), netpeer.ErrSchemaMismatch)
	require.Zero(t, b.Header)
	var d netpeer.Decoder
	require.NoError(t, d.Begin(body))
	require.Equal(t, want, d.Header)
	require.ErrorIs(t, d.Open(other), netpeer.ErrSchemaMismatch)
	_, ok := d.Next()
	require.False(t, ok)
	require.ErrorIs(t, d.End(), netpeer.ErrSchemaMismatch)

	require.NoError(t, d.Begin(body))
	_, ok = d.Next()
	require.False(t, ok, "not opened")
	require.ErrorIs(t, d.End(), netpeer.ErrSchemaMismatch)

	err = d.Begin(body[:3])
	require.Error(t, err)
	require.Zero(t, d.Header)
	require.Equal(t, err, d.Open(avatar))
	require.Equal(t, err, d.End())
}

// Versions of a class: an older full bunch is read with the older schema, once its header is known.
func TestEachVersionHasItsSchema(t *testing.T) {
	v1 := must(netpeer.NewSchema(schema.Identity{Version: 1}, netpeer.Int(0, 100)))
	v2 := must(netpeer.NewSchema(schema.Identity{Version: 2}, netpeer.Int(0, 100), netpeer.Bool()))
	for _, sender := range []*netpeer.Schema{v1, v2} {
		var e netpeer.Encoder
		e.Begin(nil, sender, fullHeader)
		e.Int(0, 77)
		body, err := e.End()
		require.NoError(t, err)

		h, err := netpeer.PeekHeader(body)
		require.NoError(t, err)
		known := map[schema.Identity]*netpeer.Schema{v1.Identity(): v1, v2.Identity(): v2}
		var b netpeer.Bunch
		require.NoError(t, netpeer.ParseBunch(body, known[h.Identity], nil, &b))
		require.Equal(t, int64(77), must(b.Changes[0].Value.Int(sender.Field(0))))
	}
}

// Reading a field as another kind, or twice, is an error that sticks.
func TestDecoderErrors(t *testing.T) {
	body := must(avatar.AppendBunch(nil, sampleState().bunch(deltaHeader)))
	var delta netpeer.CollectionDelta
	delta.Removed = append(delta.Removed, netpeer.ElementID{})
	reads := map[netpeer.Kind]func(d *netpeer.Decoder){
		netpeer.KindBool:   func(d *netpeer.Decoder) { require.False(t, d.Bool()) },
		netpeer.KindInt:    func(d *netpeer.Decoder) { require.Zero(t, d.Int()) },
		netpeer.KindScalar: func(d *netpeer.Decoder) { require.Zero(t, d.Scalar()) },
		netpeer.KindVector: func(d *netpeer.Decoder) { require.Zero(t, d.Vector()) },
		netpeer.KindQuat:   func(d *netpeer.Decoder) { require.Zero(t, d.Quat()) },
		netpeer.KindBytes:  func(d *netpeer.Decoder) { require.Equal(t, "kept", string(d.AppendBytes([]byte("kept")))) },
		netpeer.KindCollection: func(d *netpeer.Decoder) {
			d.Collection(&delta)
			require.Empty(t, delta.Removed)
		},
	}
	for kind, read := range reads {
		for i := range avatar.Len() {
			var d netpeer.Decoder
			require.NoError(t, d.Begin(body))
			require.NoError(t, d.Open(avatar))
			for range i + 1 {
				_, ok := d.Next()
				require.True(t, ok)
			}
			if avatar.Field(i).Kind() == kind {
				continue
			}
			read(&d)
			read(&d)
			_, ok := d.Next()
			require.False(t, ok)
			require.ErrorIs(t, d.End(), netpeer.ErrKind)
		}
		var d netpeer.Decoder
		require.NoError(t, d.Begin(body))
		require.NoError(t, d.Open(avatar))
		read(&d)
		require.ErrorIs(t, d.End(), netpeer.ErrField, "before the first field")
	}
}
