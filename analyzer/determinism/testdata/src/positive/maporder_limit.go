package positive

//netcode:deterministic
func feed(hungry map[uint32]bool, rations int32) {
	for id := range hungry { // want `iteration order of map hungry is visible`
		if rations == 0 {
			break
		}
		rations--
		delete(hungry, id)
	}
}
