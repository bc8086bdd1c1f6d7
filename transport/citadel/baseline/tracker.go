package baseline

import (
	"errors"
	"iter"
	"slices"
)

// What a tracker refuses to note.
var (
	ErrNotAscending = errors.New("baseline: id is not above those issued before")
	ErrFull         = errors.New("baseline: too many ids outstanding")
)

// DefaultLimit is how many ids may be outstanding if nothing else is said.
const DefaultLimit = 64

// Tracker knows which ids a sender has issued to one receiver and which of them the receiver has last
// acknowledged. That one is the baseline. The zero value has issued none and has the [DefaultLimit]. A tracker
// must not be copied once it is in use.
type Tracker[T ID] struct {
	outstanding []T // ascending, all above acked
	issued      T   // the last one
	acked       T
	limit       int
}

// NewTracker returns a tracker that lets limit ids be outstanding; for a limit that is not positive it takes the
// [DefaultLimit].
func NewTracker[T ID](limit int) *Tracker[T] { return &Tracker[T]{limit: limit} }

// Issue notes that the state with this id was sent. It returns [ErrNotAscending] if the id is zero or not above
// all that were issued before, and [ErrFull] if as many as the limit are outstanding; then nothing has changed. A
// sender whose tracker is full goes on after [Tracker.Reset], with a full state, or after [Tracker.DropOldest].
func (t *Tracker[T]) Issue(id T) error {
	if id <= t.issued {
		return ErrNotAscending
	}
	limit := t.limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(t.outstanding) >= limit {
		return ErrFull
	}
	t.outstanding = append(t.outstanding, id)
	t.issued = id
	return nil
}

// Ack takes a window of the receiver. If it names ids that are outstanding, the newest of them becomes the
// baseline, everything outstanding up to it is forgotten, and Ack returns it and true.
func (t *Tracker[T]) Ack(w Window[T]) (baseline T, advanced bool) {
	for i := len(t.outstanding) - 1; i >= 0; i-- {
		if id := t.outstanding[i]; w.Contains(id) {
			t.outstanding = append(t.outstanding[:0], t.outstanding[i+1:]...)
			t.acked = id
			return id, true
		}
	}
	return 0, false
}

// Baseline returns the newest id that the receiver has acknowledged, if there is one.
func (t *Tracker[T]) Baseline() (id T, ok bool) { return t.acked, t.acked != 0 }

// Outstanding yields the ids that are neither acknowledged nor overtaken, in ascending order. The tracker must not
// be used for anything else until it is done.
func (t *Tracker[T]) Outstanding() iter.Seq[T] { return slices.Values(t.outstanding) }

// Len returns the number of outstanding ids.
func (t *Tracker[T]) Len() int { return len(t.outstanding) }

// DropOldest forgets the lowest outstanding id, for a sender that no longer keeps its state: an acknowledgement of
// it will change nothing. It returns the id, if there was one.
func (t *Tracker[T]) DropOldest() (id T, ok bool) {
	if len(t.outstanding) == 0 {
		return 0, false
	}
	id = t.outstanding[0]
	t.outstanding = append(t.outstanding[:0], t.outstanding[1:]...)
	return id, true
}

// Reset forgets the baseline and all that is outstanding: what the receiver has is no longer known, and the next
// state must be a full one. Ids go on ascending, and acknowledgements of earlier ones change nothing.
func (t *Tracker[T]) Reset() {
	t.outstanding = t.outstanding[:0]
	t.acked = 0
}
