package positive

type track struct{ bend func(float64) float64 }

func newTrack(k float64) *track {
	return &track{bend: func(x float64) float64 {
		return x*k - 1 // want `x \* k may be fused .*reached from \(\*track\).follow`
	}}
}

//netcode:deterministic
func (t *track) follow(x float64) float64 { return t.bend(x) }
