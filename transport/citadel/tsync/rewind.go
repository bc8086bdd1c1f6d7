package tsync

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// RewindBytes is the size of an encoded [Rewind].
const RewindBytes = 25

// rewindHit is the flag of a hit.
const rewindHit = 1

// Rewind is the body of a kind-12 frame: what the server found when it put the world back to what a client saw when
// it fired.
//
//	input sequence u32 | flags u8, bit 0 for a hit | object u32 | hit point 3 x f32 | rewind tick u32
type Rewind struct {
	InputSeq   uint32 // of the [InputFrame] that fired
	Hit        bool
	Object     uint32     // what was hit, 0 if nothing was
	HitPoint   [3]float32 // centimetres
	RewindTick uint32     // the step of the server's simulation that was looked at
}

// AppendRewind appends the encoding of r.
func AppendRewind(dst []byte, r Rewind) []byte {
	dst = binary.BigEndian.AppendUint32(dst, r.InputSeq)
	var flags byte
	if r.Hit {
		flags = rewindHit
	}
	dst = append(dst, flags)
	dst = binary.BigEndian.AppendUint32(dst, r.Object)
	dst = appendVec3(dst, r.HitPoint)
	return binary.BigEndian.AppendUint32(dst, r.RewindTick)
}

// ParseRewind reads a body; bytes after the 25th and unknown flags are ignored. The floats are as they came: NaN
// passes. Its only error is [wire.ErrTooShort].
func ParseRewind(b []byte) (Rewind, error) {
	if len(b) < RewindBytes {
		return Rewind{}, fmt.Errorf("tsync: rewind of %d bytes: %w", len(b), wire.ErrTooShort)
	}
	return Rewind{
		InputSeq:   binary.BigEndian.Uint32(b),
		Hit:        b[4]&rewindHit != 0,
		Object:     binary.BigEndian.Uint32(b[5:]),
		HitPoint:   vec3(b[9:]),
		RewindTick: binary.BigEndian.Uint32(b[21:]),
	}, nil
}
