package netpeer

import (
	"fmt"
	"math/bits"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// Kind is the kind of a field and of its values.
type Kind uint8

// The kinds. The zero value is that of no field; the order of the others is that of [Field]'s constructors.
const (
	KindNone Kind = iota
	KindBool
	KindInt
	KindScalar
	KindQuat
	KindVector
	KindBytes
	KindCollection
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	names := [...]string{"none", "bool", "int", "scalar", "quat", "vector", "bytes", "collection"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Field describes a field of a schema: its kind and how its values become codes. Make one with [Bool], [Int],
// [Scalar], [Vector], [Quat], [Bytes] or [Collection]; what they are given is checked by [NewSchema]. A Field does
// not change and may be copied.
type Field struct {
	kind  Kind
	width [3]uint8  // bits of each code
	whole uint8     // bits of all codes
	top   [3]uint64 // largest code
	limit uint32    // bytes, or elements of one list; within the format's caps

	least int64 // code 0 of an integer
	axes  quant.Vector
	item  *Field
	err   error // why there can be no such field
}

// Bool describes a field of one bit.
func Bool() Field {
	return single(KindBool, 1, 1)
}

// Int describes an integer from min to max. It takes as many bits as max - min, possibly none and possibly 64.
func Int(min, max int64) Field {
	if min > max {
		return invalid("integers from %d to %d", min, max)
	}
	span := uint64(max) - uint64(min)
	f := single(KindInt, uint(bits.Len64(span)), span)
	f.least = min
	return f
}

// Scalar describes a bounded number.
func Scalar(q quant.Scalar) Field {
	if q.MaxCode() == 0 {
		return invalid("scalar without bounds")
	}
	f := single(KindScalar, q.Bits(), q.MaxCode())
	f.axes[0] = q
	return f
}

// Vector describes a point in a box.
func Vector(q quant.Vector) Field {
	f := Field{kind: KindVector, axes: q, whole: uint8(q.Bits())}
	for i := range q {
		if q[i].MaxCode() == 0 {
			return invalid("vector without bounds")
		}
		f.width[i], f.top[i] = uint8(q[i].Bits()), q[i].MaxCode()
	}
	return f
}

// Quat describes a rotation.
func Quat(mode quant.QuatMode) Field {
	if err := mode.Check(); err != nil {
		return Field{err: fmt.Errorf("%w: %w", ErrInvalidSchema, err)}
	}
	f := single(KindQuat, mode.Bits(), 1<<mode.Bits()-1)
	f.limit = uint32(mode)
	return f
}

// Bytes describes a byte string of at most max bytes, or of [MaxBytes] if that is less.
func Bytes(max uint32) Field {
	return Field{kind: KindBytes, limit: min(max, MaxBytes)}
}

// Collection describes a set of elements of one kind, which is not itself a collection. Each list of a
// [CollectionDelta] holds at most maxItems elements, or [MaxItems] if that is less.
func Collection(item Field, maxItems uint32) Field {
	switch {
	case item.err != nil:
		return Field{err: fmt.Errorf("collection: %w", item.err)}
	case item.kind == KindCollection || item.kind == KindNone:
		return invalid("collection of items of kind %v", item.kind)
	}
	return Field{kind: KindCollection, limit: min(maxItems, MaxItems), item: &item}
}

// single describes a field whose values are one code.
func single(kind Kind, width uint, top uint64) Field {
	return Field{kind: kind, width: [3]uint8{uint8(width)}, whole: uint8(width), top: [3]uint64{top}}
}

func invalid(format string, args ...any) Field {
	return Field{err: fmt.Errorf("%w: "+format, append([]any{ErrInvalidSchema}, args...)...)}
}

// Kind returns the kind of the field's values.
func (f *Field) Kind() Kind { return f.kind }

// Bits returns how many bits a value takes, and 0 for byte strings and collections, whose values differ in size.
func (f *Field) Bits() uint { return uint(f.whole) }

// Limit returns the most bytes that a byte string may have, or the most elements that a list of a collection may
// have, and 0 for a field of another kind.
func (f *Field) Limit() uint32 {
	if f.kind != KindBytes && f.kind != KindCollection {
		return 0
	}
	return f.limit
}

// Item returns what describes the elements of a collection, and nil for a field of another kind.
func (f *Field) Item() *Field { return f.item }

// isCode reports whether a value is a single code.
func (f *Field) isCode() bool { return f.kind <= KindQuat }

// is returns an error unless the field is of a kind.
func (f *Field) is(kind Kind) error {
	switch {
	case f.kind == kind:
		return nil
	case f.err != nil:
		return f.err
	}
	return ErrKind
}

// Same reports whether a value that was made for one of two fields is a value for the other, and means the same.
func (f *Field) Same(g *Field) bool {
	if f == nil || g == nil {
		return f == g
	}
	a, b := *f, *g
	a.item, b.item = nil, nil
	return a == b && f.item.Same(g.item)
}

// packsLike reports whether every value is the same bits for f as for g.
func (f *Field) packsLike(g *Field) bool {
	if f == g {
		return true
	}
	if f == nil || g == nil || f.kind != g.kind || f.width != g.width || f.top != g.top || f.limit != g.limit {
		return false
	}
	return f.item.packsLike(g.item)
}
