package negative

//netcode:deterministic
func lerp(a, b, t float64) float64 { return a + float64((b-a)*t) }
