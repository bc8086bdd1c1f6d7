package positive

//netcode:deterministic
func anyone(players map[uint32]int32) uint32 {
	for id := range players { // want `it returns id from the first iteration`
		return id
	}
	return 0
}
