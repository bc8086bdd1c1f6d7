package motion

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// Integrate moves an object as its owner wants: with velocity move, in centimetres a second, for dt seconds, both cut
// down to the limits. The velocity that was granted becomes the object's; the rotation stays.
//
// It takes anything. A dt that is not finite counts as 0, a velocity that is not as zero; so does one whose square
// overflows, above some 1e19 cm/s. Limits that are not valid have a defined outcome too: with a MaxSpeed that is not
// finite or not positive the velocity is zero, with a side of the world turned around the position is its Max.
func Integrate(s *tsync.State, move [3]float32, dt float32, l *Limits) {
	dt = clampDT(dt, l.MaxDT)
	s.Velocity = clampSpeed(move, l.MaxSpeed)
	for i := range s.Position {
		// The conversion keeps compilers from fusing product and sum.
		s.Position[i] = clampPosition(s.Position[i]+float32(s.Velocity[i]*dt), l.World.Min[i], l.World.Max[i])
	}
}

// clampDT returns the time that is granted.
func clampDT(dt, most float32) float32 {
	switch {
	case !finite(dt) || dt < 0:
		return 0
	case dt > most:
		return most
	}
	return dt
}

// clampSpeed returns the velocity that is granted.
func clampSpeed(v [3]float32, most float32) [3]float32 {
	if !finite(most) || most <= 0 {
		return [3]float32{}
	}
	square := float32(v[0]*v[0]) + float32(v[1]*v[1])
	square += float32(v[2] * v[2])
	switch {
	case !finite(square):
		return [3]float32{}
	case square <= most*most:
		return v
	}
	// A root of a float32 taken in float64 and narrowed is rounded correctly.
	scale := most / float32(math.Sqrt(float64(square)))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// clampPosition lets the upper bound win where the bounds are the wrong way round.
func clampPosition(p, lo, hi float32) float32 {
	if !finite(p) || p < lo {
		p = lo
	}
	if p > hi {
		return hi
	}
	return p
}

// finite reports whether f is a number: neither a NaN nor an infinity minus itself is 0.
func finite(f float32) bool { return f-f == 0 }
