package netpeer

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// The fewest bits that an element can be.
const (
	idBits      = 2 * 8      // two varints
	elementBits = idBits + 8 // and a third, and possibly nothing behind it
)

// readPlain reads a value that is no collection into v, which is zero. The byte string is appended to mem.
func readPlain(r *bitpack.Reader, f *Field, budget *Budget, v *Value, mem *[]byte) (err error) {
	v.kind = f.kind
	switch f.kind {
	default:
		v.codes[0], err = readCode(r, f)
	case KindVector:
		err = readVector(r, f, &v.codes)
	case KindBytes:
		at := len(*mem)
		*mem, err = readBytes(r, f, budget, *mem)
		v.bytes = (*mem)[at:len(*mem):len(*mem)]
	}
	return err
}

// readCode reads the one code of a value.
func readCode(r *bitpack.Reader, f *Field) (uint64, error) {
	code, err := r.ReadBits(uint(f.whole))
	if err == nil && code > f.top[0] {
		return 0, quant.ErrInvalidCode
	}
	return code, err
}

// readVector reads the codes of a vector, in one go if they are few bits and all there.
func readVector(r *bitpack.Reader, f *Field, codes *[3]uint64) error {
	if uint64(f.whole) <= min(64, r.Remaining()) {
		v, _ := r.ReadBits(uint(f.whole))
		codes[2] = v & (1<<f.width[2] - 1)
		codes[1] = v >> f.width[2] & (1<<f.width[1] - 1)
		codes[0] = v >> f.width[2] >> f.width[1]
		if codes[0] > f.top[0] || codes[1] > f.top[1] || codes[2] > f.top[2] {
			return quant.ErrInvalidCode
		}
		return nil
	}
	for i := range codes {
		code, err := r.ReadBits(uint(f.width[i]))
		if err != nil {
			return err
		}
		if code > f.top[i] {
			return quant.ErrInvalidCode
		}
		codes[i] = code
	}
	return nil
}

// readVarint reads a varint. Most are one group.
func readVarint(r *bitpack.Reader) (uint64, error) {
	v, err := r.ReadBits(8)
	if v < 0x80 {
		return v, err
	}
	r.SeekBit(r.Pos() - 8)
	return r.ReadVarint()
}

// readBytes appends a byte string to dst. The string is known to be there before dst grows.
func readBytes(r *bitpack.Reader, f *Field, budget *Budget, dst []byte) ([]byte, error) {
	n, err := readVarint(r)
	switch {
	case err != nil:
		return dst, err
	case n > uint64(f.limit):
		return dst, ErrBytesTooLong
	}
	if err := budget.charge(n); err != nil {
		return dst, err
	}
	if n > r.Remaining()/8 {
		return dst, bitpack.ErrOverrun
	}
	at := len(dst)
	dst = slices.Grow(dst, int(n))[:at+int(n)]
	if n > 8 {
		return dst, r.ReadBytes(dst[at:])
	}
	// A short one is one read.
	v, err := r.ReadBits(uint(8 * n))
	for i := len(dst) - 1; i >= at; i-- {
		dst[i] = byte(v)
		v >>= 8
	}
	return dst, err
}

// readCollection reads a delta into d. What d holds after an error is of no use. Lists grow to what their counts
// say only as far as there are bits for so many elements.
func readCollection(r *bitpack.Reader, f *Field, budget *Budget, d *CollectionDelta) error {
	d.Reset()
	n, err := readCount(r, f, budget, MaxItems)
	if err != nil {
		return err
	}
	d.Removed = slices.Grow(d.Removed, roomFor(n, idBits, r))
	for range n {
		id, err := readID(r)
		if err != nil {
			return err
		}
		d.Removed = append(d.Removed, id)
	}
	if d.Added, err = readElements(r, f, budget, MaxItems-n, d.Added, &d.bytes); err != nil {
		return err
	}
	if d.Changed, err = readElements(r, f, budget, MaxItems-n-uint64(len(d.Added)), d.Changed, &d.bytes); err != nil {
		return err
	}
	if d.repeats() {
		return ErrDuplicateID
	}
	return nil
}

// roomFor returns how many of n things of so many bits there can be. There are not so many things that the product
// overflows.
func roomFor(n, bits uint64, r *bitpack.Reader) int {
	if left := r.Remaining(); n*bits > left {
		return int(left / bits)
	}
	return int(n)
}

// readCount reads the length of a list that has room for so many.
func readCount(r *bitpack.Reader, f *Field, budget *Budget, room uint64) (uint64, error) {
	n, err := readVarint(r)
	switch {
	case err != nil:
		return 0, err
	case n > min(uint64(f.limit), room):
		return 0, ErrTooManyItems
	}
	return n, budget.charge(n)
}

func readElements(r *bitpack.Reader, f *Field, budget *Budget, room uint64, list []Element, mem *[]byte) ([]Element, error) {
	n, err := readCount(r, f, budget, room)
	if err != nil || n == 0 {
		return list, err
	}
	list = slices.Grow(list, roomFor(n, elementBits+uint64(f.item.whole), r))
	for range n {
		list = append(list, Element{})
		if err := readElement(r, f.item, budget, &list[len(list)-1], mem); err != nil {
			return list, err
		}
	}
	return list, nil
}

// readElement reads an element into e, which is zero. Like the writer it counts on varints of one group: if the
// next ones turn out to be so, one read takes them all, and the value too if that is one code.
func readElement(r *bitpack.Reader, item *Field, budget *Budget, e *Element, mem *[]byte) (err error) {
	pos, single := r.Pos(), item.isCode() && item.whole <= 64-elementBits
	width := uint(elementBits)
	if single {
		width += uint(item.whole)
	}
	if v, err := r.ReadBits(width); err == nil {
		head := v
		if single {
			head >>= item.whole
		}
		if head&0x808080 == 0 {
			e.ID = ElementID{Index: uint32(head >> 16), Generation: uint32(head >> 8 & 0xff)}
			e.Key = head & 0xff
			if !single {
				return readPlain(r, item, budget, &e.Value, mem)
			}
			e.Value.kind, e.Value.codes[0] = item.kind, v&(1<<item.whole-1)
			if e.Value.codes[0] > item.top[0] {
				return quant.ErrInvalidCode
			}
			return nil
		}
		r.SeekBit(pos)
	}
	if e.ID, err = readID(r); err != nil {
		return err
	}
	if e.Key, err = r.ReadVarint(); err != nil {
		return err
	}
	return readPlain(r, item, budget, &e.Value, mem)
}

func readID(r *bitpack.Reader) (ElementID, error) {
	pos := r.Pos()
	if v, err := r.ReadBits(idBits); err == nil {
		if v&0x8080 == 0 {
			return ElementID{Index: uint32(v >> 8), Generation: uint32(v & 0xff)}, nil
		}
		r.SeekBit(pos)
	}
	index, err := r.ReadVarint32()
	if err != nil {
		return ElementID{}, err
	}
	generation, err := r.ReadVarint32()
	if err != nil {
		return ElementID{}, err
	}
	return ElementID{Index: index, Generation: generation}, nil
}
