package negative

import "sort"

type entry struct {
	id    uint32
	score int32
}

func sortEntries(es []entry) {
	sort.Slice(es, func(i, j int) bool {
		if es[i].score != es[j].score {
			return es[i].score > es[j].score
		}
		return es[i].id < es[j].id
	})
}

//netcode:deterministic
func table(scores map[uint32]int32) []entry {
	var out []entry
	for id, s := range scores {
		if s > 0 {
			out = append(out, entry{id, s})
		}
	}
	sortEntries(out)
	return out
}
