package netpeer

import (
	"encoding/binary"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Header is the start of a bunch, which says what it is about.
type Header struct {
	Object uint32
	Full   bool   // whether the bunch stands on its own; else it is a difference to Base
	Result uint64 // names the state that the bunch leads to; not zero
	Base   uint64 // names the state that it starts from; not zero, but zero if Full

	// Identity is that of the schema, if Full, and otherwise zero: the receiver remembers what it was. Encoders do
	// not look at it, they write that of the schema they encode with.
	Identity schema.Identity
}

// PeekHeader reads the header of a bunch and nothing behind it, for the receiver who would rather know first
// whether the bunch concerns him and which schema it is of. It needs no schema and charges nothing.
func PeekHeader(b []byte) (Header, error) {
	var r bitpack.Reader
	r.Reset(b)
	var h Header
	err := h.read(&r)
	return h, err
}

// read reads a header, from the start of a stream, into h, which is zero after an error.
func (h *Header) read(r *bitpack.Reader) error {
	// Most results are one group, and are then read with what precedes them.
	v, err := r.ReadBits(33 + 8)
	if result := v & 0xff; err == nil && result-1 < 0x7f {
		*h = Header{Object: uint32(v >> 9), Full: v>>8&1 != 0, Result: result}
	} else {
		r.SeekBit(0)
		v, err = r.ReadBits(33)
		*h = Header{Object: uint32(v >> 1), Full: v&1 != 0}
		if err == nil {
			h.Result, err = readToken(r)
		}
	}
	switch {
	case err != nil:
	case h.Full:
		err = readIdentity(r, &h.Identity)
	default:
		h.Base, err = readToken(r)
	}
	if err != nil {
		*h = Header{}
	}
	return err
}

func readToken(r *bitpack.Reader) (uint64, error) {
	v, err := readVarint(r)
	if err == nil && v == 0 {
		return 0, ErrZeroToken
	}
	return v, err
}

func readIdentity(r *bitpack.Reader, id *schema.Identity) error {
	if r.Remaining() < (16+4)*8 {
		return bitpack.ErrOverrun
	}
	hi, _ := r.ReadBits(64)
	lo, _ := r.ReadBits(64)
	version, _ := r.ReadBits(32)
	binary.BigEndian.PutUint64(id.Hash[:8], hi)
	binary.BigEndian.PutUint64(id.Hash[8:], lo)
	id.Version = uint32(version)
	return nil
}

func writeHeader(w *bitpack.Writer, s *Schema, h *Header) error {
	if h.Result == 0 || h.Base == 0 && !h.Full {
		return ErrZeroToken
	}
	if start := uint64(h.Object)<<1 | boolCode(h.Full); h.Result < 0x80 {
		w.WriteBits(start<<8|h.Result, 41)
	} else {
		w.WriteBits(start, 33)
		w.WriteVarint(h.Result)
	}
	if !h.Full {
		w.WriteVarint(h.Base)
		return nil
	}
	w.WriteBits(s.hash[0], 64)
	w.WriteBits(s.hash[1], 64)
	w.WriteBits(uint64(s.identity.Version), 32)
	return nil
}

// gate returns an error if the bunch is a full one of another schema.
func (h *Header) gate(s *Schema) error {
	if h.Full && h.Identity != s.identity {
		return ErrSchemaMismatch
	}
	return nil
}
