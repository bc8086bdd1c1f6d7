package positive

type spring struct{ stiffness, damping, x, v float64 }

//netcode:deterministic
func (s *spring) force() float64 {
	return -s.stiffness*s.x - s.damping*s.v // want `-s.stiffness \* s.x may be fused`
}
