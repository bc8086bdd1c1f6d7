package negative

// Halving and doubling is exact, so there is nothing to round.
//
//netcode:deterministic
func middle(a, b float64) float64 { return 0.5*a + b*0.5 + 2*a - 0.25*(a+b) }
