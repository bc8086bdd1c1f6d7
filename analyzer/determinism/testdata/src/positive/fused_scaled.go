package positive

//netcode:deterministic
func decay(x, rate, floor float64) float64 {
	x *= rate // want `x \* rate may be fused with the sum in fused_scaled.go:6`
	x += floor
	return x
}
