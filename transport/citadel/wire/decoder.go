package wire

import (
	"encoding/binary"
	"iter"
)

const (
	// A buffer starts with this capacity.
	minBuffer = 4 << 10

	// A buffer that one large frame has grown beyond this is given back once it is empty.
	maxIdleBuffer = 64 << 10
)

// Decoder cuts the bytes of a stream into envelopes. There are three ways in, and a frame that is whole is
// copied by the last alone:
//
//   - [Decoder.Free] and [Decoder.Commit] let a reader fill the decoder's buffer; [Decoder.Next] returns the
//     envelopes.
//   - [Decoder.Frames] takes bytes that lie somewhere else, such as a WebSocket message, and returns the envelopes
//     where they lie. Only what is cut off at an end is copied.
//   - [Decoder.Write] copies whatever it gets into the buffer, for Next.
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
// decoder's buffer, valid until the next call to Free, Frames or Write. After an error, which is
// [ErrFrameTooLarge] or [ErrFrameTooSmall], the stream is unusable and Next returns the same error for ever.
func (d *Decoder) Next() (Envelope, bool, error) {
	if d.err != nil {
		return Envelope{}, false, d.err
	}
	e, n, err := parseFramed(d.buf[d.off:], d.frameLimit())
	d.off += n
	d.err = err
	return e, n > 0, err
}

func (d *Decoder) frameLimit() int {
	if d.limit <= 0 || d.limit > MaxFrameBody {
		return MaxFrameBody
	}
	return d.limit
}

// Frames returns the envelopes that are complete once p has followed what the decoder holds. The last thing that
// it returns may be an error, as from Next. A body is a view into p, or into the decoder's buffer for a frame that
// began earlier; it is valid until the next one is asked for or the loop ends, and for as long as p is not changed.
//
// All of p belongs to the stream as soon as the loop begins: the decoder copies what is incomplete, and if the
// loop is left early also what has not been looked at, which Next then returns. p itself is not retained.
func (d *Decoder) Frames(p []byte) iter.Seq2[Envelope, error] {
	// Small enough to be inlined where the loop is, so that the closure is not allocated.
	return func(yield func(Envelope, error) bool) { d.frames(p, yield) }
}

func (d *Decoder) frames(p []byte, yield func(Envelope, error) bool) {
	for d.err != nil || d.Buffered() > 0 {
		e, ok, err := d.Next()
		if err != nil {
			yield(Envelope{}, err)
			return
		}
		if ok {
			if !yield(e, nil) {
				_, _ = d.Write(p)
				return
			}
			continue
		}
		n := min(d.missing(), len(p))
		if n == 0 {
			return
		}
		_, _ = d.Write(p[:n])
		p = p[n:]
	}
	for limit := d.frameLimit(); ; {
		e, n, err := parseFramed(p, limit)
		if err != nil {
			d.err = err
			yield(Envelope{}, err)
			return
		}
		p = p[n:]
		if n == 0 || !yield(e, nil) {
			break
		}
	}
	if len(p) > 0 {
		_, _ = d.Write(p)
	}
}

// missing returns how many bytes the frame that has begun in the buffer lacks, or its length prefix. The prefix
// has been found good if it is there.
func (d *Decoder) missing() int {
	begun := d.buf[d.off:]
	if len(begun) < LengthPrefixBytes {
		return LengthPrefixBytes - len(begun)
	}
	return LengthPrefixBytes + int(binary.BigEndian.Uint32(begun)) - len(begun)
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
