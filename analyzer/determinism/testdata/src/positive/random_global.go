package positive

import "math/rand"

//netcode:deterministic
func crit() bool {
	return rand.Intn(20) == 19 // want `rand.Intn draws from a generator that each process seeds for itself`
}
