package negative

//netcode:deterministic
func settle(x, rate, floor float64) float64 {
	y := x * rate
	y = float64(y)
	return y + floor
}
