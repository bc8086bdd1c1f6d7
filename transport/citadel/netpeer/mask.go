package netpeer

import (
	"math/bits"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// maskWriter writes the mask of a bunch: a bit for each field of the schema, field 0 first.
type maskWriter struct {
	word uint64 // the field at base is the highest bit
	base int
}

// set marks a field. Fields come in ascending order.
func (m *maskWriter) set(w *bitpack.Writer, field int) {
	for field-m.base >= 64 {
		m.flush(w)
	}
	m.word |= 1 << 63 >> uint(field-m.base)
}

func (m *maskWriter) flush(w *bitpack.Writer) {
	w.WriteBits(m.word, 64)
	m.word = 0
	m.base += 64
}

// finish writes what is left of the mask of so many fields.
func (m *maskWriter) finish(w *bitpack.Writer, fields int) {
	for fields-m.base > 64 {
		m.flush(w)
	}
	n := uint(fields - m.base)
	w.WriteBits(m.word>>(64-n), n)
}

// maskReader iterates over the fields that are marked in a mask. The mask of a small class is one word. That of a
// larger one is read piece by piece, while another reader is at the values behind it.
type maskReader struct {
	word uint64 // fields from base on that were not returned yet; the one at base is the lowest bit
	base int
	rest int // how many fields there are behind those of word
	r    bitpack.Reader
}

// reset starts with the mask of so many fields, and moves r behind it.
func (m *maskReader) reset(r *bitpack.Reader, fields int) error {
	m.base, m.rest = 0, 0
	if fields <= 64 {
		v, err := r.ReadBits(uint(fields))
		m.word = bits.Reverse64(v << (64 - uint(fields)))
		return err
	}
	m.word = 0
	if uint64(fields) > r.Remaining() {
		return bitpack.ErrOverrun
	}
	m.base, m.rest, m.r = -64, fields, *r
	r.SeekBit(r.Pos() + uint64(fields))
	return nil
}

// clear leaves no field.
func (m *maskReader) clear() { m.word, m.rest = 0, 0 }

// take returns the next field of word, which is not zero.
func (m *maskReader) take() int {
	field := m.base + bits.TrailingZeros64(m.word)
	m.word &= m.word - 1
	return field
}

// load fills word with the next fields that have one marked among them, and reports whether there are such.
func (m *maskReader) load() bool {
	for m.word == 0 && m.rest > 0 {
		n := uint(min(m.rest, 64))
		v, _ := m.r.ReadBits(n) // reset saw that they are there
		m.word = bits.Reverse64(v << (64 - n))
		m.base += 64
		m.rest -= int(n)
	}
	return m.word != 0
}
