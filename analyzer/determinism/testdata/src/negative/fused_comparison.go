package negative

//netcode:deterministic
func inside(x, y, r float64) bool { return float64(x*x)+float64(y*y) < r*r }
