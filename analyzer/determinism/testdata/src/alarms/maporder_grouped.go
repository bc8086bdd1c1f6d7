package alarms

import "slices"

//netcode:deterministic
func teams(players map[uint32]string) map[string][]uint32 {
	out := map[string][]uint32{}
	for id, team := range players { // want `out is filled in that order`
		out[team] = append(out[team], id)
	}
	for _, members := range out {
		slices.Sort(members)
	}
	return out
}
