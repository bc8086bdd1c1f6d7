package motion

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// minNorm is the squared length up to which a quaternion is no rotation.
const minNorm = 1e-12

// Finite reports whether every number of s is one. What is not must not get into a world: a NaN velocity cannot be
// quantised, and a NaN position never goes away again.
func Finite(s *tsync.State) bool {
	for i := range s.Position {
		if !finite(s.Position[i]) || !finite(s.Velocity[i]) {
			return false
		}
	}
	for _, f := range s.Rotation {
		if !finite(f) {
			return false
		}
	}
	return true
}

// Sanitise makes the rotation of s one of length 1. It returns false, and leaves s as it is, if a number in it is not
// finite or if the squared length of the rotation is at most 1e-12. What a client says of its own actor goes through
// it; a wire.Transform has the fields of a State and can be converted.
func Sanitise(s *tsync.State) bool {
	if !Finite(s) {
		return false
	}
	// In 64 bits, the square of nothing that is finite in 32 overflows.
	norm := 0.0
	for _, f := range s.Rotation {
		norm += float64(float64(f) * float64(f))
	}
	if norm <= minNorm {
		return false
	}
	length := math.Sqrt(norm)
	for i, f := range s.Rotation {
		s.Rotation[i] = float32(float64(f) / length)
	}
	return true
}
