package quant

import "fmt"

// Vector maps the points of a box onto three codes, in the order x, y, z.
type Vector [3]Scalar

// NewVector returns the codec of the box from min to max, with valuesPerUnit codes to the unit on every axis. Its
// error is that of [NewScalar].
func NewVector(min, max [3]float32, valuesPerUnit uint32) (Vector, error) {
	var v Vector
	for i := range v {
		s, err := NewScalar(min[i], max[i], valuesPerUnit)
		if err != nil {
			return Vector{}, fmt.Errorf("axis %c: %w", 'x'+i, err)
		}
		v[i] = s
	}
	return v, nil
}

// Bits returns the width of the three codes together.
func (v *Vector) Bits() uint { return v[0].Bits() + v[1].Bits() + v[2].Bits() }

// Encode returns the codes nearest to p, or [ErrNotANumber] if a coordinate is NaN.
func (v *Vector) Encode(p [3]float32) (codes [3]uint64, err error) {
	for i := range v {
		if codes[i], err = v[i].Encode(p[i]); err != nil {
			return [3]uint64{}, err
		}
	}
	return codes, nil
}

// Decode returns the point of three codes, or [ErrInvalidCode].
func (v *Vector) Decode(codes [3]uint64) (p [3]float32, err error) {
	for i := range v {
		if p[i], err = v[i].Decode(codes[i]); err != nil {
			return [3]float32{}, err
		}
	}
	return p, nil
}
