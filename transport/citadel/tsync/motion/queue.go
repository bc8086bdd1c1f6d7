package motion

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// MaxAhead is how far beyond the last input that was let through a [Queue] looks.
const MaxAhead = 256

// DefaultPayload is how many bytes of its own a game may put into an input, unless both ends are told otherwise.
const DefaultPayload = 256

// leastSlots is the smallest ring of a queue, which suffices for as long as bundles arrive in order.
const leastSlots = 8

// Queue lets inputs through by their sequence numbers: each once, in order, without a gap. The zero value is ready and
// expects number 1.
//
// A number is refused if it is 0, which means none; if it was let through or is pending; or if it is more than
// [MaxAhead] ahead. A queue therefore never holds more than MaxAhead inputs. Number 1 follows upon the last one of 32
// bits.
//
// Inputs lie in slots that are used again and again, so that whatever they hold, such as payloads, can be reused. A
// queue is not safe for concurrent use.
type Queue[T any] struct {
	ring    []slot[T] // a power of two; ring[head] is for the number after acked
	head    uint32
	acked   uint32
	pending int
}

type slot[T any] struct {
	item T
	held bool
}

// Offer takes a number and returns the slot for its input, which the caller fills in; or nil if the number is refused,
// and then nothing has changed. The slot holds what an earlier input left in it. It is valid until the next call of
// Offer that returns one, for any number.
func (q *Queue[T]) Offer(seq uint32) *T {
	ahead := q.ahead(seq)
	if ahead == 0 || ahead > MaxAhead {
		return nil
	}
	if int(ahead) > len(q.ring) {
		q.grow(int(ahead))
	}
	s := &q.ring[q.index(ahead)]
	if s.held {
		return nil
	}
	s.held = true
	q.pending++
	return &s.item
}

// Next lets the next input through and returns its number and its slot, or nil if the next one has not come. The slot
// is the caller's until the next call of Offer.
//
// A caller that does something with every input that it gets acknowledges by [Queue.Acked] what it has done.
func (q *Queue[T]) Next() (seq uint32, item *T) {
	if q.pending == 0 || !q.ring[q.head].held {
		return 0, nil
	}
	s := &q.ring[q.head]
	s.held = false
	q.head = q.index(2)
	q.pending--
	q.acked = after(q.acked)
	return q.acked, &s.item
}

// Acked returns the number up to which all inputs were let through, and 0 if none was.
func (q *Queue[T]) Acked() uint32 { return q.acked }

// Pending returns how many inputs were taken and not let through yet.
func (q *Queue[T]) Pending() int { return q.pending }

// Reset makes the queue expect number 1 again, for another owner or another life of the object. It keeps its slots.
func (q *Queue[T]) Reset() {
	for i := range q.ring {
		q.ring[i].held = false
	}
	q.head, q.acked, q.pending = 0, 0, 0
}

// ahead returns how far a number is from the last one that was let through, and 0 if it is none or not ahead at all.
func (q *Queue[T]) ahead(seq uint32) uint64 {
	switch {
	case seq == 0:
		return 0
	case seq > q.acked:
		return uint64(seq - q.acked)
	}
	// As if the count had gone round, without 0. Unless it is about to, that is too far.
	return uint64(seq) + math.MaxUint32 - uint64(q.acked)
}

// index returns the slot of the number that is so far ahead, from 1.
func (q *Queue[T]) index(ahead uint64) uint32 {
	return (q.head + uint32(ahead) - 1) & uint32(len(q.ring)-1)
}

// grow makes room for numbers up to the given distance.
func (q *Queue[T]) grow(ahead int) {
	size := max(leastSlots, len(q.ring))
	for size < ahead {
		size *= 2
	}
	ring := make([]slot[T], size)
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}

// after returns the number that follows.
func after(seq uint32) uint32 {
	if seq == math.MaxUint32 {
		return 1
	}
	return seq + 1
}

// OfferFrame puts a frame into a queue, unless that refuses its number, and reports whether it took it. It copies the
// payload into the slot's own and retains nothing of f. That an oversized payload is not worth keeping is for the
// caller to say before.
func OfferFrame(q *Queue[tsync.InputFrame], f *tsync.InputFrame) bool {
	into := q.Offer(f.Seq)
	if into == nil {
		return false
	}
	payload := append(into.Payload[:0], f.Payload...)
	*into = *f
	into.Payload = payload
	return true
}
