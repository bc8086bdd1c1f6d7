package positive

import "hash/maphash"

var seed = maphash.MakeSeed() // want `maphash.MakeSeed is seeded anew`

//netcode:deterministic
func shard(name string) uint64 {
	return maphash.String(seed, name) % 16 // want `maphash.String is seeded anew`
}
