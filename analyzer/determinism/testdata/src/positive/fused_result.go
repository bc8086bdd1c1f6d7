package positive

func energy(m, v float64) float64 {
	return m * v * v // want `m \* v \* v may be fused with the sum in fused_result.go:11`
}

//netcode:deterministic
func total(ms, vs []float64) float64 {
	sum := 0.0
	for i := range ms {
		sum += energy(ms[i], vs[i])
	}
	return sum
}
