package rollback

import (
	"bytes"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// set has a short way through for the usual call: a new command, for a step that the ring covers, behind the
// commands that are there. Everything else is for setAny.
func (e *engine) set(in *netcode.Entry) (changed bool, err error) {
	c := &e.commands
	step := in.Header.Step
	seen := &c.keys.seen[in.Header.Key.Author%seenAuthors]
	s := c.free
	if e.gate != open || s == nil || in.Header.Key.Sequence <= *seen || step < c.first || !c.nearby(step) {
		return e.setAny(in)
	}
	p := c.at(step)
	tail, link := p.tail, &p.head
	if tail != nil {
		if tail.entry.Header.Order >= in.Header.Order {
			return e.setAny(in)
		}
		link = &tail.next
	}
	*seen = in.Header.Key.Sequence
	s.home = unindexed
	*link, p.tail, c.free = s, s, s.next
	s.next, s.prev = nil, tail
	s.entry = *in
	if !p.isBehind {
		c.fallBehind(p, step)
	}
	if step <= e.step {
		e.touch(step)
	}
	return true, nil
}

func (e *engine) setAny(in *netcode.Entry) (changed bool, err error) {
	c := &e.commands
	if e.gate != open {
		return false, e.refusal()
	}
	if in.Header.Step < c.first {
		return false, fmt.Errorf("rollback: set command %v at step %d, first retained is %d: %w",
			in.Header.Key, in.Header.Step, c.first, netcode.ErrHistoryExceeded)
	}
	if s := c.find(&in.Header.Key); s != nil {
		return e.replace(s, in), nil
	}
	if c.free == nil && !c.grow() {
		return false, fmt.Errorf("rollback: set command %v: %d held: %w", in.Header.Key, c.limit, netcode.ErrTooManyCommands)
	}
	c.insert(in)
	e.touch(in.Header.Step)
	return true, nil
}

// replace puts another entry of the same key into a slot. The new action is the one kept, because it is bound
// to the header that a replay must see. The old one is released last, when everything is consistent again.
func (e *engine) replace(s *slot, in *netcode.Entry) (changed bool) {
	c := &e.commands
	held := &s.entry
	action, step := held.Action, held.Header.Step

	stays := step == in.Header.Step && s.keepsPlace(in)
	if !stays {
		c.unlink(s)
	}
	if !stays || held.Header.Type != in.Header.Type || !bytes.Equal(held.Payload, in.Payload) {
		e.touch(step)
		e.touch(in.Header.Step)
		changed = true
	}
	*held = *in
	if !stays {
		c.link(s)
	}
	if action != nil {
		action.Release()
	}
	return changed
}

func (e *engine) remove(key *netcode.Key) bool {
	if e.gate != open {
		return false
	}
	c := &e.commands
	s := c.find(key)
	if s == nil {
		return false
	}
	e.touch(s.entry.Header.Step)
	if action := c.discard(s); action != nil {
		action.Release()
	}
	return true
}

// touch marks a step if it has been executed.
func (e *engine) touch(step netcode.Step) {
	if step <= e.step && (!e.marked || step < e.mark) {
		e.mark, e.marked = step, true
	}
}
