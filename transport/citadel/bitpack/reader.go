package bitpack

import "encoding/binary"

// Reader reads bits from a byte slice, which it borrows and never changes. The zero value has nothing to read.
type Reader struct {
	acc  uint64 // its low have bits are the next ones; what is above them is rubbish
	have uint   // at most 63
	rest []byte // what comes after them: whole words
	src  []byte
	skip uint64 // bits of src before the stream
}

// Reset makes r read all of b.
func (r *Reader) Reset(b []byte) {
	*r = Reader{src: b}
	r.SeekBit(0)
}

// ResetBits makes r read the first n bits of b, or all of it if it holds fewer. If n is not a whole number of bytes, r
// reads a copy of b.
func (r *Reader) ResetBits(b []byte, n uint64) {
	n = min(n, uint64(len(b))*8)
	*r = Reader{src: b[:(n+7)/8], skip: -n % 8}
	if r.skip > 0 {
		// The copy ends where the stream does. That costs something here, and ReadBits nothing.
		r.src = shifted(r.src, uint(r.skip))
	}
	r.SeekBit(0)
}

// shifted returns a copy of b without its last n bits, fewer than eight, and with as many zeros in front.
func shifted(b []byte, n uint) []byte {
	out := make([]byte, len(b))
	var before byte
	for i, c := range b {
		out[i] = before<<(8-n) | c>>n
		before = c
	}
	return out
}

// ReadBits returns the next n bits, at most 64, as the low bits of a value. If fewer remain it returns [ErrOverrun], and
// [ErrTooManyBits] if n is above 64; the cursor stays where it was.
func (r *Reader) ReadBits(n uint) (v uint64, err error) {
	// The compiler inlines this, and there is no room for anything more. A call would take longer than the rest.
	if n <= r.have {
		r.have -= n
		return r.acc >> (r.have & 63) &^ (^uint64(0) << n), nil
	}
	if n > 64 {
		return 0, ErrTooManyBits
	}
	if len(r.rest) < 8 {
		return 0, ErrOverrun
	}
	v = r.acc << (n - r.have)
	r.have += 64 - n
	r.acc = binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return (v | r.acc>>r.have) &^ (^uint64(0) << n), nil
}

// ReadBool returns the next bit. Its error is [ErrOverrun].
func (r *Reader) ReadBool() (bool, error) {
	v, err := r.ReadBits(1)
	return v != 0, err
}

// ReadBytes fills p, or returns [ErrOverrun] and leaves p and the cursor alone.
func (r *Reader) ReadBytes(p []byte) error {
	if uint64(len(p)) > r.Remaining()/8 {
		return ErrOverrun
	}
	if at := r.skip + r.Pos(); at%8 == 0 {
		n := copy(p, r.src[at/8:])
		r.SeekBit(r.Pos() + 8*uint64(n))
		return nil
	}
	for ; len(p) >= 8; p = p[8:] {
		v, _ := r.ReadBits(64)
		binary.BigEndian.PutUint64(p, v)
	}
	for i := range p {
		v, _ := r.ReadBits(8)
		p[i] = byte(v)
	}
	return nil
}

// Pos returns the cursor, in bits from the start.
func (r *Reader) Pos() uint64 { return r.end() - r.Remaining() }

// Remaining returns the number of bits that are left.
func (r *Reader) Remaining() uint64 { return uint64(len(r.rest))*8 + uint64(r.have) }

// end returns the number of bits of the stream.
func (r *Reader) end() uint64 { return uint64(len(r.src))*8 - r.skip }

// SeekBit moves the cursor to a bit counted from the start, or to the end if there is no such bit.
func (r *Reader) SeekBit(pos uint64) {
	at := r.skip + min(pos, r.end())
	// First come the odd bytes, and then nothing but whole words.
	odd := uint64(len(r.src)) % 8
	if at < odd*8 {
		r.acc = 0
		for _, b := range r.src[:odd] {
			r.acc = r.acc<<8 | uint64(b)
		}
		r.have = uint(odd*8 - at)
		r.rest = r.src[odd:]
		return
	}
	at -= odd * 8
	r.have = 0
	r.rest = r.src[odd+at/64*8:]
	_, _ = r.ReadBits(uint(at % 64)) // they are there, because the cursor is not beyond the end
}

// Finish returns [ErrPadding] unless what is left is padding: fewer than eight bits, all of them zero. It moves
// nothing.
func (r *Reader) Finish() error {
	left := r.Remaining()
	if left >= 8 {
		return ErrPadding
	}
	ahead := *r
	if v, _ := ahead.ReadBits(uint(left)); v != 0 {
		return ErrPadding
	}
	return nil
}
