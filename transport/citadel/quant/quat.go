package quant

import (
	"fmt"
	"math"
)

// QuatMode is the width of a component of a quaternion, in bits: one of [Quat9], [Quat10] and [Quat15].
//
// A quaternion is four components x, y, z, w. Its code holds, from the top, the 2-bit index of the component that
// was dropped, which is the one of largest magnitude, and the other three in the order of their indexes. The
// dropped component follows from the length, which is one, and its sign from that of the others, because a
// quaternion and its negation are the same rotation.
//
// Any other mode is refused by [QuatMode.Check]. It has a width of 0 bits, encodes everything as 0 and decodes
// everything as the identity.
type QuatMode uint8

// The modes. Their codes have 29, 32 and 47 bits.
const (
	Quat9  QuatMode = 9
	Quat10 QuatMode = 10
	Quat15 QuatMode = 15
)

const (
	// span is the largest magnitude of a component that is not the largest: 1/sqrt(2).
	span = math.Sqrt2 / 2
	// normFloor is the length below which a quaternion has no direction.
	normFloor = 1e-6
)

// Check returns [ErrInvalidSpec] unless m is one of the modes.
func (m QuatMode) Check() error {
	if m.top() == 0 {
		return fmt.Errorf("%w: quaternion components of %d bits", ErrInvalidSpec, uint8(m))
	}
	return nil
}

// top returns the largest code of a component, or 0 if m is none of the modes.
func (m QuatMode) top() uint64 {
	switch m {
	case Quat9, Quat10, Quat15:
		return 1<<m - 1
	}
	return 0
}

// Bits returns the width of a code.
func (m QuatMode) Bits() uint {
	if m.top() == 0 {
		return 0
	}
	return 2 + 3*uint(m)
}

// Encode returns the code of q, which need not be of length one. A quaternion without direction, because it is next
// to zero or not finite, becomes the identity.
func (m QuatMode) Encode(q [4]float32) uint64 {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	norm := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z) + float64(w*w))
	// Neither NaN nor an infinity passes: the one fails the first comparison, the other the second.
	if !(norm >= normFloor && norm <= math.MaxFloat64) {
		q, norm = identity, 1
	}

	// The dropped component is the largest in magnitude, and of several the first. The format asks for the largest
	// after the division by the norm, which makes no difference: float32s that differ, differ by much more than what
	// a float64 rounds off. Magnitudes compare like integers of the same bits, and for those the compiler needs fewer
	// branches.
	const sign = 1 << 31
	index, most := uint64(0), math.Float32bits(q[0])&^sign
	if v := math.Float32bits(q[1]) &^ sign; v > most {
		index, most = 1, v
	}
	if v := math.Float32bits(q[2]) &^ sign; v > most {
		index, most = 2, v
	}
	if v := math.Float32bits(q[3]) &^ sign; v > most {
		index = 3
	}
	// Its sign is not kept: the quaternion is turned to where it is positive.
	norm = math.Copysign(norm, float64(q[index]))

	width, top := uint(m), m.top()
	if top == 0 {
		return 0
	}
	k, unit := &kept[index], float64(top)*(1<<fractionBits/(2*span))/norm
	a := componentCode(q[k[0]&3], unit, norm, top)
	b := componentCode(q[k[1]&3], unit, norm, top)
	c := componentCode(q[k[2]&3], unit, norm, top)
	return ((index<<width|a)<<width|b)<<width | c
}

// fractionBits is how much of a code's fraction componentCode looks at.
const fractionBits = 32

// componentCode returns the code of a component of a quaternion of that norm. A code is v/norm of unit, in fixed point,
// from the middle of the range on, and the fraction cut off. What that and the format's own expression round off is
// less than the last bit of the fraction. So they differ only where the code is about to be another one, and there the
// format's expression has the last word. A zero is there, too, but exactly, and in both.
//
// No clamp is needed: what is not the largest component is at most span, and what was rounded off does not make half a
// step.
func componentCode(v float32, unit, norm float64, top uint64) uint64 {
	const margin = 1 << 20
	fixed := uint64(int64(float64(v)*unit + float64(int64((top+1)<<(fractionBits-1)))))
	if (fixed+margin)&(1<<fractionBits-1) < 2*margin && v != 0 {
		return uint64(int64(float64((float64(v)/norm+span)/(2*span)*float64(int64(top))) + 0.5))
	}
	return fixed >> fractionBits
}

