package positive

//netcode:deterministic
func health(points float64) uint16 {
	if points > 1000 {
		points = 1000
	}
	return uint16(points) // want `uint16 from float64`
}
