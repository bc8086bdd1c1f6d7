package positive

//netcode:deterministic
func lerp(a, b, t float64) float64 {
	return a + (b-a)*t // want `\(b - a\) \* t may be fused with the sum`
}
