package positive

import "math"

func distance(x, y float64) float64 {
	return math.Hypot(x, y) // want `math.Hypot gives different bits .*reached from nearest`
}

//netcode:deterministic
func nearest(xs, ys []float64) (best int32) {
	for i := range xs {
		if distance(xs[i], ys[i]) < distance(xs[best], ys[best]) {
			best = int32(i)
		}
	}
	return best
}
