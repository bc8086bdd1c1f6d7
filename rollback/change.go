package rollback

import (
	"bytes"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// set has a short way through for the usual call: a new command, for a coming step, behind the commands that
// are there. Everything else is for setAny.
func (e *engine) set(in *netcode.Entry) (changed bool, err error) {
	c := &e.commands
	step := in.Header.Step
	home := c.home(&in.Header.Key)
	head := &c.heads[home]
	chain, ref := *head, c.free
	if e.gate != open || step <= e.step || uint64(step)-uint64(e.step) > lookahead || ref == 0 ||
		c.spill != nil || chain != 0 && !c.admits(chain, &in.Header.Key) {
		return e.setAny(in)
	}
	l, slots := c.at(step), c.slots
	tail := l.tail
	t := &slots[tail]
	if tail != 0 && t.entry.Header.Order >= in.Header.Order {
		return e.setAny(in)
	}
	s := &slots[ref]
	c.free = s.next
	s.entry = *in
	s.home, s.chain = home, chain
	*head = ref
	s.prev, s.next = tail, 0
	t.next = ref // the slot for none may be written to
	l.tail = ref
	if tail == 0 {
		l.head = ref
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
	if ref := c.find(&in.Header.Key); ref != 0 {
		return e.replace(ref, in), nil
	}
	if c.free == 0 && !c.grow() {
		return false, fmt.Errorf("rollback: set command %v: %d held: %w", in.Header.Key, c.limit, netcode.ErrTooManyCommands)
	}
	c.insert(in)
	e.touch(in.Header.Step)
	return true, nil
}

// replace puts another entry of the same key into a slot. The new action is the one kept, because it is bound
// to the header that a replay must see. The old one is released last, when everything is consistent again.
func (e *engine) replace(ref uint32, in *netcode.Entry) (changed bool) {
	c := &e.commands
	held := &c.slots[ref].entry
	action, step := held.Action, held.Header.Step

	stays := step == in.Header.Step && c.keepsPlace(ref, in)
	if !stays {
		c.unlink(ref)
	}
	if !stays || held.Header.Type != in.Header.Type || !bytes.Equal(held.Payload, in.Payload) {
		e.touch(step)
		e.touch(in.Header.Step)
		changed = true
	}
	*held = *in
	if !stays {
		c.link(ref)
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
	ref := c.find(key)
	if ref == 0 {
		return false
	}
	e.touch(c.slots[ref].entry.Header.Step)
	if action := c.discard(ref); action != nil {
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
