package positive

type particle struct{ pos, step float64 }

//netcode:deterministic
func (p *particle) move(speed, dt float64) {
	p.step = speed * dt // want `speed \* dt may be fused with the sum in fused_field.go:8`
	p.pos += p.step
}
