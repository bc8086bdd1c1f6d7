package positive

type number interface{ ~int32 | ~int64 | ~float64 }

func dot[T number](ax, ay, bx, by T) T {
	return ax*bx + ay*by // want `ax \* bx may be fused .* round the product: T\(ax \* bx\) \(reached from project\)`
}

//netcode:deterministic
func project(x, y float64) float64 { return dot(x, y, 0.6, 0.8) }
