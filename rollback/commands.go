package rollback

import (
	"math/bits"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// commands holds the entries of a model: by step in lists that are in execution order, and by key (see
// keys.go).
//
// Entries live in slots, which are reused and never move. The lists of the steps first..first+len(near)-1 are
// in a ring that covers every executed step that is still held and some steps ahead. Lists further in the
// future are in far and move into the ring, whole, as first advances. No list lies behind first.
//
// The slots of a list that are not in the table of keys are the last ones of it, are all in the ring, and
// their place is among the behind.
type commands struct {
	first  netcode.Step
	near   []place               // step s is at s modulo the length, a power of two
	far    map[netcode.Step]list // nil if empty
	free   *slot                 // chain of unused slots, linked by next
	behind uint32                // chain of places whose slots may be missing in keys, as an index plus one, or 0
	keys   keys
	blocks [][]slot
	slots  int // in all blocks
	limit  int
}

// slot is laid out so that on 64-bit platforms what a run and a release need is in one cache line.
type slot struct {
	entry      netcode.Entry
	next, prev *slot
	chain      *slot  // next of the same hash
	home       uint32 // index into the heads of keys, or spilled or unindexed
}

type list struct{ head, tail *slot }

// place is a place of the ring. Whether it is among the behind does not depend on which step has the place.
type place struct {
	list
	behind   uint32 // the next one
	isBehind bool
}

const (
	// lookahead is how many future steps the ring covers at least. Commands beyond it cost a map access.
	lookahead = 128

	minSlots = 64
)

func newCommands(first netcode.Step, depth, limit int) commands {
	c := commands{
		first: first,
		near:  make([]place, ceilPow2(depth+lookahead)),
		limit: limit,
	}
	c.grow()
	return c
}

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// nearby reports whether the ring covers a step, which must not be before first.
func (c *commands) nearby(step netcode.Step) bool {
	return uint64(step)-uint64(c.first) < uint64(len(c.near))
}

// at returns the place of a step that the ring covers.
func (c *commands) at(step netcode.Step) *place {
	return &c.near[uint64(step)&uint64(len(c.near)-1)]
}

// find returns the slot of a key, or nil. All slots are in the table of keys afterwards.
func (c *commands) find(k *netcode.Key) *slot {
	c.index()
	return c.keys.find(k)
}

// index puts the slots that are missing into the table of keys.
func (c *commands) index() {
	c.keys.fit(c.slots)
	for c.behind != 0 {
		p := &c.near[c.behind-1]
		c.behind, p.isBehind = p.behind, false
		from := (*slot)(nil)
		for s := p.tail; s != nil && s.home == unindexed; s = s.prev {
			from = s
		}
		for s := from; s != nil; s = s.next {
			c.keys.enter(s)
		}
	}
}

// fallBehind puts the place of a step among the behind.
func (c *commands) fallBehind(p *place, step netcode.Step) {
	p.behind, p.isBehind = c.behind, true
	c.behind = uint32(uint64(step)&uint64(len(c.near)-1)) + 1
}

// insert stores an entry under a key that find has not found. There must be a free slot.
func (c *commands) insert(e *netcode.Entry) {
	s := c.free
	c.free = s.next
	s.entry = *e
	c.keys.note(&e.Header.Key, c.slots)
	c.keys.enter(s)
	c.link(s)
}

// grow makes more slots, when all are in use and the limit allows more.
func (c *commands) grow() bool {
	if c.slots >= c.limit {
		return false
	}
	block := make([]slot, min(max(c.slots, minSlots), c.limit-c.slots))
	c.blocks = append(c.blocks, block)
	c.slots += len(block)
	c.spare(block)
	return true
}

// spare puts a block of slots in front of the unused ones.
func (c *commands) spare(block []slot) {
	for i := len(block) - 1; i >= 0; i-- {
		block[i].next = c.free
		c.free = &block[i]
	}
}

// discard takes a slot out of everything and returns its action, which may be nil.
func (c *commands) discard(s *slot) netcode.Action {
	c.unlink(s)
	c.keys.leave(s)
	action := s.entry.Action
	s.entry.Action, s.entry.Payload = nil, nil
	s.next, c.free = c.free, s
	return action
}

func (c *commands) link(s *slot) {
	step := s.entry.Header.Step
	if c.nearby(step) {
		c.at(step).link(s)
		return
	}
	l := c.far[step]
	l.link(s)
	if c.far == nil {
		c.far = make(map[netcode.Step]list)
	}
	c.far[step] = l
}

func (c *commands) unlink(s *slot) {
	step := s.entry.Header.Step
	if c.nearby(step) {
		c.at(step).unlink(s)
		return
	}
	l := c.far[step]
	l.unlink(s)
	if l.head == nil {
		c.dropFar(step)
		return
	}
	c.far[step] = l
}

// link searches from the end, because orders are handed out in ascending order.
func (l *list) link(s *slot) {
	prev, next := l.tail, (*slot)(nil)
	for prev != nil && before(&s.entry, &prev.entry) {
		prev, next = prev.prev, prev
	}
	s.prev, s.next = prev, next
	if prev == nil {
		l.head = s
	} else {
		prev.next = s
	}
	if next == nil {
		l.tail = s
	} else {
		next.prev = s
	}
}

func (l *list) unlink(s *slot) {
	if s.prev == nil {
		l.head = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		l.tail = s.prev
	} else {
		s.next.prev = s.prev
	}
}

// keepsPlace reports whether e, of the same step as the slot, would stand where the slot stands.
func (s *slot) keepsPlace(e *netcode.Entry) bool {
	return (s.prev == nil || before(&s.prev.entry, e)) && (s.next == nil || before(e, &s.next.entry))
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
		c.at(step).list = l
		c.dropFar(step)
	}
}

func (c *commands) dropFar(step netcode.Step) {
	delete(c.far, step)
	if len(c.far) == 0 {
		c.far = nil
	}
}

// reset takes every entry out of the lists and the table of keys and starts over at first. What the slots hold
// is left for the caller to take out.
func (c *commands) reset(first netcode.Step) {
	clear(c.near)
	c.behind = 0
	c.keys.reset()
	c.far = nil
	c.first = first
	c.free = nil
	for _, block := range c.blocks {
		c.spare(block)
	}
}

// len counts the entries. It takes as long as there are unused slots.
func (c *commands) len() int {
	n := c.slots
	for s := c.free; s != nil; s = s.next {
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
