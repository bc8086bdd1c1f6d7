package fixes

import (
	"cmp"
	"sort"

	sl "slices"
)

type racer struct {
	name string
	lap  int32
}

//netcode:deterministic
func ranks(rs []racer) {
	sort.Slice(rs, func(i, j int) bool { return rs[i].lap < rs[j].lap }) // want `sort.Slice leaves`
	sl.SortFunc(rs, byLap)                                               // want `slices.SortFunc leaves`
	sort.Sort(laps(rs))                                                  // want `sort.Sort leaves`
	_ = sl.SortedFunc(sl.Values(rs), byLap)                              // want `slices.SortedFunc leaves`
}

func byLap(a, b racer) int { return cmp.Compare(a.lap, b.lap) }

type laps []racer

func (l laps) Len() int           { return len(l) } // want Len:`^pure$`
func (l laps) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l laps) Less(i, j int) bool { return l[i].lap < l[j].lap } // want Less:`^pure$`

//netcode:deterministic
func weights(bodies map[uint32]float64) (sum float64) {
	for id, w := range bodies { // want `sum is what the last iteration leaves there`
		if id > 0 {
			sum += w
		}
	}
	for _, w := range bodies { // want `sum is what the last iteration leaves there`
		sum -= w
	}
	return sum
}

// The fix would change which entries are visited.
//
//netcode:deterministic
func shrinking(bodies map[uint32]float64) (first uint32) {
	for id := range bodies { // want `first is what the last iteration leaves there`
		first = id
		delete(bodies, id)
	}
	return first
}

// Keys of this type cannot be sorted so easily.
//
//netcode:deterministic
func squares(heights map[[2]uint8]float64) (sum float64) {
	for _, h := range heights { // want `sum is what the last iteration leaves there`
		sum += h
	}
	return sum
}
