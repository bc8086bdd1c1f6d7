package journal

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// maxSpans bounds the spans kept for one author in one session.
const maxSpans = 64

// span is a run of sequences, both ends included.
type span struct {
	first, last netcode.Sequence
}

// spans is a set of sequences as sorted runs that neither overlap nor touch.
//
// Authors count upward, so the dropped sequences of one are a run or two. An author that leaves gaps on
// purpose gets maxSpans runs; then the gap between the two lowest is closed, and the sequences in it pass for
// dropped. The error is on the safe side: a command is taken for an old one, never admitted twice.
type spans []span

// contains reports whether q is in the set.
func (p spans) contains(q netcode.Sequence) bool {
	i := p.reaching(q)
	return i < len(p) && p[i].first <= q
}

// add puts q into the set.
func (p *spans) add(q netcode.Sequence) {
	s := *p
	i := s.reaching(q)
	if i < len(s) && s[i].first <= q {
		return
	}
	// Between s[i-1] and s[i]: neither q-1 nor q+1 can wrap where it is formed, since something lies below
	// or above q.
	afterLower := i > 0 && s[i-1].last == q-1
	beforeUpper := i < len(s) && s[i].first == q+1
	switch {
	case afterLower && beforeUpper:
		s[i-1].last = s[i].last
		s = slices.Delete(s, i, i+1)
	case afterLower:
		s[i-1].last = q
	case beforeUpper:
		s[i].first = q
	default:
		s = slices.Insert(s, i, span{q, q})
	}
	if len(s) > maxSpans {
		s[0].last = s[1].last
		s = slices.Delete(s, 1, 2)
	}
	*p = s
}

// reaching returns the index of the first span that ends at or after q.
func (p spans) reaching(q netcode.Sequence) int {
	return seek(len(p), func(i int) bool { return p[i].last >= q })
}
