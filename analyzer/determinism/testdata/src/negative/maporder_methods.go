package negative

type plant struct{ height, age int32 }

func (p *plant) grow(light int32) {
	p.age++
	p.height += light
}

func (p *plant) ripe() bool { return p.age > 10 }

type plots map[uint32]*plant

//netcode:deterministic
func (ps plots) season(light int32) (harvest int32) {
	for _, p := range ps {
		p.grow(light)
	}
	for id, p := range ps {
		if p.ripe() {
			harvest += p.height
			delete(ps, id)
		}
	}
	return harvest
}
