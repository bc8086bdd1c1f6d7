package session

import "slices"

// numbers is a set of unsigned numbers that mostly arrive in sequence, kept as sorted runs. It is bounded:
// a number that would open one run too many closes the lowest gap instead if lossy, and is refused
// otherwise.
type numbers[N ~uint32 | ~uint64] struct {
	runs  []run[N]
	limit int
	lossy bool
}

type run[N ~uint32 | ~uint64] struct{ first, last N }

// add puts n into the set and says whether it was new.
func (s *numbers[N]) add(n N) bool {
	// In sequence is the common case: it extends the last run.
	if k := len(s.runs); k > 0 && n == s.runs[k-1].last+1 && n != 0 {
		s.runs[k-1].last = n
		return true
	}
	i, found := slices.BinarySearchFunc(s.runs, n, func(r run[N], n N) int {
		switch {
		case r.last < n:
			return -1
		case r.first > n:
			return 1
		}
		return 0
	})
	if found {
		return false
	}
	before := i > 0 && s.runs[i-1].last == n-1 // i > 0 implies n > 0
	after := i < len(s.runs) && s.runs[i].first-1 == n
	switch {
	case before && after:
		s.runs[i-1].last = s.runs[i].last
		s.runs = slices.Delete(s.runs, i, i+1)
	case before:
		s.runs[i-1].last = n
	case after:
		s.runs[i].first = n
	case len(s.runs) < s.limit:
		s.runs = slices.Insert(s.runs, i, run[N]{n, n})
	case s.lossy && s.limit > 1:
		s.runs[0].last = s.runs[1].last
		s.runs = slices.Delete(s.runs, 1, 2)
		return s.add(n)
	default:
		return false
	}
	return true
}

// end returns the last number of the unbroken run that starts at first.
func (s *numbers[N]) end(first N) (N, bool) {
	for _, r := range s.runs {
		if r.first <= first && first <= r.last {
			return r.last, true
		}
	}
	return 0, false
}

func (s *numbers[N]) clear() { s.runs = s.runs[:0] }
