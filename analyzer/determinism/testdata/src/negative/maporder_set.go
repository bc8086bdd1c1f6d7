package negative

//netcode:deterministic
func owners(tiles map[uint32]uint32) map[uint32]bool {
	out := map[uint32]bool{}
	for _, owner := range tiles {
		out[owner] = true
	}
	return out
}
