package positive

import "sort"

type standing struct {
	name  string
	score int32
}

//netcode:deterministic
func standings(scores map[string]int32) []standing {
	var out []standing
	for name, score := range scores { // want `out is filled in that order and not sorted afterwards by a complete order`
		out = append(out, standing{name, score})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out
}
