package baseline

import (
	"errors"
	"iter"
	"math/bits"
)

// ErrHistoryWithoutLatest says that a window claims to know what came before nothing.
var ErrHistoryWithoutLatest = errors.New("baseline: history without a latest id")

// Window remembers which ids have arrived: the latest one and which of the 32 before it. The zero value has none.
// Windows are comparable values.
type Window[T ID] struct {
	latest  T
	history uint32 // bit k is for latest - 1 - k
}

// FromWire returns the window that a peer has sent as its latest id and the history before it. It returns
// [ErrHistoryWithoutLatest] if latest is zero and history is not.
//
// A history that reaches below id 1 is taken as it is. [Window.Contains] then says yes to zero, while [Window.All]
// leaves it out; since no id is zero, neither harms.
func FromWire[T ID](latest T, history uint32) (Window[T], error) {
	if latest == 0 && history != 0 {
		return Window[T]{}, ErrHistoryWithoutLatest
	}
	return Window[T]{latest: latest, history: history}, nil
}

// Wire returns what [FromWire] takes.
func (w Window[T]) Wire() (latest T, history uint32) { return w.latest, w.history }

// Latest returns the highest id that has arrived, if any has.
func (w Window[T]) Latest() (id T, ok bool) { return w.latest, w.latest != 0 }

// Add notes an id and reports whether it was news: it is not if it is zero, was noted before, or is more than 32
// below the latest, where the window does not reach.
func (w *Window[T]) Add(id T) bool {
	// A shift by more than the width leaves zero, which is just what is wanted of a distance beyond the window.
	switch {
	case id > w.latest:
		if w.latest != 0 {
			d := id - w.latest
			w.history = w.history<<d | 1<<(d-1)
		}
		w.latest = id
		return true
	case id == w.latest || id == 0:
		return false
	}
	bit := uint32(1) << (w.latest - id - 1)
	news := bit &^ w.history
	w.history |= bit
	return news != 0
}

// Contains reports whether an id has arrived and is within the window.
func (w Window[T]) Contains(id T) bool {
	if id >= w.latest {
		return id == w.latest && id != 0
	}
	return w.history>>(w.latest-id-1)&1 != 0
}

// All yields the ids from the latest down.
func (w Window[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		if w.latest == 0 || !yield(w.latest) {
			return
		}
		for h := w.history; h != 0; h &= h - 1 {
			d := T(bits.TrailingZeros32(h)) + 1
			if d >= w.latest || !yield(w.latest-d) {
				return
			}
		}
	}
}
