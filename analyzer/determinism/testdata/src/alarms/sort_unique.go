package alarms

import "sort"

// No two cities share a name.
type city struct {
	name string
	size int32
}

//netcode:deterministic
func gazetteer(cs []city) {
	sort.Slice(cs, func(i, j int) bool { return cs[i].name < cs[j].name }) // want `sort.Slice leaves`
}
