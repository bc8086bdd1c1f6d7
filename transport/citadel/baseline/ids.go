package baseline

import "errors"

// ErrExhausted says that there is no id left. Ids do not start again, because the receiver takes a lower one for
// an older state: a new connection does.
var ErrExhausted = errors.New("baseline: ids are exhausted")

// ID is a type whose values name states.
type ID interface{ ~uint32 | ~uint64 }

// IDs hands out ids. The zero value starts with 1.
type IDs[T ID] struct {
	Last T // the id handed out last; set it to go on from there
}

// Next returns the next id. After the largest one it returns zero and [ErrExhausted], for good.
func (s *IDs[T]) Next() (T, error) {
	if s.Last == ^T(0) {
		return 0, ErrExhausted
	}
	s.Last++
	return s.Last, nil
}
