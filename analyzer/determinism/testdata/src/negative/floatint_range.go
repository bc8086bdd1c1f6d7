package negative

//netcode:deterministic
func third(hp uint16) int32 { return int32(float64(hp) * 0.33) }

//netcode:deterministic
func remainder(x uint32) int32 { return int32(float64(x%100) / 3) }
