package registry

import "github.com/ariadne-netcode/ariadne/netcode"

var HoldsPointers = holdsPointers

// FindIn looks id up in a table of ids.
func FindIn(ids []netcode.TypeID) func(id netcode.TypeID) (int, bool) {
	t := newTable(ids)
	return t.find
}
