package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// patternVector is an f32 given by its bit pattern in hex.
type patternVector float32

func (p *patternVector) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 32)
	if err == nil && len(text) != 8 {
		err = fmt.Errorf("%q is not 8 digits", text)
	}
	*p = patternVector(math.Float32frombits(uint32(v)))
	return err
}

func (p patternVector) bits() uint32 { return math.Float32bits(float32(p)) }

// fieldVector is a field of a schema. What min and max are depends on the kind.
type fieldVector struct {
	Kind     string          `json:"kind"`
	Min      json.RawMessage `json:"min"`
	Max      json.RawMessage `json:"max"`
	MinBits  json.RawMessage `json:"min_bits"`
	MaxBits  json.RawMessage `json:"max_bits"`
	PerUnit  uint32          `json:"values_per_unit"`
	Bits     *uint           `json:"bits"`
	AxisBits *[3]uint        `json:"axis_bits"`
	Mode     quant.QuatMode  `json:"mode"`
	MaxLen   uint32          `json:"max_len"`
	MaxItems uint32          `json:"max_items"`
	Item     *fieldVector    `json:"item"`
}

// limits decodes a pair of bounds.
func limits[T any](t *testing.T, min, max json.RawMessage) (lo, hi T) {
	require.NoError(t, json.Unmarshal(min, &lo))
	require.NoError(t, json.Unmarshal(max, &hi))
	return lo, hi
}

// field returns the field, and checks the widths that the data state.
func (v fieldVector) field(t *testing.T) netpeer.Field {
	var f netpeer.Field
	switch v.Kind {
	case "bool":
		return netpeer.Bool()
	case "int_range":
		min, max := limits[vectors.I64](t, v.Min, v.Max)
		f = netpeer.Int(int64(min), int64(max))
	case "scalar":
		min, max := limits[patternVector](t, v.MinBits, v.MaxBits)
		q, err := quant.NewScalar(float32(min), float32(max), v.PerUnit)
		require.NoError(t, err)
		f = netpeer.Scalar(q)
	case "vector3":
		min, max := limits[[3]patternVector](t, v.MinBits, v.MaxBits)
		q, err := quant.NewVector(floats(min), floats(max), v.PerUnit)
		require.NoError(t, err)
		require.Equal(t, [3]uint{q[0].Bits(), q[1].Bits(), q[2].Bits()}, *v.AxisBits)
		f = netpeer.Vector(q)
	case "quat":
		return netpeer.Quat(v.Mode)
	case "bytes":
		return netpeer.Bytes(v.MaxLen)
	case "collection":
		return netpeer.Collection(v.Item.field(t), v.MaxItems)
	default:
		require.Fail(t, "unknown kind", v.Kind)
	}
	if v.Bits != nil {
		require.Equal(t, *v.Bits, f.Bits())
	}
	return f
}

func floats(v [3]patternVector) [3]float32 {
	return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])}
}

type changeVector struct {
	Field int         `json:"field_id"`
	Value valueVector `json:"value"`
}

// valueVector is a value; the field that is set says of which kind. Numbers come a second time in a form that is
// not used here.
type valueVector struct {
	Bool       *bool             `json:"bool"`
	Int        *vectors.I64      `json:"int"`
	Scalar     *patternVector    `json:"scalar_bits"`
	Vector     *[3]patternVector `json:"vector3_bits"`
	Quat       *[4]patternVector `json:"quat_bits"`
	Bytes      vectors.Hex       `json:"bytes_hex"`
	Collection *struct {
		Removed []idVector      `json:"removed"`
		Added   []elementVector `json:"added"`
		Changed []elementVector `json:"changed"`
	} `json:"collection"`

	ScalarNumber json.RawMessage `json:"scalar"`
	VectorNumber json.RawMessage `json:"vector3"`
	QuatNumber   json.RawMessage `json:"quat"`
}

type idVector struct {
	Index      uint32 `json:"index"`
	Generation uint32 `json:"generation"`
}

