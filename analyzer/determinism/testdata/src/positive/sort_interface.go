package positive

import "sort"

type enemy struct{ threat, x, y int32 }

type byThreat []*enemy

func (b byThreat) Len() int           { return len(b) }
func (b byThreat) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byThreat) Less(i, j int) bool { return b[i].threat > b[j].threat }

//netcode:deterministic
func targets(es []*enemy) { sort.Sort(byThreat(es)) } // want `sort.Sort leaves elements that compare equal`
