package negative

import (
	"maps"
	"slices"
)

//netcode:deterministic
func total(scores map[string]float64) (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		sum += scores[name]
	}
	keys := slices.Collect(maps.Keys(scores))
	slices.Sort(keys)
	return sum + float64(len(keys))
}

//netcode:deterministic
func declared(scores map[string]float64) []string {
	var keys = slices.Collect(maps.Keys(scores))
	slices.Sort(keys)
	return keys
}
