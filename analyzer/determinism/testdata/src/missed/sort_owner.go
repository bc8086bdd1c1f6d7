package missed

import (
	"cmp"
	"slices"
)

type castle struct {
	ownerID uint32 // who may own others
	walls   uint8
	towers  []uint8
}

//netcode:deterministic
func sortCastles(cs []castle) {
	slices.SortFunc(cs, func(a, b castle) int { return cmp.Compare(a.ownerID, b.ownerID) })
}
