package positive

//netcode:deterministic
func bucket(x float32) uint8 {
	return uint8(x) // want `uint8 from float32`
}
