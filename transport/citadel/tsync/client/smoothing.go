package client

import (
	"fmt"
	"math"
)

// Smoothing says how a correction of the predicted position disappears from the screen: what is shown is off by some
// distance at first, of which a part is left after each rendered frame.
type Smoothing struct {
	Small    float32 // centimetres: up to here SmallKeep is left
	Large    float32 // centimetres: from here on LargeKeep is left; in between it changes evenly
	HardSnap float32 // centimetres: from here on the correction is shown at once

	SmallKeep float32 // from 0 to less than 1
	LargeKeep float32
}

// DefaultSmoothing returns 0.95 up to 25 cm, 0.85 from 100 cm on, and no smoothing from 500 cm on.
func DefaultSmoothing() Smoothing {
	return Smoothing{Small: 25, Large: 100, HardSnap: 500, SmallKeep: 0.95, LargeKeep: 0.85}
}

// Validate returns [ErrConfig], with the field, if a distance is negative, a part is not from 0 to less than 1, or one of
// them is not finite.
func (s *Smoothing) Validate() error {
	for _, f := range []struct {
		name  string
		value float32
		below float32
	}{
		{"Small", s.Small, math.MaxFloat32}, {"Large", s.Large, math.MaxFloat32}, {"HardSnap", s.HardSnap, math.MaxFloat32},
		{"SmallKeep", s.SmallKeep, 1}, {"LargeKeep", s.LargeKeep, 1},
	} {
		if !(f.value >= 0 && f.value < f.below) {
			return fmt.Errorf("%w: %s is %v", ErrConfig, f.name, f.value)
		}
	}
	return nil
}

// nothing is the distance, in centimetres, that is as good as none.
const nothing = 0.001

// after returns what is left of an offset after a rendered frame, or after a part of one.
func (s *Smoothing) after(offset [3]float32, part float32) [3]float32 {
	e := length(offset)
	if !(e > nothing) || e >= s.HardSnap {
		return [3]float32{}
	}
	keep := s.keep(e)
	if part < 1 {
		keep = 1 - float32((1-keep)*part)
	}
	for i := range offset {
		offset[i] = float32(offset[i] * keep)
	}
	return offset
}

// keep returns the part of an offset of length e that is left after a frame.
func (s *Smoothing) keep(e float32) float32 {
	switch {
	case e <= s.Small:
		return s.SmallKeep
	case e >= s.Large:
		return s.LargeKeep
	}
	return s.SmallKeep + float32((s.LargeKeep-s.SmallKeep)*((e-s.Small)/max(s.Large-s.Small, 0.001)))
}

// length returns the length of a vector; every operation is one of float32.
func length(v [3]float32) float32 {
	square := float32(v[0]*v[0]) + float32(v[1]*v[1])
	square += float32(v[2] * v[2])
	return float32(math.Sqrt(float64(square)))
}
