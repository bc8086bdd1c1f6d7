package positive

//netcode:deterministic
func cells(width float64) int {
	if width < 0 || width > 1e10 {
		return 0
	}
	return int(width) // want `int from float64`
}
