package client

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// Conversions of products, here and elsewhere in this package, keep compilers from fusing them with sums; assigning them
// to variables would not.

const (
	// slerpLimit is the cosine above which two rotations are so close that a straight line will do.
	slerpLimit = 0.9995
	// normLimit is the length below which a quaternion has no direction.
	normLimit = 1e-9
)

// stateAt returns where the object was at a tick, or where it would be by now. There must be a sample.
func (t *track) stateAt(tick, rate float64, snap float32) tsync.State {
	newest := t.newest()
	if tick >= float64(newest.tick) {
		return extrapolate(newest, (tick-float64(newest.tick))/rate)
	}
	n := t.count - 1 // the newest sample at or before the tick
	for n >= 0 && float64(t.sample(n).tick) > tick {
		n--
	}
	if n < 0 {
		return t.sample(0).state
	}
	lo, hi := t.sample(n), t.sample(n+1)
	if float64(lo.tick) == tick || snap > 0 && jumped(lo, hi, snap) {
		return lo.state
	}
	return blend(lo, hi, tick, rate)
}

// extrapolate returns where an object is some seconds after its newest sample, but not more than MaxExtrapolation.
func extrapolate(s *sample, seconds float64) tsync.State {
	state := s.state
	if s.moving {
		dt := float32(min(seconds, MaxExtrapolation))
		for i := range state.Position {
			state.Position[i] += float32(state.Velocity[i] * dt)
		}
	}
	return state
}

// jumped reports whether two samples are farther apart than some distance.
func jumped(lo, hi *sample, snap float32) bool {
	var square float64
	for i := range lo.state.Position {
		d := float64(hi.state.Position[i]) - float64(lo.state.Position[i])
		square += float64(d * d)
	}
	return square > float64(snap)*float64(snap)
}

// blend returns where an object was at a tick between two samples.
func blend(lo, hi *sample, tick, rate float64) (s tsync.State) {
	span := float64(hi.tick - lo.tick)
	t := (tick - float64(lo.tick)) / span
	narrow := float32(t)
	if lo.moving && hi.moving {
		s.Position = hermite(&lo.state, &hi.state, t, span/rate)
	} else {
		s.Position = lerp(lo.state.Position, hi.state.Position, narrow)
	}
	s.Velocity = lerp(lo.state.Velocity, hi.state.Velocity, narrow)
	s.Rotation = slerp(lo.state.Rotation, hi.state.Rotation, t)
	return s
}

// hermite is the cubic curve from a to b that has their velocities at its ends; it takes some seconds.
func hermite(a, b *tsync.State, t, seconds float64) (p [3]float32) {
	t2 := float64(t * t)
	t3 := float64(t2 * t)
	h00 := float64(2*t3) - float64(3*t2) + 1
	h10 := t3 - float64(2*t2) + t
	h01 := float64(-2*t3) + float64(3*t2)
	h11 := t3 - t2
	for i := range p {
		m0 := float64(float64(a.Velocity[i]) * seconds)
		m1 := float64(float64(b.Velocity[i]) * seconds)
		v := float64(h00*float64(a.Position[i])) + float64(h10*m0)
		v += float64(h01 * float64(b.Position[i]))
		v += float64(h11 * m1)
		p[i] = float32(v)
	}
	return p
}

// lerp is the straight line from a to b.
func lerp(a, b [3]float32, t float32) (p [3]float32) {
	for i := range p {
		p[i] = a[i] + float32((b[i]-a[i])*t)
	}
	return p
}

// slerp is the shorter arc from a to b. If they are almost the same it is a straight line, made unit length again.
func slerp(a, b [4]float32, t float64) (q [4]float32) {
	var dot float64
	for i := range a {
		dot += float64(float64(a[i]) * float64(b[i]))
	}
	if dot < 0 {
		dot = -dot
		for i := range b {
			b[i] = -b[i]
		}
	}
	if dot > slerpLimit {
		narrow := float32(t)
		for i := range q {
			q[i] = a[i] + float32((b[i]-a[i])*narrow)
		}
		return normalise(q)
	}
	theta := math.Acos(dot)
	sine := math.Sin(theta)
	s0 := math.Sin(theta-float64(theta*t)) / sine
	s1 := math.Sin(float64(theta*t)) / sine
	for i := range q {
		q[i] = float32(float64(s0*float64(a[i])) + float64(s1*float64(b[i])))
	}
	return normalise(q)
}

// normalise makes a quaternion one of length 1, and the identity if it has no direction.
func normalise(q [4]float32) [4]float32 {
	var square float64
	for i := range q {
		square += float64(float64(q[i]) * float64(q[i]))
	}
	norm := math.Sqrt(square)
	if !(norm >= normLimit) {
		return [4]float32{3: 1}
	}
	for i := range q {
		q[i] = float32(float64(q[i]) / norm)
	}
	return q
}
