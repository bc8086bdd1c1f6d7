package positive

import "math/rand/v2"

type recoil struct{ rng rand.PCG }

//netcode:deterministic
func (r *recoil) kick() float64 {
	return rand.New(&r.rng).NormFloat64() // want `rand.Rand.NormFloat64 rejects candidates by math.Exp`
}
