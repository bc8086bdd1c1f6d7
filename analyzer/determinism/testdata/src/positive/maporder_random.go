package positive

type dice struct{ state uint64 }

func (d *dice) roll() uint64 {
	d.state = d.state*6364136223846793005 + 1442695040888963407
	return d.state
}

//netcode:deterministic
func damageAll(hits map[uint32]uint64, d *dice) {
	for id := range hits { // want `iteration order of map hits is visible`
		hits[id] -= d.roll() % 6
	}
}
