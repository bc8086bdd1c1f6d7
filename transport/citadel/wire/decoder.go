package wire

const (
	// A buffer starts with this capacity.
	minBuffer = 4 << 10

	// A buffer that one large frame has grown beyond this is given back once it is empty.
	maxIdleBuffer = 64 << 10
)

// Decoder cuts the bytes of a stream into envelopes. Bytes go in through [Decoder.Free] and [Decoder.Commit],
// or through [Decoder.Write]; envelopes come out of [Decoder.Next].
//
// The buffer grows with the bytes that have arrived, never with the length that a frame announces: it holds at
// most twice what an incomplete frame has delivered so far, or a few kilobytes.
//
// The zero value is ready for use and accepts frames up to [MaxFrameBody].
type Decoder struct {
	buf   []byte // buf[off:] has not been handed out
	off   int
	limit int // as set; 0 means MaxFrameBody
	err   error
}

// SetLimit bounds the length, kind included, that a frame may announce from now on. Zero, or anything above
// [MaxFrameBody], means MaxFrameBody.
func (d *Decoder) SetLimit(n int) { d.limit = n }

// Next returns the next complete envelope, and false when more bytes are needed. The body is a view into the
// decoder's buffer, valid until the next call to Free or Write. After an error, which is [ErrFrameTooLarge] or
// [ErrFrameTooSmall], the stream is unusable and Next returns the same error for ever.
func (d *Decoder) Next() (Envelope, bool, error) {
	if d.err != nil {
		return Envelope{}, false, d.err
	}
	limit := d.limit
	if limit <= 0 || limit > MaxFrameBody {
		limit = MaxFrameBody
	}
	e, n, err := parseFramed(d.buf[d.off:], limit)
	if err != nil {
		d.err = err
		return Envelope{}, false, err
	}
	d.off += n
	return e, n > 0, nil
}

// Buffered returns how many bytes wait for the rest of their frame, or for a call to Next.
func (d *Decoder) Buffered() int { return len(d.buf) - d.off }

// Free returns room for at least n more bytes. The caller fills a prefix of it and reports its length to
// Commit before calling any other method. Envelopes returned earlier become invalid.
func (d *Decoder) Free(n int) []byte {
	switch {
	case d.off == len(d.buf) && cap(d.buf) > maxIdleBuffer:
		d.buf, d.off = nil, 0
	case d.off == len(d.buf):
		d.buf, d.off = d.buf[:0], 0
	case d.off > 0 && cap(d.buf)-len(d.buf) < n:
		d.buf = d.buf[:copy(d.buf, d.buf[d.off:])]
		d.off = 0
	}
	if cap(d.buf)-len(d.buf) < n {
		grown := make([]byte, len(d.buf), max(minBuffer, len(d.buf)+n, 2*len(d.buf)))
		copy(grown, d.buf)
		d.buf = grown
	}
	return d.buf[len(d.buf):cap(d.buf)]
}

// Commit says that the first n bytes of what Free returned are now part of the stream.
func (d *Decoder) Commit(n int) { d.buf = d.buf[:len(d.buf)+n] }

// Write adds a copy of p to the stream. It implements [io.Writer] and never fails.
func (d *Decoder) Write(p []byte) (int, error) {
	copy(d.Free(len(p)), p)
	d.Commit(len(p))
	return len(p), nil
}

// Reset forgets all bytes and the error, and keeps the buffer and the limit.
func (d *Decoder) Reset() {
	d.buf, d.off, d.err = d.buf[:0], 0, nil
}
