// Package valuevectors is the JSON of fields and values of property replication in conformance data, of the family
// citadel and of citadel-runtime. Only tests use it.
package valuevectors

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// Float32 is a number given by its bit pattern in hex.
type Float32 float32

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Float32) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 32)
	if err == nil && len(text) != 8 {
		err = fmt.Errorf("%q is not 8 digits", text)
	}
	*p = Float32(math.Float32frombits(uint32(v)))
	return err
}

// Bits returns the bit pattern.
func (p Float32) Bits() uint32 { return math.Float32bits(float32(p)) }

// Vector3 is a point given by bit patterns.
type Vector3 [3]Float32

// Floats returns the numbers.
func (v Vector3) Floats() [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }

// Field is a codec. What min and max are depends on the kind.
type Field struct {
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
	Item     *Field          `json:"item"`
}

func limits[T any](min, max json.RawMessage) (lo, hi T, err error) {
	if err = json.Unmarshal(min, &lo); err == nil {
		err = json.Unmarshal(max, &hi)
	}
	return lo, hi, err
}

// Codec returns the field, and checks the widths that the data state.
func (v Field) Codec() (f netpeer.Field, err error) {
	switch v.Kind {
	case "bool":
		f = netpeer.Bool()
	case "int_range":
		var min, max vectors.I64
		min, max, err = limits[vectors.I64](v.Min, v.Max)
		f = netpeer.Int(int64(min), int64(max))
	case "scalar":
		var min, max Float32
		if min, max, err = limits[Float32](v.MinBits, v.MaxBits); err != nil {
			return f, err
		}
		var q quant.Scalar
		q, err = quant.NewScalar(float32(min), float32(max), v.PerUnit)
		f = netpeer.Scalar(q)
	case "vector3":
		var min, max Vector3
		if min, max, err = limits[Vector3](v.MinBits, v.MaxBits); err != nil {
			return f, err
		}
		var q quant.Vector
		q, err = quant.NewVector(min.Floats(), max.Floats(), v.PerUnit)
		f = netpeer.Vector(q)
		if widths := [3]uint{q[0].Bits(), q[1].Bits(), q[2].Bits()}; err == nil && v.AxisBits != nil && *v.AxisBits != widths {
			err = fmt.Errorf("axes of %d bits, not %d", widths, *v.AxisBits)
		}
	case "quat":
		f = netpeer.Quat(v.Mode)
	case "bytes":
		f = netpeer.Bytes(v.MaxLen)
	case "collection":
		var item netpeer.Field
		item, err = v.Item.Codec()
		f = netpeer.Collection(item, v.MaxItems)
	default:
		err = fmt.Errorf("unknown kind %q", v.Kind)
	}
	if err == nil && v.Bits != nil && *v.Bits != f.Bits() {
		err = fmt.Errorf("%d bits, not %d", f.Bits(), *v.Bits)
	}
	return f, err
}

// Value is a value; the field that is set says of which kind. Numbers come a second time in a form that is not
// used here.
type Value struct {
	Bool   *bool        `json:"bool"`
	Int    *vectors.I64 `json:"int"`
	Scalar *Float32     `json:"scalar_bits"`
	Vector *Vector3     `json:"vector3_bits"`
	Quat   *[4]Float32  `json:"quat_bits"`
	Bytes  vectors.Hex  `json:"bytes_hex"`
	Delta  *Delta       `json:"collection"`

	ScalarNumber json.RawMessage `json:"scalar"`
	VectorNumber json.RawMessage `json:"vector3"`
	QuatNumber   json.RawMessage `json:"quat"`
}

// Delta is the changes of a collection.
type Delta struct {
	Removed []ID      `json:"removed"`
	Added   []Element `json:"added"`
	Changed []Element `json:"changed"`
}

// ID names an element of a collection.
type ID struct {
	Index      uint32 `json:"index"`
	Generation uint32 `json:"generation"`
}

// Element is an element of a collection.
type Element struct {
	ID
	Key   vectors.U64 `json:"key"`
	Value Value       `json:"value"`
}

func (v Value) quat() [4]float32 {
	q := v.Quat
	return [4]float32{float32(q[0]), float32(q[1]), float32(q[2]), float32(q[3])}
}

// Set sets a field of a state.
func (v Value) Set(s *replica.State, field int) error {
	switch {
	case v.Bool != nil:
		return s.SetBool(field, *v.Bool)
	case v.Int != nil:
		return s.SetInt(field, int64(*v.Int))
	case v.Scalar != nil:
		return s.SetScalar(field, float32(*v.Scalar))
	case v.Vector != nil:
		return s.SetVector(field, v.Vector.Floats())
	case v.Quat != nil:
		return s.SetQuat(field, v.quat())
	}
	return s.SetBytes(field, v.Bytes)
}

// Of returns the value of a field.
func (v Value) Of(f *netpeer.Field) (netpeer.Value, error) {
	switch {
	case v.Bool != nil:
		return f.Bool(*v.Bool)
	case v.Int != nil:
		return f.Int(int64(*v.Int))
	case v.Scalar != nil:
		return f.Scalar(float32(*v.Scalar))
	case v.Vector != nil:
		return f.Vector(v.Vector.Floats())
	case v.Quat != nil:
		return f.Quat(v.quat())
	case v.Delta != nil:
		return v.Delta.of(f)
	}
	return f.Bytes(v.Bytes)
}

func (d *Delta) of(f *netpeer.Field) (netpeer.Value, error) {
	item := f.Item()
	if item == nil {
		return f.Collection(nil) // which is an error
	}
	out := new(netpeer.CollectionDelta)
	for _, id := range d.Removed {
		out.Removed = append(out.Removed, netpeer.ElementID(id))
	}
	var err error
	if out.Added, err = elements(item, d.Added); err != nil {
		return netpeer.Value{}, err
	}
	if out.Changed, err = elements(item, d.Changed); err != nil {
		return netpeer.Value{}, err
	}
	return f.Collection(out)
}

func elements(item *netpeer.Field, list []Element) (out []netpeer.Element, err error) {
	for _, e := range list {
		f := item
		if e.Value.Bool != nil && item.Kind() != netpeer.KindBool {
			// One of the wrong kind is made for a field of its own kind, since it is the encoder that the data ask.
			boolean := netpeer.Bool()
			f = &boolean
		}
		value, err := e.Value.Of(f)
		if err != nil {
			return nil, err
		}
		out = append(out, netpeer.Element{ID: netpeer.ElementID(e.ID), Key: uint64(e.Key), Value: value})
	}
	return out, nil
}
