package positive

func plus(a, b float64) float64 { return a + b }

//netcode:deterministic
func drift(x, v, dt float64) float64 {
	return plus(x, v*dt) // want `v \* dt may be fused with the sum further on`
}
