package rewind

import "math"

// vec is a vector in the precision in which hits are found.
type vec [3]float64

func widen(a [3]float32) vec { return vec{float64(a[0]), float64(a[1]), float64(a[2])} }

func (a vec) minus(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// plus returns a + b*f.
func (a vec) plus(b vec, f float64) vec {
	return vec{a[0] + float64(b[0]*f), a[1] + float64(b[1]*f), a[2] + float64(b[2]*f)}
}

func (a vec) dot(b vec) float64 {
	s := float64(a[0]*b[0]) + float64(a[1]*b[1])
	return s + float64(a[2]*b[2])
}

// ray has a direction of length 1.
type ray struct {
	origin, dir vec
}

func newRay(s *Shot) ray {
	d := widen(s.Direction)
	return ray{widen(s.Origin), vec{}.plus(d, 1/math.Sqrt(d.dot(d)))}
}

// enters returns how far along the ray a target is, 0 if the ray begins inside, and false if it misses.
func (r *ray) enters(t *Target) (distance float64, ok bool) {
	if !finite(t.Radius) { // the only number that could make anything else fit
		return 0, false
	}
	from, radius := r.origin.minus(widen(t.Center)), math.Abs(float64(t.Radius))
	half := widen(t.Half)
	length := math.Sqrt(half.dot(half))
	if length == 0 {
		return r.sphere(from, radius)
	}
	if _, near := r.sphere(from, radius+length); !near { // most are not
		return 0, false
	}
	axis := vec{}.plus(half, 1/length)

	// A capsule is two balls and what lies between them. Unless the ray begins inside, it enters the whole where it
	// enters the first of the three; into the middle piece it comes through the side, as the ends lie in the balls.
	along := min(max(from.dot(axis), -length), length)
	nearest := from.plus(axis, -along)
	if nearest.dot(nearest) <= radius*radius {
		return 0, true
	}
	distance = math.Inf(1)
	for _, end := range [...]float64{-length, length} {
		if d, hit := r.sphere(from.plus(axis, -end), radius); hit && d < distance {
			distance, ok = d, true
		}
	}
	if d, hit := r.side(from, axis, length, radius); hit && d < distance {
		distance, ok = d, true
	}
	return distance, ok
}

// sphere tests a ball that is around the point from which the ray begins at from. By the point of closest approach
// nothing is subtracted that is large and nearly alike, as in the solution of the quadratic equation.
func (r *ray) sphere(from vec, radius float64) (distance float64, ok bool) {
	if from.dot(from) <= radius*radius {
		return 0, true
	}
	closest := -from.dot(r.dir)
	miss := from.plus(r.dir, closest)
	d := float64(radius*radius) - miss.dot(miss)
	if !(d >= 0) {
		return 0, false
	}
	distance = closest - math.Sqrt(d)
	return distance, distance >= 0
}

// parallel is the squared sine of the angle up to which a ray is parallel to a capsule's axis. It then comes in by one
// of the ends, if at all.
const parallel = 1e-20

// side tests the mantle of the cylinder around axis, of which from is where the ray begins as seen from its middle.
func (r *ray) side(from, axis vec, length, radius float64) (distance float64, ok bool) {
	across := r.dir.plus(axis, -r.dir.dot(axis))
	square := across.dot(across)
	if !(square > parallel) {
		return 0, false
	}
	off := from.plus(axis, -from.dot(axis))
	closest := -off.dot(across) / square
	miss := off.plus(across, closest)
	d := (float64(radius*radius) - miss.dot(miss)) / square
	if !(d >= 0) {
		return 0, false
	}
	distance = closest - math.Sqrt(d)
	at := from.plus(r.dir, distance).dot(axis)
	return distance, distance >= 0 && math.Abs(at) <= length
}
