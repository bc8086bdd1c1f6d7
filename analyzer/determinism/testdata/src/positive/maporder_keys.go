package positive

import (
	"maps"
	"slices"
)

//netcode:deterministic
func order(units map[uint32]string) []uint32 {
	return slices.Collect(maps.Keys(units)) // want `maps.Keys comes in map iteration order`
}
