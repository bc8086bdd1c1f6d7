package wire

import (
	"encoding/binary"
	"math"
)

// PositionBytes is the size of a [Position].
const PositionBytes = 8

// SenderIDBytes is the size of what a relayed body has in front.
const SenderIDBytes = 8

// Position is the body that the demos and SDKs give a [KindPosition], and behind a sender's id a
// [KindPeerPosition]. The protocol itself treats these bodies as opaque, so an application may have another.
// The coordinates are in centimetres by convention; NaN and the infinities are not refused.
//
//	x f32 | y f32, little-endian, unlike all else in this package
type Position struct {
	X, Y float32
}

// AppendPosition appends the encoding of p.
func AppendPosition(dst []byte, p Position) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(p.X))
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(p.Y))
}

// ParsePosition reads a whole body. A shorter one is [ErrTooShort], a longer one [ErrCount].
func ParsePosition(b []byte) (Position, error) {
	if len(b) < PositionBytes {
		return Position{}, errShortPosition
	}
	if len(b) > PositionBytes {
		return Position{}, errLongPosition
	}
	return Position{
		X: math.Float32frombits(binary.LittleEndian.Uint32(b)),
		Y: math.Float32frombits(binary.LittleEndian.Uint32(b[4:])),
	}, nil
}

// Tagged is a body that a server relays, behind the id of the session that it came from: the body of a
// [KindPeerPosition].
//
//	sender u64 | payload
type Tagged struct {
	Sender  uint64
	Payload []byte
}

// AppendTagged appends the encoding of t.
func AppendTagged(dst []byte, t Tagged) []byte {
	dst = binary.BigEndian.AppendUint64(dst, t.Sender)
	return append(dst, t.Payload...)
}

// ParseTagged reads a whole body; Payload borrows from it. The only error is [ErrTooShort].
func ParseTagged(b []byte) (Tagged, error) {
	if len(b) < SenderIDBytes {
		return Tagged{}, errShortTag
	}
	return Tagged{Sender: binary.BigEndian.Uint64(b), Payload: b[SenderIDBytes:]}, nil
}
