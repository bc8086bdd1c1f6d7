package determinism

// Kinds returns the kinds of hazards in the order of the documentation.
func Kinds() []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}
