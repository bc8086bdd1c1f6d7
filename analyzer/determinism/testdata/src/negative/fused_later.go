package negative

type puck struct{ x, v float64 }

// The product of one step meets the sum of the next: they are two calls apart.
//
//netcode:deterministic
func (p *puck) slide() {
	p.x += p.v
	p.v *= 0.98
}