// Decode returns the quaternion of a code. It has length one and no NaN, whatever the code; bits above the width are
// ignored.
func (m QuatMode) Decode(code uint64) [4]float32 {
	width, top := uint(m), m.top()
	if top == 0 {
		return identity
	}
	x, y, z := m.component(code>>(2*width)), m.component(code>>width), m.component(code)
	// Three components can be longer than one: then nothing is left for the dropped one.
	dropped, left := 0.0, 1-(float64(x*x)+float64(y*y)+float64(z*z))
	if left > 0 {
		dropped = math.Sqrt(left)
	}
	w := dropped
	switch code >> (3 * width) & 3 {
	case 0:
		x, y, z, w = dropped, x, y, z
	case 1:
		y, z, w = dropped, y, z
	case 2:
		z, w = dropped, z
	}
	// The length is to be made one. With the dropped component it is, but for some 2^-51, and a float32 does not show
	// that unless it is next to becoming another one.
	if left <= 0 || nearTie(x) || nearTie(y) || nearTie(z) || nearTie(w) {
		norm := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z) + float64(w*w))
		x, y, z, w = x/norm, y/norm, z/norm, w/norm
	}
	return [4]float32{float32(x), float32(y), float32(z), float32(w)}
}

// nearTie reports whether a relative change of x by 2^-40 might change what float32 it is rounded to. The float32 of x must not be
// subnormal, unless it is zero.
func nearTie(x float64) bool {
	const dropped, margin = 29, 1 << 16 // bits of a float64 that a float32 has no room for
	return (math.Float64bits(x)+(1<<(dropped-1)+margin))&(1<<dropped-1) < 2*margin
}

// component returns the component whose code is in the low bits.
func (m QuatMode) component(code uint64) float64 {
	return float64(m.fraction(code)*(2*span)) - span
}

// fraction returns the code in the low bits divided by the largest one, 2^m-1. In binary that is the digits of the
// code, again and again. Two float64s hold enough of them to round their sum correctly: it is what a division gives,
// which takes longer.
func (m QuatMode) fraction(code uint64) float64 {
	var repeat uint64
	var scale float64
	switch m {
	case Quat9:
		repeat, scale = 1<<36|1<<27|1<<18|1<<9|1, 1.0/(1<<45)
	case Quat10:
		repeat, scale = 1<<40|1<<30|1<<20|1<<10|1, 1.0/(1<<50)
	case Quat15:
		repeat, scale = 1<<30|1<<15|1, 1.0/(1<<45)
	}
	x := float64(int64(code&(1<<m-1)*repeat)) * scale
	return x + x*scale
}

// EncodeComponents is [QuatMode.Encode] with the parts of the code apart.
func (m QuatMode) EncodeComponents(q [4]float32) (index uint8, codes [3]uint32) {
	code, width, top := m.Encode(q), uint(m), m.top()
	return uint8(code >> (3 * width)), [3]uint32{uint32(code >> (2 * width) & top), uint32(code >> width & top), uint32(code & top)}
}

// DecodeComponents is [QuatMode.Decode] with the parts of the code apart. It returns [ErrInvalidCode] if a part does not
// fit its width, and otherwise the error of [QuatMode.Check].
func (m QuatMode) DecodeComponents(index uint8, codes [3]uint32) ([4]float32, error) {
	if err := m.Check(); err != nil {
		return [4]float32{}, err
	}
	if index > 3 || uint64(max(codes[0], codes[1], codes[2])) > m.top() {
		return [4]float32{}, ErrInvalidCode
	}
	width := uint(m)
	return m.Decode(((uint64(index)<<width|uint64(codes[0]))<<width|uint64(codes[1]))<<width | uint64(codes[2])), nil
}

// identity is no rotation.
var identity = [4]float32{3: 1}

// kept are the components that remain when one is dropped.
var kept = [4][3]uint8{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}
