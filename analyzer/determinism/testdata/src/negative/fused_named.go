package negative

type metres float32

type point struct{ X, Y metres }

func (p point) scale(k metres) point { return point{metres(p.X * k), metres(p.Y * k)} }
func (p point) add(o point) point    { return point{p.X + o.X, p.Y + o.Y} }

//netcode:deterministic
func walk(p, v point, dt metres) point { return p.add(v.scale(dt)) }
