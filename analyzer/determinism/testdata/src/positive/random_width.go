package positive

import "math/rand/v2"

//netcode:deterministic
func pick(r *rand.Rand, list []string) string {
	return list[r.Int()%len(list)] // want `rand.Rand.Int gives other numbers where int has 32 bits`
}
