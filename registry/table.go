package registry

import (
	"math/bits"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// table maps type ids to their positions in the list that it was made from. It is asked once per received
// command, with whatever id a peer has written, and costs a fraction of a map there.
//
// It is open addressing with linear probing, at most half full, so every probe ends at an empty slot. The ids
// in it are chosen at set-up, not by a peer.
type table struct {
	slots []slot // a power of two of them, or none
	shift uint8  // 64 minus the logarithm of their number
}

type slot struct {
	id  netcode.TypeID // 0 is an empty slot
	pos int32
}

// newTable returns the table of a list of ids that are distinct and not zero.
func newTable(ids []netcode.TypeID) table {
	width := bits.Len(uint(2 * len(ids)))
	t := table{slots: make([]slot, 1<<width), shift: uint8(64 - width)}
	for pos, id := range ids {
		i := t.home(id)
		for t.slots[i].id != 0 {
			i = (i + 1) % len(t.slots)
		}
		t.slots[i] = slot{id, int32(pos)}
	}
	return t
}

// home is where the search for an id starts. Multiplying by 2^64 over the golden ratio spreads pinned ids, which
// tend to be neighbours, and does hashes no harm.
func (t *table) home(id netcode.TypeID) int {
	return int(uint64(id) * 0x9E3779B97F4A7C15 >> t.shift)
}

// find returns the position of id. Id 0 is in no table.
func (t *table) find(id netcode.TypeID) (pos int, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	for i := t.home(id); ; i++ {
		s := &t.slots[i&(len(t.slots)-1)]
		if s.id == 0 {
			return 0, false
		}
		if s.id == id {
			return int(s.pos), true
		}
	}
}
