package positive

import "math"

//netcode:deterministic
func heading(angle float64) (x, y float64) {
	return math.Cos(angle), math.Sin(angle) // want `math.Cos gives different bits` `math.Sin gives different bits`
}
