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
	// For codes of 10 bits a float32 is precise enough, most of the time, and faster. Where it may not be, encode
	// decides.
	if square := q[0]*q[0] + q[1]*q[1] + (q[2]*q[2] + q[3]*q[3]); m == Quat10 && square > 1e-3 && square < 1e3 {
		// The dropped component is the largest in magnitude, and of several the first. Its sign is not kept: the
		// quaternion is turned to where it is positive.
		index := 3 - max(rank(q[0], 3), rank(q[1], 2), rank(q[2], 1), rank(q[3], 0))&3
		sign := math.Float32bits(q[index]) & (1 << 31)
		unit := 1023 * (1 << stepBits) / (2 * span) / float32(math.Sqrt(float64(square)))
		unit = math.Float32frombits(math.Float32bits(unit) ^ sign)
		k := &kept[index]
		x, y, z := q[k[0]&3], q[k[1]&3], q[k[2]&3]
		a, b, c := steps(x*unit), steps(y*unit), steps(z*unit)
		if (sure(a) || x == 0) && (sure(b) || y == 0) && (sure(c) || z == 0) {
			return index<<30 | uint64(a>>stepBits)<<20 | uint64(b>>stepBits)<<10 | uint64(c>>stepBits)
		}
	}
	return m.encode(q)
}

// rank orders components by magnitude, and equal ones by a number below 4. Magnitudes compare like integers of the
// same bits. Rotations are not what a processor can guess, and so there is nothing to branch on.
func rank(v float32, n uint64) uint64 { return uint64(math.Float32bits(v)<<1)<<1 | n }

// stepBits is how much of a code's fraction Encode looks at: what a float32 has room for.
const stepBits = 13

// steps returns a code and its fraction. Zero is in the middle, at 511.5, and codes are rounded up from the half.
func steps(offset float32) uint32 { return uint32(int32(offset + 512<<stepBits)) }

// sure reports whether a code is the one that encode finds: whether it is not next to becoming another one. Six
// roundings of at most 2^-24 of 511.5 codes, and that of the sum, are less than two steps. Zero is next to another
// one, too, but has no error.
func sure(steps uint32) bool { return (steps+8)&(1<<stepBits-1) >= 16 }

// encode does what the format says, in its precision.
func (m QuatMode) encode(q [4]float32) uint64 {
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

	width, top := uint(m), float64(m.top())
	if top == 0 {
		return 0
	}
	k := &kept[index]
	a, b, c := componentCode(q[k[0]&3], norm, top), componentCode(q[k[1]&3], norm, top), componentCode(q[k[2]&3], norm, top)
	return ((index<<width|a)<<width|b)<<width | c
}

// componentCode needs no clamp: what is not the largest is at most span, and what was rounded off does not make half a
// step.
func componentCode(v float32, norm, top float64) uint64 {
	return uint64(int64(float64((float64(v)/norm+span)/(2*span)*top) + 0.5))
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
	// The length is to be made one. With the dropped component it is, but for 2^-50, and no float32 shows that unless
	// it is next to becoming another one.
	if left <= 0 || nearTie(x) || nearTie(y) || nearTie(z) || nearTie(w) {
		norm := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z) + float64(w*w))
		x, y, z, w = x/norm, y/norm, z/norm, w/norm
	}
	return [4]float32{float32(x), float32(y), float32(z), float32(w)}
}

// nearTie reports whether x is nearer than 2^-37 of itself to the middle between two float32s. They are not subnormal:
// kept components are at least half a step, and the dropped one, if not zero, is at least 2^-27.
func nearTie(x float64) bool {
	const rest, margin = 29, 1 << 16 // the bits of x that a float32 has no room for
	return (math.Float64bits(x)+(1<<(rest-1)+margin))&(1<<rest-1) < 2*margin
}

// component returns the component whose code is in the low bits.
func (m QuatMode) component(code uint64) float64 {
	return float64(m.fraction(code)*(2*span)) - span
}

// fraction returns the code in the low bits divided by the largest one, 2^m-1. In binary that is the digits of the
// code, again and again. Two float64s hold enough of them for their sum to be rounded as the quotient is, and no
// division takes as little time.
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
