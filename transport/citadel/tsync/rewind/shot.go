package rewind

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// DefaultRadius is the radius of a target's sphere, in centimetres, unless somebody configured another.
const DefaultRadius float32 = 50

// minDirection is the squared length up to which a direction points nowhere.
const minDirection float32 = 1e-12

// Shape is the body that shots can hit, in centimetres: a capsule that stands along the object's z axis, around its
// position. Without a HalfLength it is a sphere.
type Shape struct {
	Radius     float32
	HalfLength float32 // from the middle to where the round end begins; half of the height is that and Radius
}

// At returns the target that an object in a state is.
func (s Shape) At(object uint32, state *tsync.State) Target {
	t := Target{Object: object, Center: state.Position, Radius: s.Radius}
	if s.HalfLength != 0 {
		up := zAxis(state.Rotation)
		for i := range t.Half {
			t.Half[i] = float32(float64(s.HalfLength) * up[i])
		}
	}
	return t
}

// zAxis returns the third column of a rotation's matrix. What is not of unit length stretches it.
func zAxis(q [4]float32) vec {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	return vec{
		2 * (float64(x*z) + float64(w*y)),
		2 * (float64(y*z) - float64(w*x)),
		1 - 2*(float64(x*x)+float64(y*y)),
	}
}

// Target is something that can be hit: all that is within Radius of the segment from Center-Half to Center+Half. With a
// Half of zero that is a sphere. A negative radius acts as its absolute value; a target with a number that is not finite
// is missed.
type Target struct {
	Object uint32
	Center [3]float32
	Half   [3]float32
	Radius float32
}

// Shot is a ray. The direction need not have length 1; with a squared length of at most 1e-12, or one that is not finite
// in float32, it hits nothing.
type Shot struct {
	Origin    [3]float32 // centimetres
	Direction [3]float32

	// Reference tests spheres in float32 as the public Citadel reference does. The package comment says what that
	// is needed for.
	Reference bool
}

// Hit is what a shot hit.
type Hit struct {
	Object   uint32
	Distance float64    // centimetres
	Point    [3]float32 // where the ray enters, or the origin if that is inside
}

// Nearest returns the first target along the ray, the earlier in the list of two at the same distance, and false if
// there is none. It does not retain the list.
func Nearest(shot Shot, targets []Target) (Hit, bool) {
	return nearest(shot, targets, func(uint32) bool { return false })
}

// NearestExcept is [Nearest] without the targets of one object, the shooter's.
func NearestExcept(shot Shot, targets []Target, object uint32) (Hit, bool) {
	return nearest(shot, targets, func(o uint32) bool { return o == object })
}

func nearest(shot Shot, targets []Target, skip func(object uint32) bool) (hit Hit, found bool) {
	square := dot32(shot.Direction, shot.Direction)
	if !finite(square) || square <= minDirection {
		return Hit{}, false
	}
	ray := newRay(&shot)
	inverse := 1 / float32(math.Sqrt(float64(square)))
	var unit [3]float32
	for i, d := range shot.Direction {
		unit[i] = d * inverse
	}
	for i := range targets {
		t := &targets[i]
		if skip(t.Object) {
			continue
		}
		var distance float64
		var ok bool
		if shot.Reference && t.Half == [3]float32{} {
			var d float32
			d, ok = sphere32(shot.Origin, unit, t)
			distance = float64(d)
		} else {
			distance, ok = ray.enters(t)
		}
		if ok && (!found || distance < hit.Distance) {
			hit, found = Hit{Object: t.Object, Distance: distance}, true
		}
	}
	if !found {
		return Hit{}, false
	}
	for i := range hit.Point {
		if shot.Reference {
			hit.Point[i] = shot.Origin[i] + float32(unit[i]*float32(hit.Distance))
		} else {
			hit.Point[i] = float32(ray.origin[i] + float64(ray.dir[i]*hit.Distance))
		}
	}
	return hit, true
}

// sphere32 is the reference's test.
func sphere32(origin, dir [3]float32, t *Target) (distance float32, ok bool) {
	var oc [3]float32
	for i := range oc {
		oc[i] = origin[i] - t.Center[i]
	}
	b := dot32(oc, dir)
	c := dot32(oc, oc) - float32(t.Radius*t.Radius)
	if c <= 0 {
		return 0, true
	}
	d := float32(b*b) - c
	if d < 0 {
		return 0, false
	}
	distance = -b - float32(math.Sqrt(float64(d)))
	return distance, distance >= 0
}

// dot32 sums from left to right.
func dot32(a, b [3]float32) float32 {
	s := float32(a[0]*b[0]) + float32(a[1]*b[1])
	return s + float32(a[2]*b[2])
}

func finite(f float32) bool { return f-f == 0 }
