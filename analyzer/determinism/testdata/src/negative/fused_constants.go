package negative

const tau = 2*3.14159265358979 + 0

//netcode:deterministic
func turns(x float64) float64 { return x/tau + 3*1.5 }
