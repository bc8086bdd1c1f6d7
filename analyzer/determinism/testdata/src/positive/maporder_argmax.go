package positive

//netcode:deterministic
func leader(scores map[uint32]int32) (who uint32) {
	best := int32(-1)
	for id, score := range scores { // want `iteration order of map scores is visible`
		if score > best {
			best, who = score, id
		}
	}
	return who
}
