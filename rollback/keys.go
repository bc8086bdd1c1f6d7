package rollback

import "github.com/ariadne-netcode/ariadne/netcode"

// The hash table of commands has eight chains or more for each slot, so that most are empty and a search for
// a key that is not held, the usual one, ends where it begins. Slots are linked into chains by their own
// fields: coming and going allocates nothing.

// home returns the index of the chain that a key belongs to. Consecutive sequences of an author are spread
// evenly (Knuth's multiplicative hash with the golden ratio).
func (c *commands) home(k *netcode.Key) uint32 {
	h := uint64(k.Sequence)*0x9E3779B97F4A7C15 ^ uint64(k.Author)*0xD6E8FEB86659FD93
	return uint32(h >> (c.shift & 63))
}

// find returns the slot of a key, or 0.
func (c *commands) find(k *netcode.Key) uint32 {
	for ref := c.heads[c.home(k)]; ref != 0; ref = c.slots[ref].chain {
		if c.slots[ref].entry.Header.Key == *k {
			return ref
		}
	}
	return c.spill[*k]
}

// enter puts a slot into the hash table.
func (c *commands) enter(ref uint32) {
	s := &c.slots[ref]
	s.home = c.home(&s.entry.Header.Key)
	s.chain = c.heads[s.home]
	if s.chain != 0 && !c.admits(s.chain, &s.entry.Header.Key) {
		s.home = spilled
		if c.spill == nil {
			c.spill = make(map[netcode.Key]uint32)
		}
		c.spill[s.entry.Header.Key] = ref
		return
	}
	c.heads[s.home] = ref
}

// admits reports whether a key that is not in a chain may be added to it; the chain begins with the given slot.
func (c *commands) admits(ref uint32, k *netcode.Key) bool {
	for range maxChain - 1 {
		s := &c.slots[ref]
		if s.entry.Header.Key == *k {
			return false
		}
		if ref = s.chain; ref == 0 {
			return true
		}
	}
	return false
}

// leave takes a slot out of the hash table.
func (c *commands) leave(ref uint32) {
	s := &c.slots[ref]
	if s.home == spilled {
		delete(c.spill, s.entry.Header.Key)
		if len(c.spill) == 0 {
			c.spill = nil
		}
		return
	}
	link := &c.heads[s.home]
	for *link != ref {
		link = &c.slots[*link].chain
	}
	*link = s.chain
}
