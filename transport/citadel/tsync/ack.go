package tsync

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// AckBytes is the size of an encoded [Ack].
const AckBytes = 8

var errAckShort = fmt.Errorf("tsync: ack: %w", wire.ErrTooShort)

// Ack is the body of a kind-10 frame: the snapshots that a client has.
//
//	id u32 | history u32
type Ack struct {
	ID      uint32 // the newest, 0 if there is none
	History uint32 // bit k stands for ID-1-k
}

// AppendAck appends the encoding of a.
func AppendAck(dst []byte, a Ack) []byte {
	dst = binary.BigEndian.AppendUint32(dst, a.ID)
	return binary.BigEndian.AppendUint32(dst, a.History)
}

// ParseAck reads a body; bytes after the eighth are ignored. Its only error is [wire.ErrTooShort]: a history without an
// id is refused by the window that it goes into.
func ParseAck(b []byte) (Ack, error) {
	if len(b) < AckBytes {
		return Ack{}, errAckShort
	}
	return Ack{ID: binary.BigEndian.Uint32(b), History: binary.BigEndian.Uint32(b[4:])}, nil
}
