package positive

import (
	"fmt"
	"hash/fnv"
)

type squad struct {
	leader *runner
	size   int32
}

//netcode:deterministic
func fingerprint(s squad) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v", s) // want `squad prints an address`
	return h.Sum64()
}
