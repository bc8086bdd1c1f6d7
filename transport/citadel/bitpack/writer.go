package bitpack

import "encoding/binary"

// Writer appends bits to a byte slice. The zero value appends to nil.
type Writer struct {
	buf   []byte
	start int    // len of the slice that was given
	acc   uint64 // bits that wait for a whole word, at the top, and zeros
	n     uint   // how many they are, at most 63
	err   error
}

// Reset makes w append to dst, at a byte boundary. The writer owns dst until [Writer.Bytes] gives it back.
func (w *Writer) Reset(dst []byte) {
	*w = Writer{buf: dst, start: len(dst)}
}

// WriteBits appends the low n bits of v. More than 64 bits are refused: nothing is written and [Writer.Err] says so.
func (w *Writer) WriteBits(v uint64, n uint) {
	// Small enough to be inlined, like ReadBits, and so it must stay.
	if n >= 64-w.n {
		if n > 64 {
			w.err = ErrTooManyBits
			return
		}
		v &^= ^uint64(0) << n
		w.n += n - 64
		w.buf = binary.BigEndian.AppendUint64(w.buf, w.acc|v>>w.n)
		w.acc = v << (64 - w.n)
		return
	}
	w.n += n
	// The masks change nothing. They tell the compiler that no shift is by more than 63.
	w.acc |= v &^ (^uint64(0) << (n & 63)) << (-w.n & 63)
}

// WriteBool appends one bit.
func (w *Writer) WriteBool(v bool) {
	var bit uint64
	if v {
		bit = 1
	}
	w.WriteBits(bit, 1)
}

// WriteBytes appends all of p, which need not start at a byte boundary of the stream.
func (w *Writer) WriteBytes(p []byte) {
	if w.n%8 == 0 {
		w.flush()
		w.buf = append(w.buf, p...)
		return
	}
	for ; len(p) >= 8; p = p[8:] {
		w.WriteBits(binary.BigEndian.Uint64(p), 64)
	}
	for _, b := range p {
		w.WriteBits(uint64(b), 8)
	}
}

// flush moves the waiting bits to the slice. Zeros fill the last byte.
func (w *Writer) flush() {
	for n := w.n; n > 0; n -= min(n, 8) {
		w.buf = append(w.buf, byte(w.acc>>56))
		w.acc <<= 8
	}
	w.n = 0
}

// WriteRun appends the first n bits of p, a run that was packed before. It returns [ErrShortRun], and writes
// nothing, if p holds fewer.
func (w *Writer) WriteRun(p []byte, n uint64) error {
	if n > uint64(len(p))*8 {
		return ErrShortRun
	}
	whole := n / 8
	w.WriteBytes(p[:whole])
	if odd := uint(n % 8); odd > 0 {
		w.WriteBits(uint64(p[whole])>>(8-odd), odd)
	}
	return nil
}

// Len returns the number of bits written since Reset.
func (w *Writer) Len() uint64 { return uint64(len(w.buf)-w.start)*8 + uint64(w.n) }

// Err returns [ErrTooManyBits] if a write was refused since Reset.
func (w *Writer) Err() error { return w.err }

// Bytes pads with zero bits to a whole byte and returns the slice given to Reset with everything written behind
// it. The writer gives the slice away: what is written afterwards, without a Reset, goes behind the padding.
func (w *Writer) Bytes() []byte {
	w.flush()
	return w.buf
}
