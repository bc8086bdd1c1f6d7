package tsync

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// HelloBytes is the size of an encoded [Hello].
const HelloBytes = 59

const boundsBytes = 28

// Bounds is a box and how finely it is divided: centimetres for positions, centimetres a second for velocities.
type Bounds struct {
	Min, Max [3]float32 // x, y, z
	PerUnit  uint32     // codes to the unit, on every axis
}

// Hello is the body of a kind-7 frame from a server: what both sides build their [Codec] from. The opt-in with which
// a client asks for it is the same kind with an empty body, which [ParseHello] refuses; a server looks at the
// length only.
//
//	position min 3 x f32 | max 3 x f32 | per unit u32 | velocity, the same | quaternion mode u8 | send rate u8 | sim rate u8
type Hello struct {
	Position Bounds
	Velocity Bounds
	Quat     quant.QuatMode
	SendRate uint8 // snapshots a second
	SimRate  uint8 // steps of the simulation a second
}

// DefaultHello returns what servers offer if nobody configured anything else: 5.24 km by 5.24 km by 655 m in eighths
// of a centimetre, 328 m/s in quarters of a centimetre a second, 10 bits to a quaternion component, 20 snapshots and
// 60 steps a second. An update of a whole state has 207 bits.
func DefaultHello() Hello {
	return Hello{
		Position: Bounds{Min: [3]float32{-262144, -262144, -32768}, Max: [3]float32{262144, 262144, 32768}, PerUnit: 8},
		Velocity: Bounds{Min: [3]float32{-32768, -32768, -32768}, Max: [3]float32{32768, 32768, 32768}, PerUnit: 4},
		Quat:     quant.Quat10,
		SendRate: 20,
		SimRate:  60,
	}
}

// AppendHello appends the encoding of h, whatever it holds: a server learns from [NewCodec] whether it is of use.
func AppendHello(dst []byte, h Hello) []byte {
	dst = appendBounds(dst, &h.Position)
	dst = appendBounds(dst, &h.Velocity)
	return append(dst, byte(h.Quat), h.SendRate, h.SimRate)
}

// ParseHello reads a body; bytes after the 59th are ignored. It returns [wire.ErrTooShort], or [wire.ErrOutOfRange] for
// a quaternion mode that there is not. Bounds are not looked at: that is for [NewCodec].
func ParseHello(b []byte) (Hello, error) {
	if len(b) < HelloBytes {
		return Hello{}, fmt.Errorf("tsync: hello of %d bytes: %w", len(b), wire.ErrTooShort)
	}
	h := Hello{
		Position: parseBounds(b),
		Velocity: parseBounds(b[boundsBytes:]),
		Quat:     quant.QuatMode(b[2*boundsBytes]),
		SendRate: b[2*boundsBytes+1],
		SimRate:  b[2*boundsBytes+2],
	}
	if h.Quat.Check() != nil {
		return Hello{}, fmt.Errorf("tsync: hello with quaternion mode %d: %w", h.Quat, wire.ErrOutOfRange)
	}
	return h, nil
}

func appendBounds(dst []byte, b *Bounds) []byte {
	dst = appendVec3(dst, b.Min)
	dst = appendVec3(dst, b.Max)
	return binary.BigEndian.AppendUint32(dst, b.PerUnit)
}

func parseBounds(b []byte) Bounds {
	return Bounds{Min: vec3(b), Max: vec3(b[12:]), PerUnit: binary.BigEndian.Uint32(b[24:])}
}
