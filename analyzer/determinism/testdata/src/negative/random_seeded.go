package negative

import (
	"math/rand"

	"github.com/ariadne-netcode/ariadne/netcode"
)

//netcode:deterministic
func loot(prep *netcode.Preparation) int32 {
	r := rand.New(rand.NewSource(int64(prep.NextSeed() >> 1)))
	return r.Int31n(100) + int32(r.Intn(7)) + int32(r.Perm(5)[0])
}
