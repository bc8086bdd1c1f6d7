package negative

import "math"

//netcode:deterministic
func bounce(x, v, width float64) float64 {
	x = math.Abs(math.Mod(x+v, 2*width))
	if math.IsNaN(x) || math.Signbit(x) {
		return math.Copysign(0, v)
	}
	return math.Min(math.Sqrt(x), math.Max(math.Floor(x), math.Trunc(v)))
}
