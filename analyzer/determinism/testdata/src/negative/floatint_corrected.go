package negative

//netcode:deterministic
func channel(x float32) uint8 {
	if x < 0 {
		x = 0
	}
	if x > 1 {
		x = 1
	}
	return uint8(x * 255)
}
