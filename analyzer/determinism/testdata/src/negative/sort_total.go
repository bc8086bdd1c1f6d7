package negative

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

type racer struct {
	ID  uint32
	Lap int32
}

//netcode:deterministic
func podium(rs []racer, names []string, laps []int32) {
	slices.SortFunc(rs, func(a, b racer) int { return cmp.Or(cmp.Compare(a.Lap, b.Lap), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(names, strings.Compare)
	slices.Sort(laps)
	sort.Strings(names)
	sort.Slice(laps, func(i, j int) bool { return laps[i] > laps[j] })
}
