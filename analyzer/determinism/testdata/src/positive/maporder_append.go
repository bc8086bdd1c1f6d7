package positive

//netcode:deterministic
func names(players map[uint32]string) []string {
	var out []string
	for _, name := range players { // want `iteration order of map players is visible: out is filled in that order`
		out = append(out, name)
	}
	return out
}
