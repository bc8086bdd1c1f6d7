package negative

import "slices"

//netcode:deterministic
func ids(players map[uint32]string) []uint32 {
	out := make([]uint32, 0, len(players))
	for id := range players {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
