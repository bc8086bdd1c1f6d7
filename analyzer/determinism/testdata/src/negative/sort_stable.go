package negative

import (
	"cmp"
	"slices"
	"sort"
)

//netcode:deterministic
func byLap(rs []racer) {
	slices.SortStableFunc(rs, func(a, b racer) int { return cmp.Compare(a.Lap, b.Lap) })
	sort.SliceStable(rs, func(i, j int) bool { return rs[i].Lap < rs[j].Lap })
}
