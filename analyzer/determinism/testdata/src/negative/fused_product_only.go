package negative

type volume struct{ w, h, d float64 }

//netcode:deterministic
func (v volume) cubic(scale float64) float64 {
	v.w *= scale
	area := v.w * v.h
	return area * v.d
}
