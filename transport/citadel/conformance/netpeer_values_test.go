package conformance

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/valuevectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

type changeVector struct {
	Field int                `json:"field_id"`
	Value valuevectors.Value `json:"value"`
}

// value makes the value, for a field that may be of another kind or not exist.
func (v changeVector) value(s *netpeer.Schema) (netpeer.Value, error) {
	if v.Field >= s.Len() {
		boolean := netpeer.Bool()
		return boolean.Bool(true)
	}
	return v.Value.Of(s.Field(v.Field))
}

// requireCodecs returns fields, of which each has the widths that the data state.
func requireCodecs(t *testing.T, list []valuevectors.Field) []netpeer.Field {
	fields := make([]netpeer.Field, len(list))
	for i, v := range list {
		f, err := v.Codec()
		require.NoError(t, err)
		fields[i] = f
	}
	return fields
}

// requireDecoded checks a decoded value.
func requireDecoded(t *testing.T, v valuevectors.Value, f *netpeer.Field, got *netpeer.Value) {
	require.Equal(t, f.Kind(), got.Kind())
	switch f.Kind() {
	case netpeer.KindBool:
		b, err := got.Bool()
		require.NoError(t, err)
		require.Equal(t, *v.Bool, b)
	case netpeer.KindInt:
		i, err := got.Int(f)
		require.NoError(t, err)
		require.Equal(t, int64(*v.Int), i)
	case netpeer.KindScalar:
		x, err := got.Scalar(f)
		require.NoError(t, err)
		require.Equal(t, v.Scalar.Bits(), math.Float32bits(x))
	case netpeer.KindVector:
		p, err := got.Vector(f)
		require.NoError(t, err)
		for i := range p {
			require.Equal(t, v.Vector[i].Bits(), math.Float32bits(p[i]))
		}
	case netpeer.KindQuat:
		q, err := got.Quat(f)
		require.NoError(t, err)
		for i := range q {
			require.Equal(t, v.Quat[i].Bits(), math.Float32bits(q[i]))
		}
	case netpeer.KindBytes:
		p, err := got.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(v.Bytes), string(p))
	case netpeer.KindCollection:
		d, err := got.Collection()
		require.NoError(t, err)
		require.Len(t, d.Removed, len(v.Delta.Removed))
		for i, id := range v.Delta.Removed {
			require.Equal(t, netpeer.ElementID(id), d.Removed[i])
		}
		requireElements(t, f.Item(), v.Delta.Added, d.Added)
		requireElements(t, f.Item(), v.Delta.Changed, d.Changed)
	}
}

func requireElements(t *testing.T, item *netpeer.Field, want []valuevectors.Element, got []netpeer.Element) {
	require.Len(t, got, len(want))
	for i, e := range want {
		require.Equal(t, netpeer.ElementID(e.ID), got[i].ID)
		require.Equal(t, uint64(e.Key), got[i].Key)
		requireDecoded(t, e.Value, item, &got[i].Value)
	}
}

// requantised returns a bunch whose values were turned into numbers and back.
func requantised(t *testing.T, s *netpeer.Schema, b *netpeer.Bunch) *netpeer.Bunch {
	out := &netpeer.Bunch{Header: b.Header}
	for i := range b.Changes {
		c := &b.Changes[i]
		out.Changes = append(out.Changes, netpeer.Change{Field: c.Field, Value: requantisedValue(t, s.Field(c.Field), &c.Value)})
	}
	return out
}

func requantisedValue(t *testing.T, f *netpeer.Field, v *netpeer.Value) (out netpeer.Value) {
	var read, made error
	switch f.Kind() {
	case netpeer.KindBool:
		var b bool
		b, read = v.Bool()
		out, made = f.Bool(b)
	case netpeer.KindInt:
		var i int64
		i, read = v.Int(f)
		out, made = f.Int(i)
	case netpeer.KindScalar:
		var x float32
		x, read = v.Scalar(f)
		out, made = f.Scalar(x)
	case netpeer.KindVector:
		var p [3]float32
		p, read = v.Vector(f)
		out, made = f.Vector(p)
	case netpeer.KindQuat:
		var q [4]float32
		q, read = v.Quat(f)
		out, made = f.Quat(q)
	case netpeer.KindBytes:
		var p []byte
		p, read = v.Bytes()
		out, made = f.Bytes(p)
	case netpeer.KindCollection:
		var d *netpeer.CollectionDelta
		d, read = v.Collection()
		again := netpeer.CollectionDelta{Removed: d.Removed}
		for _, e := range d.Added {
			e.Value = requantisedValue(t, f.Item(), &e.Value)
			again.Added = append(again.Added, e)
		}
		for _, e := range d.Changed {
			e.Value = requantisedValue(t, f.Item(), &e.Value)
			again.Changed = append(again.Changed, e)
		}
		out, made = f.Collection(&again)
	}
	require.NoError(t, read)
	require.NoError(t, made)
	return out
}
