package netpeer

import (
	"bytes"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// Value is a value of a field as it is sent: the codes of a number, a vector or a rotation, a byte string, or the
// changes of a collection. Two values that are [Value.Equal] are the same bits on the wire, whatever the numbers
// were that they were made of.
//
// A value is made by a method of the [Field] that it is for and read with the same field. The zero value is of no
// kind and no bunch accepts it. A copy shares the byte string and the collection of its original.
type Value struct {
	kind  Kind
	codes [3]uint64
	bytes []byte
	delta *CollectionDelta
}

// Bool returns a value for a field of that kind, else [ErrKind].
func (f *Field) Bool(v bool) (Value, error) {
	if err := f.is(KindBool); err != nil {
		return Value{}, err
	}
	return Value{kind: KindBool, codes: [3]uint64{boolCode(v)}}, nil
}

// Int returns the value nearest to v within the field's range. It returns [ErrKind] if the field is of another
// kind.
func (f *Field) Int(v int64) (Value, error) {
	if err := f.is(KindInt); err != nil {
		return Value{}, err
	}
	return Value{kind: KindInt, codes: [3]uint64{f.intCode(v)}}, nil
}

// Scalar returns the value nearest to v within the field's bounds. It returns [ErrKind] if the field is of another
// kind, and [quant.ErrNotANumber].
func (f *Field) Scalar(v float32) (Value, error) {
	if err := f.is(KindScalar); err != nil {
		return Value{}, err
	}
	code, err := f.axes[0].Encode(v)
	if err != nil {
		return Value{}, err
	}
	return Value{kind: KindScalar, codes: [3]uint64{code}}, nil
}

// Vector returns the value nearest to p within the field's box. It returns [ErrKind] if the field is of another
// kind, and [quant.ErrNotANumber].
func (f *Field) Vector(p [3]float32) (Value, error) {
	if err := f.is(KindVector); err != nil {
		return Value{}, err
	}
	codes, err := f.axes.Encode(p)
	if err != nil {
		return Value{}, err
	}
	return Value{kind: KindVector, codes: codes}, nil
}

// Quat returns the value for a rotation x, y, z, w, see [quant.QuatMode.Encode]. It returns [ErrKind] if the field
// is of another kind.
func (f *Field) Quat(q [4]float32) (Value, error) {
	if err := f.is(KindQuat); err != nil {
		return Value{}, err
	}
	return Value{kind: KindQuat, codes: [3]uint64{f.mode().Encode(q)}}, nil
}

// Bytes returns a value that borrows p. It returns [ErrKind] if the field is of another kind, and
// [ErrBytesTooLong].
func (f *Field) Bytes(p []byte) (Value, error) {
	if err := f.is(KindBytes); err != nil {
		return Value{}, err
	}
	if uint64(len(p)) > uint64(f.limit) {
		return Value{}, ErrBytesTooLong
	}
	return Value{kind: KindBytes, bytes: p}, nil
}

// Collection returns a value that borrows d, which is checked when the value is encoded. It returns [ErrKind] if
// the field is of another kind.
func (f *Field) Collection(d *CollectionDelta) (Value, error) {
	if err := f.is(KindCollection); err != nil {
		return Value{}, err
	}
	return Value{kind: KindCollection, delta: d}, nil
}

func boolCode(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// intCode returns the code of an integer, saturated.
func (f *Field) intCode(v int64) uint64 {
	if v < f.least {
		return 0
	}
	return min(uint64(v)-uint64(f.least), f.top[0])
}

// mode returns the precision of a rotation.
func (f *Field) mode() quant.QuatMode { return quant.QuatMode(f.limit) }

// Kind returns the kind of the field that the value was made for.
func (v *Value) Kind() Kind { return v.kind }

// Equal reports whether v and w are sent as the same bits. The elements of collections must be equal in their
// order.
func (v *Value) Equal(w *Value) bool {
	if v.kind != w.kind || v.codes != w.codes {
		return false
	}
	switch v.kind {
	case KindBytes:
		return bytes.Equal(v.bytes, w.bytes)
	case KindCollection:
		return v.delta.equal(w.delta)
	}
	return true
}

// Clone returns a value that shares no memory with v.
func (v *Value) Clone() Value {
	c := *v
	c.bytes = bytes.Clone(v.bytes)
	if v.delta != nil {
		c.delta = v.delta.clone()
	}
	return c
}

// Bool returns the value of a field of that kind, else [ErrKind].
func (v *Value) Bool() (bool, error) {
	if v.kind != KindBool {
		return false, ErrKind
	}
	return v.codes[0] != 0, nil
}

// Int returns the integer of a value of f. It returns [ErrKind], or [quant.ErrInvalidCode] for the value of
// another field.
func (v *Value) Int(f *Field) (int64, error) {
	if err := v.of(f, KindInt); err != nil {
		return 0, err
	}
	if v.codes[0] > f.top[0] {
		return 0, quant.ErrInvalidCode
	}
	return int64(uint64(f.least) + v.codes[0]), nil
}

// Scalar returns the number of a value of f. It returns [ErrKind], or [quant.ErrInvalidCode] for the value of
// another field.
func (v *Value) Scalar(f *Field) (float32, error) {
	if err := v.of(f, KindScalar); err != nil {
		return 0, err
	}
	return f.axes[0].Decode(v.codes[0])
}

// Vector returns the point of a value of f. It returns [ErrKind], or [quant.ErrInvalidCode] for the value of
// another field.
func (v *Value) Vector(f *Field) ([3]float32, error) {
	if err := v.of(f, KindVector); err != nil {
		return [3]float32{}, err
	}
	return f.axes.Decode(v.codes)
}

// Quat returns the rotation of a value of f, of length one. It returns [ErrKind], or [quant.ErrInvalidCode] for the
// value of another field.
func (v *Value) Quat(f *Field) ([4]float32, error) {
	if err := v.of(f, KindQuat); err != nil {
		return [4]float32{}, err
	}
	if v.codes[0] > f.top[0] {
		return [4]float32{}, quant.ErrInvalidCode
	}
	return f.mode().Decode(v.codes[0]), nil
}

// Bytes returns the byte string of a value of that kind, else [ErrKind]. It is the value's own and valid as long as
// that is.
func (v *Value) Bytes() ([]byte, error) {
	if v.kind != KindBytes {
		return nil, ErrKind
	}
	return v.bytes, nil
}

// Collection returns the changes of a value of that kind, else [ErrKind]. They are the value's own and valid as
// long as that is.
func (v *Value) Collection() (*CollectionDelta, error) {
	if v.kind != KindCollection {
		return nil, ErrKind
	}
	return v.delta, nil
}

// of returns an error unless both the value and the field are of a kind.
func (v *Value) of(f *Field, kind Kind) error {
	if v.kind != kind {
		return ErrKind
	}
	return f.is(kind)
}
