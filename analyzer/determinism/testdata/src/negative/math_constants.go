package negative

import "math"

const quarter = math.Pi / 2

//netcode:deterministic
func fits(n int64) bool { return n <= math.MaxInt32 && float64(n) < quarter*math.MaxUint8 }
