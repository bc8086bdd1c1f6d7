package negative

//netcode:deterministic
func quantise(x float64) (int16, bool) {
	if !(x >= -100 && x <= 100) {
		return 0, false
	}
	return int16(x * 300), true
}