type elementVector struct {
	idVector
	Key   vectors.U64 `json:"key"`
	Value valueVector `json:"value"`
}

// value makes the value, for a field that may be of another kind or not exist.
func (v valueVector) value(s *netpeer.Schema, field int) (netpeer.Value, error) {
	if field >= s.Len() {
		boolean := netpeer.Bool()
		return boolean.Bool(true)
	}
	return v.of(s.Field(field))
}

func (v valueVector) of(f *netpeer.Field) (netpeer.Value, error) {
	switch {
	case v.Bool != nil:
		return f.Bool(*v.Bool)
	case v.Int != nil:
		return f.Int(int64(*v.Int))
	case v.Scalar != nil:
		return f.Scalar(float32(*v.Scalar))
	case v.Vector != nil:
		return f.Vector(floats(*v.Vector))
	case v.Quat != nil:
		q := *v.Quat
		return f.Quat([4]float32{float32(q[0]), float32(q[1]), float32(q[2]), float32(q[3])})
	case v.Bytes != nil:
		return f.Bytes(v.Bytes)
	}
	item := f.Item()
	if item == nil {
		return f.Collection(nil)
	}
	d := &netpeer.CollectionDelta{}
	for _, id := range v.Collection.Removed {
		d.Removed = append(d.Removed, netpeer.ElementID(id))
	}
	var err error
	if d.Added, err = elements(item, v.Collection.Added); err != nil {
		return netpeer.Value{}, err
	}
	if d.Changed, err = elements(item, v.Collection.Changed); err != nil {
		return netpeer.Value{}, err
	}
	return f.Collection(d)
}

func elements(item *netpeer.Field, list []elementVector) (out []netpeer.Element, err error) {
	for _, e := range list {
		value, err := e.Value.element(item)
		if err != nil {
			return nil, err
		}
		out = append(out, netpeer.Element{ID: netpeer.ElementID(e.idVector), Key: uint64(e.Key), Value: value})
	}
	return out, nil
}

// element makes the value of an element. One of the wrong kind is made for a field of its own kind, since it is the
// encoder that the data ask.
func (v valueVector) element(item *netpeer.Field) (netpeer.Value, error) {
	if v.Bool != nil && item.Kind() != netpeer.KindBool {
		boolean := netpeer.Bool()
		item = &boolean
	}
	return v.of(item)
}

// requireDecoded checks a decoded value.
func (v valueVector) requireDecoded(t *testing.T, f *netpeer.Field, got *netpeer.Value) {
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
		require.Equal(t, v.Scalar.bits(), math.Float32bits(x))
	case netpeer.KindVector:
		p, err := got.Vector(f)
		require.NoError(t, err)
		for i := range p {
			require.Equal(t, v.Vector[i].bits(), math.Float32bits(p[i]))
		}
	case netpeer.KindQuat:
		q, err := got.Quat(f)
		require.NoError(t, err)
		for i := range q {
			require.Equal(t, v.Quat[i].bits(), math.Float32bits(q[i]))
		}
	case netpeer.KindBytes:
		p, err := got.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(v.Bytes), string(p))
	case netpeer.KindCollection:
		d, err := got.Collection()
		require.NoError(t, err)
		require.Len(t, d.Removed, len(v.Collection.Removed))
		for i, id := range v.Collection.Removed {
			require.Equal(t, netpeer.ElementID(id), d.Removed[i])
		}
		requireElements(t, f.Item(), v.Collection.Added, d.Added)
		requireElements(t, f.Item(), v.Collection.Changed, d.Changed)
	}
}

func requireElements(t *testing.T, item *netpeer.Field, want []elementVector, got []netpeer.Element) {
	require.Len(t, got, len(want))
	for i, e := range want {
		require.Equal(t, netpeer.ElementID(e.idVector), got[i].ID)
		require.Equal(t, uint64(e.Key), got[i].Key)
		e.Value.requireDecoded(t, item, &got[i].Value)
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
