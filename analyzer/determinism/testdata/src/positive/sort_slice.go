package positive

import "sort"

type runner struct {
	name string
	lap  int32
}

//netcode:deterministic
func ranking(rs []runner) {
	sort.Slice(rs, func(i, j int) bool { return rs[i].lap < rs[j].lap }) // want `sort.Slice leaves elements that compare equal in no certain order`
}
