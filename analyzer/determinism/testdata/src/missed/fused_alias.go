package missed

type glider struct{ pos, vel float64 }

// The product reaches the sum by way of another name for the same variable.
//
//netcode:deterministic
func (g *glider) glide(lift, dt float64) {
	v := &g.vel
	*v = lift * dt
	g.pos += g.vel
}
