package quant

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// What the codecs refuse.
var (
	ErrNotANumber  = errors.New("quant: not a number")
	ErrInvalidCode = errors.New("quant: no such code")
	ErrInvalidSpec = errors.New("quant: invalid spec") // bounds, resolution or mode
)

// Scalar maps the numbers from a least to a greatest one onto the codes from zero to [Scalar.MaxCode]. Make one with
// [NewScalar]; the zero value encodes everything as 0 and decodes nothing.
type Scalar struct {
	// Four words, which is as much as the compiler keeps in registers when it inlines a method.
	min, max float64
	perUnit  float64
	steps    uint64
}

// NewScalar returns the codec of [min, max] with valuesPerUnit codes to the unit, and at least one step between the
// bounds. It returns [ErrInvalidSpec] if a bound is not finite, max is not above min, valuesPerUnit is zero or the
// codes do not fit 64 bits.
//
// Unless a step divides the range evenly, the largest code stands for a number that is a little off max, or, if the
// range is smaller than a step, a lot.
func NewScalar(min, max float32, valuesPerUnit uint32) (Scalar, error) {
	lo, hi := float64(min), float64(max)
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) || valuesPerUnit == 0 {
		return Scalar{}, fmt.Errorf("%w: [%g, %g] at %d per unit", ErrInvalidSpec, min, max, valuesPerUnit)
	}
	s := Scalar{min: lo, max: hi, perUnit: float64(valuesPerUnit)}
	steps := s.nearest(hi)
	// The first float that is no uint64. The last one before it leaves room for the number of codes.
	if steps >= 1<<64 {
		return Scalar{}, fmt.Errorf("%w: [%g, %g] at %d per unit needs more than 64 bits", ErrInvalidSpec, min, max, valuesPerUnit)
	}
	s.steps = 1
	if steps >= 2 {
		s.steps = uint64(steps)
	}
	return s, nil
}

// Bits returns the width of a code.
func (s Scalar) Bits() uint { return uint(bits.Len64(s.steps)) }

// MaxCode returns the largest code.
func (s Scalar) MaxCode() uint64 { return s.steps }

// Encode returns the code nearest to v. Numbers out of bounds and infinities saturate; NaN is [ErrNotANumber].
func (s Scalar) Encode(v float32) (uint64, error) {
	x := float64(v)
	if x != x {
		return 0, ErrNotANumber
	}
	if x < s.min {
		x = s.min
	}
	if x > s.max {
		x = s.max
	}
	// This is at most MaxCode: nearest falls nowhere, and MaxCode is no less than what it makes of max.
	return uint64(s.nearest(x)), nil
}

// nearest returns the code of a number that is in bounds, and a fraction that is still to be cut off. The sum is spelled
// out as the format has it: from 2^52 on it rounds, too.
func (s Scalar) nearest(x float64) float64 {
	return float64((x-s.min)*s.perUnit) + 0.5
}

// Decode returns the number of a code, or [ErrInvalidCode].
func (s Scalar) Decode(code uint64) (float32, error) {
	if code > s.steps || s.steps == 0 {
		return 0, ErrInvalidCode
	}
	return float32(s.min + float64(code)/s.perUnit), nil
}
