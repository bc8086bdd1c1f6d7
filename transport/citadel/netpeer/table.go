package netpeer

import (
	"encoding/binary"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// TableEntry says which schema a class of objects has.
type TableEntry struct {
	Class    uint32
	Identity schema.Identity
}

const tableBits = 32 + 128 + 32

// AppendTable appends the body of a [wire.KindRepSchema] envelope. It returns dst and [ErrTooManyItems] if there
// are more than [MaxEntries] entries.
func AppendTable(dst []byte, entries []TableEntry) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if err := writeLength(&w, len(entries)); err != nil {
		return dst, err
	}
	for i := range entries {
		e := &entries[i]
		w.WriteBits(uint64(e.Class), 32)
		w.WriteBits(binary.BigEndian.Uint64(e.Identity.Hash[:8]), 64)
		w.WriteBits(binary.BigEndian.Uint64(e.Identity.Hash[8:]), 64)
		w.WriteBits(uint64(e.Identity.Version), 32)
	}
	return w.Bytes(), nil
}

// ParseTable reads a whole body into entries, whose memory it reuses. A class may occur twice. It returns
// [ErrTooManyItems] or an error of [bitpack.Reader], and then empties the entries.
func ParseTable(b []byte, into *[]TableEntry) error {
	var r bitpack.Reader
	r.Reset(b)
	list, err := readTable(&r, (*into)[:0])
	return conclude(&r, list, err, into)
}

func readTable(r *bitpack.Reader, list []TableEntry) ([]TableEntry, error) {
	n, room, err := readLength(r, tableBits)
	if err != nil {
		return list, err
	}
	list = slices.Grow(list, room)
	for range n {
		class, err := r.ReadBits(32)
		if err != nil {
			return list, err
		}
		e := TableEntry{Class: uint32(class)}
		if err := readIdentity(r, &e.Identity); err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}
