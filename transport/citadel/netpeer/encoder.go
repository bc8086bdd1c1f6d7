package netpeer

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// Encoder writes one bunch field by field, for code that knows the fields of a class and needs no [Value] of them:
//
//	e.Begin(dst, s, header)
//	e.Int(1, health)
//	e.Vector(3, position)
//	dst, err := e.End()
//
// Fields come in ascending order. The mask is made of the fields that were written, so it cannot disagree with
// them. The first error sticks and End returns it. An Encoder is to be kept for the next bunch, because it has
// memory of its own; the zero value is ready.
type Encoder struct {
	w      bitpack.Writer
	fields []Field  // of the schema
	last   int      // the field that was written last, or -1, or noMore
	set    []uint64 // the fields that were written, 64 to a word, the first as the highest bit
	mask   uint64   // where the mask starts, in bits from the end of dst
	dst    []byte   // as it was given
	err    error
}

// noMore is behind every field.
const noMore = MaxFields

// Begin starts a bunch that is to be appended to dst, with all of its header. It reports errors at End.
func (e *Encoder) Begin(dst []byte, s *Schema, h Header) {
	e.fields, e.dst, e.last, e.set, e.err = s.fields, dst, -1, e.set[:0], nil
	e.w.Reset(dst)
	if err := writeHeader(&e.w, s, &h); err != nil {
		e.fail(err)
		return
	}
	e.mask = e.w.Len()
	for rest := len(s.fields); rest > 0; rest -= 64 {
		e.set = append(e.set, 0)
		e.w.WriteBits(0, uint(min(rest, 64)))
	}
}

// End returns dst with the bunch appended. If there was an error it returns dst as it was given and the error,
// which is one of those of [Schema.AppendBunch].
func (e *Encoder) End() ([]byte, error) {
	if e.err != nil {
		return e.dst, e.err
	}
	out := e.w.Bytes()
	bunch := out[len(e.dst):]
	for i, word := range e.set {
		mark(bunch, e.mask+64*uint64(i), word)
	}
	return out, nil
}

// mark sets the bits of a mask, from a bit of p on, for the fields in a set of 64.
func mark(p []byte, at uint64, set uint64) {
	skip := at & 7
	p = p[at>>3:]
	if word := set >> skip; len(p) >= 8 {
		binary.BigEndian.PutUint64(p, binary.BigEndian.Uint64(p)|word)
	} else {
		for i := range p {
			p[i] |= byte(word >> (56 - 8*i))
		}
	}
	if rest := byte(set << (8 - skip)); rest != 0 {
		p[8] |= rest
	}
}

// admits reports whether a field may be written next, as one of a kind.
func (e *Encoder) admits(field int, kind Kind) bool {
	return field > e.last && field < len(e.fields) && e.fields[field].kind == kind
}

// enter marks a field that was admitted.
func (e *Encoder) enter(field int) *Field {
	e.last = field
	e.set[uint(field)/64] |= 1 << 63 >> (uint(field) % 64)
	return &e.fields[field]
}

// refuse remembers why a field was not admitted.
func (e *Encoder) refuse(field int, kind Kind) {
	if e.err != nil {
		return
	}
	err := follows(e.fields, e.last, field)
	if err == nil {
		err = inField(field, fmt.Errorf("%w: %v, not %v", ErrKind, e.fields[field].kind, kind))
	}
	e.fail(err)
}

// fail remembers an error and sees to it that no field is admitted any more.
func (e *Encoder) fail(err error) {
	e.err, e.last = err, noMore
}

// done remembers an error of the last field.
func (e *Encoder) done(err error) {
	if err != nil {
		e.fail(inField(e.last, err))
	}
}

// Bool writes a field of that kind.
func (e *Encoder) Bool(field int, v bool) {
	if !e.admits(field, KindBool) {
		e.refuse(field, KindBool)
		return
	}
	e.enter(field)
	e.w.WriteBits(boolCode(v), 1)
}

// Int writes an integer, saturated to the field's range.
func (e *Encoder) Int(field int, v int64) {
	if !e.admits(field, KindInt) {
		e.refuse(field, KindInt)
		return
	}
	f := e.enter(field)
	e.w.WriteBits(f.intCode(v), uint(f.whole))
}

// Scalar writes a number, saturated to the field's bounds. NaN is an error.
func (e *Encoder) Scalar(field int, v float32) {
	if !e.admits(field, KindScalar) {
		e.refuse(field, KindScalar)
		return
	}
	f := e.enter(field)
	code, err := f.axes[0].Encode(v)
	e.w.WriteBits(code, uint(f.whole))
	e.done(err)
}

// Vector writes a point, saturated to the field's box. NaN is an error.
func (e *Encoder) Vector(field int, p [3]float32) {
	if !e.admits(field, KindVector) {
		e.refuse(field, KindVector)
		return
	}
	f := e.enter(field)
	// One by one is faster than what quant.Vector does.
	x, errX := f.axes[0].Encode(p[0])
	y, errY := f.axes[1].Encode(p[1])
	z, errZ := f.axes[2].Encode(p[2])
	if errX != nil || errY != nil || errZ != nil {
		e.done(quant.ErrNotANumber)
		return
	}
	writeVector(&e.w, f, &[3]uint64{x, y, z})
}

// Quat writes a rotation x, y, z, w.
func (e *Encoder) Quat(field int, q [4]float32) {
	if !e.admits(field, KindQuat) {
		e.refuse(field, KindQuat)
		return
	}
	f := e.enter(field)
	e.w.WriteBits(f.mode().Encode(q), uint(f.whole))
}

// Bytes writes a byte string, which is not retained.
func (e *Encoder) Bytes(field int, p []byte) {
	if !e.admits(field, KindBytes) {
		e.refuse(field, KindBytes)
		return
	}
	e.done(writeBytes(&e.w, e.enter(field), p))
}

// Collection writes the changes of a collection, which are not retained. Nil is no changes.
func (e *Encoder) Collection(field int, d *CollectionDelta) {
	if !e.admits(field, KindCollection) {
		e.refuse(field, KindCollection)
		return
	}
	e.done(writeCollection(&e.w, e.enter(field), d))
}

// Value writes a value of any kind.
func (e *Encoder) Value(field int, v *Value) {
	if !e.admits(field, v.kind) {
		e.refuse(field, v.kind)
		return
	}
	e.done(writeValue(&e.w, e.enter(field), v))
}

// Prepared writes a value that was packed before.
func (e *Encoder) Prepared(p *Prepared) {
	kind := KindNone
	if p.spec != nil {
		kind = p.spec.kind
	}
	if !e.admits(p.field, kind) {
		e.refuse(p.field, kind)
		return
	}
	if f := e.enter(p.field); !f.packsLike(p.spec) {
		e.done(ErrKind)
		return
	}
	e.done(p.write(&e.w))
}
