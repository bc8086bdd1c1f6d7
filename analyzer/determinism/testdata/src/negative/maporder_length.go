package negative

//netcode:deterministic
func fill(slots map[uint32]bool) (out []byte) {
	for range slots {
		out = append(out, 0xFF)
	}
	return out
}
