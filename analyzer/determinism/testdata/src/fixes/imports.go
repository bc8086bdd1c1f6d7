package fixes

//netcode:deterministic
func list(m map[string]int32) (out []string) {
	for k := range m { // want `out is filled in that order`
		out = append(out, k)
	}
	for k := range m { // want `out is filled in that order`
		out = append(out, k)
	}
	return out
}
