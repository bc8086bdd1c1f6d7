package journal

// The chains a slot can be part of, each with a link of its own in the slot.
const (
	byChange  = iota // all records of a journal
	byRefusal        // the never accepted records of one author
	chains           // how many there are
)

// link connects a slot to its neighbours in one chain.
type link struct {
	prev, next *slot
}

// chain is a doubly linked list through the slots themselves, from the least to the most recently changed.
type chain struct {
	kind       int // which of the slots' links it uses
	head, tail *slot
	len        int
}

// push adds s as the most recently changed slot. It must not be in the chain.
func (c *chain) push(s *slot) {
	s.links[c.kind] = link{prev: c.tail}
	if c.tail == nil {
		c.head = s
	} else {
		c.tail.links[c.kind].next = s
	}
	c.tail = s
	c.len++
}

// remove takes s, which must be in the chain, out of it.
func (c *chain) remove(s *slot) {
	l := s.links[c.kind]
	if l.prev == nil {
		c.head = l.next
	} else {
		l.prev.links[c.kind].next = l.next
	}
	if l.next == nil {
		c.tail = l.prev
	} else {
		l.next.links[c.kind].prev = l.prev
	}
	c.len--
}
