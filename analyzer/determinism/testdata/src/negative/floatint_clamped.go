package negative

import "math"

//netcode:deterministic
func pixel(x float64) int32 { return int32(max(0, min(math.Floor(x), 1920))) }

//netcode:deterministic
func level(x float64) uint8 { return uint8(math.Max(math.Min(x, 255), 0)) }
