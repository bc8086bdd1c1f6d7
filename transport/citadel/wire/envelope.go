package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Sizes of the encodings, in bytes.
const (
	LengthPrefixBytes = 4
	KindBytes         = 2

	// FrameOverhead is what framing adds to a body.
	FrameOverhead = LengthPrefixBytes + KindBytes

	// MaxFrameBody is the largest length that a frame may announce. It counts the kind, so the largest body
	// is [MaxBody].
	MaxFrameBody = 8 << 20
	MaxBody      = MaxFrameBody - KindBytes
)

// What can be wrong with an encoding.
var (
	ErrFrameTooLarge    = errors.New("wire: frame too large")
	ErrFrameTooSmall    = errors.New("wire: frame too small for a kind")
	ErrDatagramTooSmall = errors.New("wire: datagram too small for a kind")
)

// Envelope is one message.
type Envelope struct {
	Kind Kind
	Body []byte
}

// AppendFramed appends the stream encoding of an envelope. A body longer than [MaxBody] is
// [ErrFrameTooLarge]; dst is then returned as it was.
func AppendFramed(dst []byte, kind Kind, body []byte) ([]byte, error) {
	if len(body) > MaxBody {
		return dst, fmt.Errorf("%w: body of %d bytes, at most %d", ErrFrameTooLarge, len(body), MaxBody)
	}
	dst = AppendFrameHeader(dst, kind, len(body))
	return append(dst, body...), nil
}

// AppendFrameHeader appends what comes before a body of n bytes on a stream, for callers that append the body
// in pieces. n must lie between 0 and [MaxBody].
func AppendFrameHeader(dst []byte, kind Kind, n int) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(n+KindBytes))
	return binary.BigEndian.AppendUint16(dst, uint16(kind))
}

// ParseFramed reads one framed envelope from the start of b and returns the number of bytes it took. A count
// of 0 without an error means that b holds no complete frame yet. The length is judged as soon as its four
// bytes are there: [ErrFrameTooLarge] and [ErrFrameTooSmall] leave no way to go on with this stream.
func ParseFramed(b []byte) (e Envelope, n int, err error) { return parseFramed(b, MaxFrameBody) }

func parseFramed(b []byte, limit int) (e Envelope, n int, err error) {
	if len(b) < LengthPrefixBytes {
		return Envelope{}, 0, nil
	}
	length := binary.BigEndian.Uint32(b)
	if length > uint32(limit) {
		return Envelope{}, 0, fmt.Errorf("%w: %d bytes announced, at most %d", ErrFrameTooLarge, length, limit)
	}
	if length < KindBytes {
		return Envelope{}, 0, fmt.Errorf("%w: %d bytes announced", ErrFrameTooSmall, length)
	}
	n = LengthPrefixBytes + int(length)
	if len(b) < n {
		return Envelope{}, 0, nil
	}
	kind := Kind(binary.BigEndian.Uint16(b[LengthPrefixBytes:]))
	return Envelope{Kind: kind, Body: b[FrameOverhead:n:n]}, n, nil
}
