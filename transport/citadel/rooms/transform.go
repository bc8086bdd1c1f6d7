package rooms

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// minNorm is the squared length up to which a quaternion is no rotation.
const minNorm = 1e-12

// Sanitise makes the rotation of a transform one of length 1. It returns false, and leaves the transform as it is, if
// a number in it is not finite or its rotation is too short to have a direction. What a client says of its actors
// goes through it.
func Sanitise(t *wire.Transform) bool {
	for _, numbers := range [...][]float32{t.Position[:], t.Rotation[:], t.Velocity[:]} {
		for _, f := range numbers {
			if f-f != 0 { // neither NaN nor an infinity minus itself is 0
				return false
			}
		}
	}
	// In 64 bits, the square of nothing that is finite in 32 overflows. The conversion around the product keeps
	// compilers from fusing it with the sum, so that all machines agree.
	norm := 0.0
	for _, f := range t.Rotation {
		norm += float64(float64(f) * float64(f))
	}
	if norm <= minNorm {
		return false
	}
	length := math.Sqrt(norm)
	for i, f := range t.Rotation {
		t.Rotation[i] = float32(float64(f) / length)
	}
	return true
}
