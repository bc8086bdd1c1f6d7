package negative

type scalar interface{ ~int32 | ~int64 | ~float64 }

func dot[T scalar](ax, ay, bx, by T) T { return ax*bx + ay*by }

type vec2[T scalar] struct{ X, Y T }

func (v vec2[T]) dot(o vec2[T]) T { return v.X*o.X + v.Y*o.Y }

//netcode:deterministic
func cross(a, b vec2[int64]) int64 { return dot(a.X, a.Y, b.Y, -b.X) + a.dot(b) }
