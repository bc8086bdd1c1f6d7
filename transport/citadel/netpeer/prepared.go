package netpeer

import (
	"encoding/binary"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// Prepared is the value of a field, packed, for the sender who has the same change for many receivers: what differs
// between them is the header and which changes they get.
type Prepared struct {
	field int
	spec  *Field
	bits  uint64
	word  uint64 // the value, if it has at most 64 bits
	run   []byte // else
}

// Field returns the number of the field.
func (p *Prepared) Field() int { return p.field }

// Prepare packs the value of a field. Bits that are too many to be kept in the result are appended to arena; the
// result is valid until the arena's memory is used for something else. That the arena grows does no harm. Errors
// are those of [Schema.AppendBunch], and leave the arena as it was.
func (s *Schema) Prepare(arena []byte, field int, v *Value) ([]byte, Prepared, error) {
	f := s.field(field)
	if f == nil {
		return arena, Prepared{}, inField(field, ErrField)
	}
	p := Prepared{field: field, spec: f}
	if v.kind == f.kind && f.isCode() && v.codes[0] <= f.top[0] {
		p.bits, p.word = uint64(f.whole), v.codes[0]
		return arena, p, nil
	}
	var w bitpack.Writer
	w.Reset(arena)
	if err := writeValue(&w, f, v); err != nil {
		return arena, Prepared{}, inField(field, err)
	}
	p.bits = w.Len()
	packed := w.Bytes()
	p.run = packed[len(arena):len(packed):len(packed)]
	if p.bits <= 64 {
		var word [8]byte
		copy(word[:], p.run)
		p.word, p.run = binary.BigEndian.Uint64(word[:])>>(64-p.bits), nil
		packed = packed[:len(arena)]
	}
	return packed, p, nil
}

// write splices the value into a bunch.
func (p *Prepared) write(w *bitpack.Writer) error {
	if p.bits <= 64 {
		w.WriteBits(p.word, uint(p.bits))
		return nil
	}
	return w.WriteRun(p.run, p.bits)
}

// AppendPrepared appends a bunch of values that were packed before, in ascending order of the fields. The bytes
// are those that [Schema.AppendBunch] gives for the same values. Values that were prepared for another schema are
// accepted if the field is the same in both, so that the receivers may have different versions of a class. Errors
// leave dst as it was.
func (s *Schema) AppendPrepared(dst []byte, h Header, values []Prepared) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if err := writeHeader(&w, s, &h); err != nil {
		return dst, err
	}
	var mask maskWriter
	last := -1
	for i := range values {
		p := &values[i]
		if err := follows(s.fields, last, p.field); err != nil {
			return dst, err
		}
		if !p.spec.packsLike(&s.fields[p.field]) {
			return dst, inField(p.field, ErrKind)
		}
		mask.set(&w, p.field)
		last = p.field
	}
	mask.finish(&w, len(s.fields))
	for i := range values {
		if err := values[i].write(&w); err != nil {
			return dst, err
		}
	}
	return w.Bytes(), nil
}
