package negative

//netcode:deterministic
func population(regions map[uint32]map[uint32]int32) (n int32, busy map[uint32]bool) {
	busy = map[uint32]bool{}
	for r, towns := range regions {
		for _, p := range towns {
			n += p
			if p > 1000 {
				busy[r] = true
			}
		}
	}
	return n, busy
}
