package negative

//netcode:deterministic
func gear(speed float64) uint8 {
	switch {
	case speed < 0:
		return 0
	case speed > 50:
		return 5
	default:
		return uint8(speed / 10)
	}
}
