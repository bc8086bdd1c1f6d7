package positive

type triple [3]float64

func (t triple) scale(k float64) triple {
	for i := range t {
		t[i] = t[i] * k // want `t\[i\] \* k may be fused`
	}
	return t
}

func (t triple) add(o triple) triple { return triple{t[0] + o[0], t[1] + o[1], t[2] + o[2]} }

//netcode:deterministic
func shift(pos, vel triple, dt float64) triple { return pos.add(vel.scale(dt)) }
