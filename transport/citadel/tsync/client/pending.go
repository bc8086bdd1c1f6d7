package client

// pending is what was numbered and not acknowledged: consecutive numbers, oldest first. Its slots are used again and
// again, so that whatever they hold can be reused.
type pending[T any] struct {
	ring  []T // as many as can be pending
	at    int
	count int
	next  uint32 // the number that the next one gets
}

// newPending returns one with room for so many.
func newPending[T any](room int) pending[T] {
	return pending[T]{ring: make([]T, room), next: 1}
}

// full reports whether there is no room for another one, or no number.
func (p *pending[T]) full() bool { return p.count == len(p.ring) || p.next == 0 }

// push adds a slot and returns it, with what it held before, and its number. There must be room.
func (p *pending[T]) push() (seq uint32, slot *T) {
	seq = p.next
	p.next++
	p.count++
	return seq, p.slot(p.count - 1)
}

// slot returns the n-th oldest one.
func (p *pending[T]) slot(n int) *T { return &p.ring[(p.at+n)%len(p.ring)] }

// first returns the number of the oldest one, or of the next one if there is none.
func (p *pending[T]) first() uint32 { return p.next - uint32(p.count) }

// given reports whether a number was given to anything since the last reset; 0 counts as such.
func (p *pending[T]) given(seq uint32) bool { return seq <= p.next-1 }

// confirmed returns how many are up to a number: all, if it is beyond the last one.
func (p *pending[T]) confirmed(seq uint32) int {
	if p.count == 0 || seq < p.first() {
		return 0
	}
	return int(min(seq-p.first(), uint32(p.count)-1)) + 1
}

// ack drops those up to a number, which may be an old one.
func (p *pending[T]) ack(seq uint32) {
	n := p.confirmed(seq)
	p.at = (p.at + n) % len(p.ring)
	p.count -= n
}

// reset forgets all, and numbers from 1 again.
func (p *pending[T]) reset() { p.at, p.count, p.next = 0, 0, 1 }
