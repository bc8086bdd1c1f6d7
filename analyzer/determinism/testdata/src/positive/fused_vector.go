package positive

type vec struct{ X, Y float32 }

func (v vec) scale(k float32) vec {
	return vec{v.X * k, v.Y * k} // want `v.X \* k may be fused` `v.Y \* k may be fused`
}

func (v vec) add(o vec) vec { return vec{v.X + o.X, v.Y + o.Y} }

//netcode:deterministic
func advance(pos, vel vec, dt float32) vec { return pos.add(vel.scale(dt)) }
