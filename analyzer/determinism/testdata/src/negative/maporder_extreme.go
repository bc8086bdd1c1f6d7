package negative

import "math"

//netcode:deterministic
func strongest(power map[uint32]int32) (who uint32, best int32) {
	best = math.MinInt32
	for id, p := range power {
		if p > best || p == best && id < who {
			who, best = id, p
		}
	}
	least := int32(math.MaxInt32)
	for _, p := range power {
		if p < least {
			least = p
		}
	}
	return who, best - least
}
