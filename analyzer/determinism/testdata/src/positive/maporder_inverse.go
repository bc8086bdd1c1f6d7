package positive

//netcode:deterministic
func invert(teams map[uint32]string) map[string]uint32 {
	out := map[string]uint32{}
	for id, team := range teams { // want `out is what the last iteration leaves there`
		out[team] = id
	}
	return out
}
