package positive

//netcode:deterministic
func mass(bodies map[uint32]float64) float64 {
	sum := 0.0
	for _, m := range bodies { // want `sum is what the last iteration leaves there`
		sum += m
	}
	return sum
}
