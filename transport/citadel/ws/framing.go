package ws

import (
	"encoding/binary"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// maxBatch is how many bytes of several envelopes are sent in one message at most. A single one may be larger.
const maxBatch = 64 << 10

// readLimit is the longest message that is accepted from a peer whose envelopes may have bodies of maxEnvelope
// bytes: one of those, or a batch, or both.
func readLimit(maxEnvelope int) int64 { return int64(wire.FrameOverhead+maxEnvelope) + maxBatch }

// batch returns how many bytes of p, which holds whole framed envelopes, make the next message.
func batch(p []byte) int {
	if len(p) <= maxBatch {
		return len(p)
	}
	n := 0
	for n < len(p) {
		frame := frameLen(p[n:])
		if n > 0 && n+frame > maxBatch {
			break
		}
		n += frame
	}
	return min(n, len(p))
}

// frameLen returns the length of the framed envelope that p begins with.
func frameLen(p []byte) int {
	return wire.LengthPrefixBytes + int(binary.BigEndian.Uint32(p))
}

// framer follows the envelopes of a message without keeping them.
type framer struct {
	prefix uint32 // as much as has come of a length
	have   int    // bytes of it
	rest   uint32 // bytes of the frame that are still to come
}

// write takes the next bytes of the message.
func (f *framer) write(p []byte) {
	for len(p) > 0 {
		if f.rest > 0 {
			n := min(uint64(f.rest), uint64(len(p)))
			f.rest -= uint32(n)
			p = p[n:]
			continue
		}
		f.prefix = f.prefix<<8 | uint32(p[0])
		p = p[1:]
		if f.have++; f.have == wire.LengthPrefixBytes {
			f.rest, f.prefix, f.have = f.prefix, 0, 0
		}
	}
}

// whole reports whether the message may end here.
func (f *framer) whole() bool { return f.have == 0 && f.rest == 0 }
