package positive

import "math"

//netcode:deterministic
func tile(x float64) int32 {
	return int32(math.Floor(x / 16)) // want `int32 from float64: a number that does not fit`
}
