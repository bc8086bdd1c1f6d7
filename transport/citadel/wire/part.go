package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// PartHeaderBytes is the size of a part without its bytes.
const PartHeaderBytes = 12

// ErrPartTooSmall is returned for a part that ends inside its header or carries no bytes.
var ErrPartTooSmall = errors.New("wire: session part too small")

// Part is the body of a [KindSessionPart]: a piece of a frame that is too large for one envelope. The pieces
// of a transfer follow each other without gaps or overlaps.
//
//	transfer u32 | total u32 | offset u32 | bytes
type Part struct {
	Transfer uint32 // chosen by the sender, the same in all pieces of a frame
	Total    uint32 // size of the whole frame in bytes
	Offset   uint32 // where Bytes belongs in it
	Bytes    []byte
}

// AppendPartHeader appends everything of a part but its bytes.
func AppendPartHeader(dst []byte, p Part) []byte {
	dst = binary.BigEndian.AppendUint32(dst, p.Transfer)
	dst = binary.BigEndian.AppendUint32(dst, p.Total)
	return binary.BigEndian.AppendUint32(dst, p.Offset)
}

// AppendPart appends the encoding of p.
func AppendPart(dst []byte, p Part) []byte {
	return append(AppendPartHeader(dst, p), p.Bytes...)
}

// ParsePart reads a whole body; Bytes borrows from it. The only error is [ErrPartTooSmall]: whether the piece
// fits what came before is for the receiver to judge.
func ParsePart(b []byte) (Part, error) {
	if len(b) <= PartHeaderBytes {
		return Part{}, fmt.Errorf("%w: %d bytes", ErrPartTooSmall, len(b))
	}
	return Part{
		Transfer: binary.BigEndian.Uint32(b),
		Total:    binary.BigEndian.Uint32(b[4:]),
		Offset:   binary.BigEndian.Uint32(b[8:]),
		Bytes:    b[PartHeaderBytes:],
	}, nil
}
