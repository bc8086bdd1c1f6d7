package positive

//netcode:deterministic
func area(w, h, margin float64) float64 {
	inner := w * h // want `w \* h may be fused with the sum in fused_variable.go:8`
	label := "area"
	_ = label
	return inner + margin
}
