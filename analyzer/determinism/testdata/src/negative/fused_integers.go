package negative

type fixed int64

func (f fixed) mul(g fixed) fixed { return f * g >> 16 }

//netcode:deterministic
func fixedLerp(a, b, t fixed) fixed { return a + (b - a).mul(t) + a*2 - b*3 }
