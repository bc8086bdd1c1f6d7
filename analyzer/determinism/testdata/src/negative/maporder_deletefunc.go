package negative

import "maps"

//netcode:deterministic
func bury(health map[uint32]int32) {
	maps.DeleteFunc(health, func(_ uint32, h int32) bool { return h <= 0 })
}
