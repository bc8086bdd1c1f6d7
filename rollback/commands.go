package rollback

import (
	"math/bits"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// commands holds the entries of a model: by step in lists that are in execution order, and by key in a hash
// table (see keys.go).
//
// Entries live in slots, which are reused; slot 0 stands for none. The lists of the steps
// first..first+len(near)-1 are in a ring that covers every executed step that is still held and some steps
// ahead. Lists further in the future are in far and move into the ring, whole, as first advances. No list lies
// behind first.
type commands struct {
	first netcode.Step
	near  []list // step s is at s modulo the length, a power of two
	slots []slot
	heads []uint32 // chains of slots by hash; the length is a power of two
	shift uint     // what leaves of a hash an index into heads
	free  uint32   // chain of unused slots, linked by next
	limit int
	far   map[netcode.Step]list // nil if empty

	// spill has the keys that found their chain too long, and is nil if there are none. Peers choose sequences
	// and might choose them to collide; all they reach is this map, whose hash they cannot know.
	spill map[netcode.Key]uint32
}

type slot struct {
	entry      netcode.Entry
	prev, next uint32
	chain      uint32 // next of the same hash
	home       uint32 // index into heads, or spilled
}

type list struct{ head, tail uint32 }

const (
	// lookahead is how many future steps the ring covers at least. Commands beyond it cost a map access.
	lookahead = 128

	// sparse is how many hash chains there are for each slot, at least. Most are empty, so that a search for a
	// key that is not held, the usual one, ends where it begins.
	sparse = 8

	maxChain = 8
	minSlots = 64
	spilled  = ^uint32(0)
)

func newCommands(first netcode.Step, depth, limit int) commands {
	c := commands{
		first: first,
		near:  make([]list, ceilPow2(depth+lookahead)),
		slots: make([]slot, 1),
		limit: limit,
	}
	c.grow() // so that heads is never empty
	return c
}

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// nearby reports whether the ring covers a step.
func (c *commands) nearby(step netcode.Step) bool {
	return uint64(step)-uint64(c.first) < uint64(len(c.near))
}

// at returns the list of a step that the ring covers.
func (c *commands) at(step netcode.Step) *list {
	return &c.near[uint64(step)&uint64(len(c.near)-1)]
}

// insert stores an entry under a key that is not held. There must be a free slot.
func (c *commands) insert(e *netcode.Entry) {
	ref := c.free
	s := &c.slots[ref]
	c.free = s.next
	s.entry = *e
	c.enter(ref)
	c.link(ref)
}

// grow makes more slots, when all are in use and the limit allows more.
func (c *commands) grow() bool {
	old := len(c.slots)
	if old > c.limit {
		return false
	}
	slots := make([]slot, min(max(2*old, minSlots), c.limit+1))
	copy(slots, c.slots)
	c.slots = slots
	c.spare(old)

	c.heads = make([]uint32, ceilPow2(sparse*len(slots)))
	c.shift = 64 - uint(bits.TrailingZeros(uint(len(c.heads))))
	c.spill = nil
	for ref := 1; ref < old; ref++ {
		c.enter(uint32(ref))
	}
	return true
}

// spare makes the slots from ref on the unused ones.
func (c *commands) spare(ref int) {
	c.free = 0
	for i := len(c.slots) - 1; i >= ref; i-- {
		c.slots[i].next = c.free
		c.free = uint32(i)
	}
}

// discard takes a slot out of everything and returns its action, which may be nil.
func (c *commands) discard(ref uint32) netcode.Action {
	c.unlink(ref)
	c.leave(ref)
	return c.recycle(ref)
}

// recycle frees a slot that is in no list and not in the hash table.
func (c *commands) recycle(ref uint32) netcode.Action {
	s := &c.slots[ref]
	action := s.entry.Action
	s.entry.Action = nil
	s.entry.Payload = nil
	s.next = c.free
	c.free = ref
	return action
}

func (c *commands) link(ref uint32) {
	step := c.slots[ref].entry.Header.Step
	if c.nearby(step) {
		c.linkIn(c.at(step), ref)
		return
	}
	l := c.far[step]
	c.linkIn(&l, ref)
	if c.far == nil {
		c.far = make(map[netcode.Step]list)
	}
	c.far[step] = l
}

// linkIn searches from the end, because orders are handed out in ascending order.
func (c *commands) linkIn(l *list, ref uint32) {
	s := &c.slots[ref]
	prev, next := l.tail, uint32(0)
	for prev != 0 && before(&s.entry, &c.slots[prev].entry) {
		prev, next = c.slots[prev].prev, prev
	}
	s.prev, s.next = prev, next
	if prev == 0 {
		l.head = ref
	} else {
		c.slots[prev].next = ref
	}
	if next == 0 {
		l.tail = ref
	} else {
		c.slots[next].prev = ref
	}
}

func (c *commands) unlink(ref uint32) {
	step := c.slots[ref].entry.Header.Step
	if c.nearby(step) {
		c.unlinkIn(c.at(step), ref)
		return
	}
	l := c.far[step]
	c.unlinkIn(&l, ref)
	if l.head == 0 {
		c.dropFar(step)
		return
	}
	c.far[step] = l
}

func (c *commands) unlinkIn(l *list, ref uint32) {
	s := &c.slots[ref]
	if s.prev == 0 {
		l.head = s.next
	} else {
		c.slots[s.prev].next = s.next
	}
	if s.next == 0 {
		l.tail = s.prev
	} else {
		c.slots[s.next].prev = s.prev
	}
}

// keepsPlace reports whether e, of the same step as the slot, would stand where the slot stands.
func (c *commands) keepsPlace(ref uint32, e *netcode.Entry) bool {
	s := &c.slots[ref]
	return (s.prev == 0 || before(&c.slots[s.prev].entry, e)) &&
		(s.next == 0 || before(e, &c.slots[s.next].entry))
}

// advance moves first one step on. The list of the old first step must be empty, and first must not be the
// last step there is.
func (c *commands) advance() {
	c.first++
	if c.far != nil {
		c.approach()
	}
}

// approach moves the list of the step that the ring has come to cover to the place that the old first step
// left. That step exists: far is not empty, and all of it lies further ahead.
func (c *commands) approach() {
	step := c.first + netcode.Step(len(c.near)-1)
	if l, ok := c.far[step]; ok {
		*c.at(step) = l
		c.dropFar(step)
	}
}

func (c *commands) dropFar(step netcode.Step) {
	delete(c.far, step)
	if len(c.far) == 0 {
		c.far = nil
	}
}

// reset takes every entry out of the lists and the hash table and starts over at first. What the slots hold is
// left for the caller to take out.
func (c *commands) reset(first netcode.Step) {
	clear(c.near)
	c.far = nil
	clear(c.heads)
	c.spill = nil
	c.first = first
	c.spare(1)
}

// len counts the entries. It takes as long as there are unused slots.
func (c *commands) len() int {
	n := len(c.slots) - 1
	for ref := c.free; ref != 0; ref = c.slots[ref].next {
		n--
	}
	return n
}

// before is CompareExecution with a short way out for the common case.
func before(a, b *netcode.Entry) bool {
	if a.Header.Order != b.Header.Order {
		return a.Header.Order < b.Header.Order
	}
	return a.CompareExecution(b) < 0
}
