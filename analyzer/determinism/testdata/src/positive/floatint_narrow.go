package positive

//netcode:deterministic
func percent(share uint32) uint8 {
	scaled := float64(share) / 100
	return uint8(scaled) // want `uint8 from float64`
}
