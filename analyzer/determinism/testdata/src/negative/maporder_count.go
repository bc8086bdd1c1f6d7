package negative

//netcode:deterministic
func census(units map[uint32]string) (all int32, byKind map[string]int32) {
	byKind = map[string]int32{}
	for _, kind := range units {
		byKind[kind]++
		if kind != "ghost" {
			all++
		}
	}
	return all, byKind
}
