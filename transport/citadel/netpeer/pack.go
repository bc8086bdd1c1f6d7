package netpeer

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// writeValue writes a value of any kind after checking it.
func writeValue(w *bitpack.Writer, f *Field, v *Value) error {
	if v.kind != f.kind {
		return ErrKind
	}
	switch f.kind {
	case KindVector:
		if v.codes[0] > f.top[0] || v.codes[1] > f.top[1] || v.codes[2] > f.top[2] {
			return quant.ErrInvalidCode
		}
		writeVector(w, f, &v.codes)
	case KindBytes:
		return writeBytes(w, f, v.bytes)
	case KindCollection:
		return writeCollection(w, f, v.delta)
	default:
		if v.codes[0] > f.top[0] {
			return quant.ErrInvalidCode
		}
		w.WriteBits(v.codes[0], uint(f.whole))
	}
	return nil
}

// writeVector writes the codes of a vector, which are valid.
func writeVector(w *bitpack.Writer, f *Field, codes *[3]uint64) {
	if f.whole <= 64 {
		w.WriteBits((codes[0]<<(f.width[1]&63)|codes[1])<<(f.width[2]&63)|codes[2], uint(f.whole))
		return
	}
	for i, code := range codes {
		w.WriteBits(code, uint(f.width[i]))
	}
}

func writeBytes(w *bitpack.Writer, f *Field, p []byte) error {
	if uint64(len(p)) > uint64(f.limit) {
		return ErrBytesTooLong
	}
	// A short one, which is all in one word, is written with its length.
	if len(p) < 8 {
		v := uint64(len(p))
		for _, c := range p {
			v = v<<8 | uint64(c)
		}
		w.WriteBits(v, 8+8*uint(len(p)))
		return nil
	}
	w.WriteVarint(uint64(len(p)))
	w.WriteBytes(p)
	return nil
}

// writeCollection writes a delta, which may be nil if it is empty.
func writeCollection(w *bitpack.Writer, f *Field, d *CollectionDelta) error {
	if d == nil {
		w.WriteBits(0, 24) // three counts
		return nil
	}
	if err := d.check(f.limit); err != nil {
		return err
	}
	w.WriteVarint(uint64(len(d.Removed)))
	for _, id := range d.Removed {
		writeID(w, id)
	}
	if err := writeElements(w, f.item, d.Added); err != nil {
		return err
	}
	return writeElements(w, f.item, d.Changed)
}

func writeElements(w *bitpack.Writer, item *Field, list []Element) error {
	w.WriteVarint(uint64(len(list)))
	for i := range list {
		if err := writeElement(w, item, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// Most varints are one group. Those of an element, and its value if that is one code, then go into one write.

func writeID(w *bitpack.Writer, id ElementID) {
	if id.Index|id.Generation < 0x80 {
		w.WriteBits(uint64(id.Index<<8|id.Generation), idBits)
		return
	}
	w.WriteVarint(uint64(id.Index))
	w.WriteVarint(uint64(id.Generation))
}

func writeElement(w *bitpack.Writer, item *Field, e *Element) error {
	v := &e.Value
	if v.kind != item.kind {
		return fmt.Errorf("%w: element: %w", ErrInvalidSchema, ErrKind)
	}
	single := item.isCode()
	if single && v.codes[0] > item.top[0] {
		return quant.ErrInvalidCode
	}
	if uint64(e.ID.Index|e.ID.Generation)|e.Key >= 0x80 {
		writeID(w, e.ID)
		w.WriteVarint(e.Key)
	} else if head := uint64(e.ID.Index<<16|e.ID.Generation<<8) | e.Key; single && item.whole <= 64-elementBits {
		w.WriteBits(head<<item.whole|v.codes[0], elementBits+uint(item.whole))
		return nil
	} else {
		w.WriteBits(head, elementBits)
	}
	if single {
		w.WriteBits(v.codes[0], uint(item.whole))
		return nil
	}
	return writeValue(w, item, v)
}
