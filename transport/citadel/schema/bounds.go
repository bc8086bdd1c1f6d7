package schema

import (
	"encoding/binary"
	"fmt"
	"math"
)

// BoundsKind says what the numbers of [Bounds] mean.
type BoundsKind uint8

// The kinds of bounds. Their numbers are part of a layout's identity.
const (
	BoundsNone           BoundsKind = iota
	BoundsIntRange                  // least and greatest integer
	BoundsScalarRange               // least and greatest number, and how many codes there are to the unit
	BoundsMaxLen                    // greatest number of bytes
	BoundsMaxCardinality            // greatest number of elements
)

// String returns the kind in snake case.
func (k BoundsKind) String() string {
	return nameOf("bounds", k, "none", "int_range", "scalar_range", "max_len", "max_cardinality")
}

// Bounds limit the values of a property. The zero value, also called [NoBounds], sets no limit. Bounds are
// comparable: equal ones have equal shapes. A scalar's bounds count by their bit patterns, so a zero and a
// negative zero are different and a NaN is like itself.
type Bounds struct {
	kind    BoundsKind
	perUnit uint32
	lo, hi  uint64 // two's complement, bits of a float32, or a length in lo
}

// NoBounds sets no limit.
var NoBounds Bounds

// IntRange limits an integer to min and max and what lies between.
func IntRange(min, max int64) Bounds {
	return Bounds{kind: BoundsIntRange, lo: uint64(min), hi: uint64(max)}
}

// ScalarRange limits a number to min and max and what lies between, with valuesPerUnit codes to the unit.
func ScalarRange(min, max float32, valuesPerUnit uint32) Bounds {
	lo, hi := math.Float32bits(min), math.Float32bits(max)
	return Bounds{kind: BoundsScalarRange, lo: uint64(lo), hi: uint64(hi), perUnit: valuesPerUnit}
}

// MaxLen limits a byte string to n bytes.
func MaxLen(n uint32) Bounds { return Bounds{kind: BoundsMaxLen, lo: uint64(n)} }

// MaxCardinality limits a collection to n elements.
func MaxCardinality(n uint32) Bounds { return Bounds{kind: BoundsMaxCardinality, lo: uint64(n)} }

// Kind says which of the following four methods is the one to ask.
func (b Bounds) Kind() BoundsKind { return b.kind }

// IntRange returns the limits of an integer, if b has such.
func (b Bounds) IntRange() (min, max int64, ok bool) {
	if b.kind != BoundsIntRange {
		return 0, 0, false
	}
	return int64(b.lo), int64(b.hi), true
}

// ScalarRange returns the limits of a number and its codes to the unit, if b has such.
func (b Bounds) ScalarRange() (min, max float32, valuesPerUnit uint32, ok bool) {
	if b.kind != BoundsScalarRange {
		return 0, 0, 0, false
	}
	return math.Float32frombits(uint32(b.lo)), math.Float32frombits(uint32(b.hi)), b.perUnit, true
}

// MaxLen returns the greatest number of bytes, if b limits it.
func (b Bounds) MaxLen() (n uint32, ok bool) { return b.length(BoundsMaxLen) }

// MaxCardinality returns the greatest number of elements, if b limits it.
func (b Bounds) MaxCardinality() (n uint32, ok bool) { return b.length(BoundsMaxCardinality) }

func (b Bounds) length(kind BoundsKind) (uint32, bool) {
	if b.kind != kind {
		return 0, false
	}
	return uint32(b.lo), true
}

// Shape returns the kind in the top byte and 56 bits of a hash of the limits below it, or 0 if there are none.
// What enters a layout's identity is the shape together with the name: see [Property.Shape]. It does not allocate.
func (b Bounds) Shape() uint64 {
	le := binary.LittleEndian
	var room [16]byte
	p := room[:0]
	switch b.kind {
	case BoundsNone:
		return 0
	case BoundsIntRange:
		p = le.AppendUint64(p, b.lo)
		p = le.AppendUint64(p, b.hi)
	case BoundsScalarRange:
		p = le.AppendUint32(p, uint32(b.lo))
		p = le.AppendUint32(p, uint32(b.hi))
		p = le.AppendUint32(p, b.perUnit)
	default:
		p = le.AppendUint32(p, uint32(b.lo))
	}
	return uint64(b.kind)<<56 | fnvBytes(p)&(1<<56-1)
}

// String returns the bounds for messages.
func (b Bounds) String() string {
	switch b.kind {
	case BoundsIntRange:
		return fmt.Sprintf("int range %d to %d", int64(b.lo), int64(b.hi))
	case BoundsScalarRange:
		min, max, perUnit, _ := b.ScalarRange()
		return fmt.Sprintf("scalar range %g to %g at %d per unit", min, max, perUnit)
	case BoundsMaxLen:
		return fmt.Sprintf("at most %d bytes", b.lo)
	case BoundsMaxCardinality:
		return fmt.Sprintf("at most %d elements", b.lo)
	}
	return "no bounds"
}
