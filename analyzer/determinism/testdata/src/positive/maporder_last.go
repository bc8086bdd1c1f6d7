package positive

type arena struct {
	owner   uint32
	players map[uint32]int32
}

//netcode:deterministic
func (a *arena) crown() {
	for id, score := range a.players { // want `iteration order of map a.players is visible: a.owner`
		if score > 100 {
			a.owner = id
		}
	}
}
