package registry_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// The index, against a map.
func TestTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for n := range 200 {
		ids := distinctIDs(rnd, n)
		want := map[netcode.TypeID]int{}
		for pos, id := range ids {
			want[id] = pos
		}
		find := registry.FindIn(ids)
		for _, id := range append(distinctIDs(rnd, 50), ids...) {
			for _, id := range []netcode.TypeID{id, id + 1, id - 1, 0} {
				pos, ok := find(id)
				if wantPos, wantOK := want[id]; ok != wantOK || pos != wantPos {
					t.Fatalf("%d ids: %v: got %d, %v, want %d, %v", n, id, pos, ok, wantPos, wantOK)
				}
			}
		}
	}
}
