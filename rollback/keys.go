package rollback

import (
	"math/bits"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// keys finds the slot of a key, which only commands that are replaced or removed need. It is a hash table that
// is brought up to date when it is asked, so that commands which are set once and run never get into it. Slots
// are linked into chains by their own fields: coming and going allocates nothing.
type keys struct {
	heads []*slot // chains by hash; nil before the first search, then a power of two in length
	shift uint    // what leaves of a hash an index into heads

	// spill has the keys that found their chain too long, and is nil if there are none. Peers choose sequences
	// and might choose them to collide; all they reach is this map, whose hash they cannot know.
	spill map[netcode.Key]*slot

	// seen[a] is at least the highest sequence held of the authors that are a modulo the length. What is above
	// it is new without a search. Authors that share a place with one that is ahead only lose this shortcut;
	// alarms counts the searches that were for nothing.
	seen   [seenAuthors]netcode.Sequence
	alarms int
}

const (
	seenAuthors = 64
	maxChain    = 8

	// sparse is how many chains there are for each slot, at least.
	sparse = 2

	// Instead of an index into heads, a slot may have one of these as its home.
	spilled   = ^uint32(0)
	unindexed = ^uint32(1)
)

// home returns the index of the chain that a key belongs to. Consecutive sequences of an author are spread
// evenly (Knuth's multiplicative hash with the golden ratio).
func (t *keys) home(k *netcode.Key) uint32 {
	h := uint64(k.Sequence)*0x9E3779B97F4A7C15 ^ uint64(k.Author)*0xD6E8FEB86659FD93
	return uint32(h >> (t.shift & 63))
}

// find returns the slot of a key, or nil. Every slot that is held must be in the table.
func (t *keys) find(k *netcode.Key) *slot {
	for s := t.heads[t.home(k)]; s != nil; s = s.chain {
		if s.entry.Header.Key == *k {
			return s
		}
	}
	return t.spill[*k]
}

// enter puts a slot into the table. Its key must not be there.
func (t *keys) enter(s *slot) {
	home := t.home(&s.entry.Header.Key)
	length := 0
	for o := t.heads[home]; o != nil; o = o.chain {
		length++
	}
	if length >= maxChain {
		s.home, s.chain = spilled, nil
		if t.spill == nil {
			t.spill = make(map[netcode.Key]*slot)
		}
		t.spill[s.entry.Header.Key] = s
		return
	}
	s.home, s.chain = home, t.heads[home]
	t.heads[home] = s
}

// leave takes a slot out of the table.
func (t *keys) leave(s *slot) {
	if s.home == spilled {
		delete(t.spill, s.entry.Header.Key)
		if len(t.spill) == 0 {
			t.spill = nil
		}
		return
	}
	link := &t.heads[s.home]
	for *link != s {
		link = &(*link).chain
	}
	*link, s.chain = s.chain, nil
}

// fit makes the table large enough for a number of slots.
func (t *keys) fit(slots int) {
	if len(t.heads) >= sparse*slots {
		return
	}
	old, spill := t.heads, t.spill
	t.heads = make([]*slot, ceilPow2(sparse*slots))
	t.shift = 64 - uint(bits.TrailingZeros(uint(len(t.heads))))
	t.spill = nil
	for _, s := range old {
		for s != nil {
			next := s.chain
			t.enter(s)
			s = next
		}
	}
	for _, s := range spill {
		t.enter(s)
	}
}

// note keeps seen up to date about a key that is about to be held and was not known to be new. Every slot that
// is held must be in the table. An author who has left may have claimed a place for good, so seen is worked
// out anew when there have been more vain searches than there are slots, which is to say, rarely.
func (t *keys) note(k *netcode.Key, slots int) {
	if seen := &t.seen[k.Author%seenAuthors]; k.Sequence > *seen {
		*seen = k.Sequence
		return
	}
	if t.alarms++; t.alarms <= slots {
		return
	}
	t.alarms = 0
	clear(t.seen[:])
	t.see(k)
	for _, s := range t.heads {
		for ; s != nil; s = s.chain {
			t.see(&s.entry.Header.Key)
		}
	}
	for k := range t.spill {
		t.see(&k)
	}
}

func (t *keys) see(k *netcode.Key) {
	seen := &t.seen[k.Author%seenAuthors]
	*seen = max(*seen, k.Sequence)
}

func (t *keys) reset() {
	clear(t.heads)
	t.spill = nil
	clear(t.seen[:])
	t.alarms = 0
}
