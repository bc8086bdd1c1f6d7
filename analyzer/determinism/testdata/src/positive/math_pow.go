package positive

import "math"

type falloff struct{}

//netcode:deterministic
func (falloff) damage(base, distance float64) float64 {
	return base / math.Pow(distance, 1.5) // want `math.Pow gives different bits`
}
