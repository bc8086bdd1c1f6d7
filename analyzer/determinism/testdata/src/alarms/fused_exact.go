package alarms

// The product of such small numbers needs no rounding.
//
//netcode:deterministic
func index(x, y int8) float64 { return float64(x)*float64(y) + 0.5 } // want `may be fused`
