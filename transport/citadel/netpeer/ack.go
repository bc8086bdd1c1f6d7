package netpeer

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// AckEntry says which state of an object its receiver has.
type AckEntry struct {
	Object  uint32
	Result  uint64 // the newest [Header.Result] that was applied
	History uint32 // bit i: also the result i+1 before it; see package baseline
}

const ackBits = 32 + 8 + 32 // fewest bits of an entry

// AppendAcks appends the body of a [wire.KindRepAck] envelope. It returns dst and [ErrTooManyItems] if there are
// more than [MaxEntries] entries.
func AppendAcks(dst []byte, entries []AckEntry) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if err := writeLength(&w, len(entries)); err != nil {
		return dst, err
	}
	for i := range entries {
		e := &entries[i]
		w.WriteBits(uint64(e.Object), 32)
		w.WriteVarint(e.Result)
		w.WriteBits(uint64(e.History), 32)
	}
	return w.Bytes(), nil
}

// ParseAcks reads a whole body into entries, whose memory it reuses. It does not look at what an entry says: zero
// ids and histories of nothing are for the window to judge. It returns [ErrTooManyItems] or an error of
// [bitpack.Reader], and then empties the entries.
func ParseAcks(b []byte, into *[]AckEntry) error {
	var r bitpack.Reader
	r.Reset(b)
	list, err := readAcks(&r, (*into)[:0])
	return conclude(&r, list, err, into)
}

func readAcks(r *bitpack.Reader, list []AckEntry) ([]AckEntry, error) {
	n, room, err := readLength(r, ackBits)
	if err != nil {
		return list, err
	}
	list = slices.Grow(list, room)
	for range n {
		object, err := r.ReadBits(32)
		if err != nil {
			return list, err
		}
		result, err := r.ReadVarint()
		if err != nil {
			return list, err
		}
		history, err := r.ReadBits(32)
		if err != nil {
			return list, err
		}
		list = append(list, AckEntry{Object: uint32(object), Result: result, History: uint32(history)})
	}
	return list, nil
}
