package missed

// Without bodies there is no average, and no integer for it. Neither min nor max stops a NaN.
//
//netcode:deterministic
func average(sum float64, bodies int32) int32 {
	return int32(max(0, min(sum/float64(bodies), 1000)))
}
