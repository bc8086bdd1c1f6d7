package bitpack

import (
	"encoding/binary"
	"math"
)

// A varint is a list of groups of one continuation bit and seven data bits, the low group first, as short as it can
// be. Within a bit stream it starts at any bit.

// maxGroups is the length of the largest varint; its last group holds one bit of the value.
const maxGroups = 10

// WriteVarint appends v as a varint.
func (w *Writer) WriteVarint(v uint64) {
	for v >= 0x80 {
		w.WriteBits(v&0x7f|0x80, 8)
		v >>= 7
	}
	w.WriteBits(v, 8)
}

// ReadVarint reads a varint. It returns [ErrOverrun], [ErrVarintLong], [ErrVarintOverflow] or [ErrVarintOverlong], and
// leaves the cursor where it was.
func (r *Reader) ReadVarint() (uint64, error) {
	start := r.Pos()
	var v uint64
	for i := range uint(maxGroups) {
		group, err := r.ReadBits(8)
		if err == nil {
			err = checkGroup(group, i)
		}
		if err != nil {
			r.SeekBit(start)
			return 0, err
		}
		v |= group & 0x7f << (7 * i)
		if group < 0x80 {
			break // the last group ends here at the latest: checkGroup sees to it
		}
	}
	return v, nil
}

// ReadVarint32 is [Reader.ReadVarint] for a value that must fit 32 bits; a larger one is [ErrVarintOverflow].
func (r *Reader) ReadVarint32() (uint32, error) {
	start := r.Pos()
	v, err := r.ReadVarint()
	if err != nil {
		return 0, err
	}
	if v > math.MaxUint32 {
		r.SeekBit(start)
		return 0, ErrVarintOverflow
	}
	return uint32(v), nil
}

// AppendVarint appends v as a varint of whole bytes.
func AppendVarint(dst []byte, v uint64) []byte {
	return binary.AppendUvarint(dst, v)
}

// Varint reads a varint of whole bytes from the start of b and returns how many it took. Its errors are those of
// [Reader.ReadVarint].
func Varint(b []byte) (v uint64, n int, err error) {
	for i, group := range b {
		if err := checkGroup(uint64(group), uint(i)); err != nil {
			return 0, 0, err
		}
		v |= uint64(group) & 0x7f << (7 * i)
		if group < 0x80 {
			return v, i + 1, nil
		}
	}
	return 0, 0, ErrOverrun
}

// checkGroup refuses what the group at place i cannot be. At the last place that is all that does not end a varint; too
// large a value counts for more than too long a form.
func checkGroup(group uint64, i uint) error {
	switch {
	case i == maxGroups-1 && group&0x7f > 1:
		return ErrVarintOverflow
	case i == maxGroups-1 && group >= 0x80:
		return ErrVarintLong
	case i > 0 && group == 0:
		return ErrVarintOverlong
	}
	return nil
}
