package journal

import (
	"cmp"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// ordering is a total order over the slots of an index: by rank, and among equal ranks by compareTied.
type ordering interface {
	rank(s *slot) uint64
	compareTied(a, b *slot) int
}

// byStep is the order in which accepted commands are read: by step, order, author and sequence.
type byStep struct{}

func (byStep) rank(s *slot) uint64        { return stepRank(s.header.Step) }
func (byStep) compareTied(a, b *slot) int { return comparePlace(&a.header, &b.header) }

// stepRank maps steps to unsigned numbers in the same order.
func stepRank(s netcode.Step) uint64 { return uint64(s) ^ 1<<63 }

// byOrder has the commands that were admitted last at its end, whatever their steps.
type byOrder struct{}

func (byOrder) rank(s *slot) uint64        { return uint64(s.header.Order) }
func (byOrder) compareTied(a, b *slot) int { return comparePlace(&a.header, &b.header) }

// bySequence is the order of one author's records. It looks at nothing but the key, which never changes.
type bySequence struct{}

func (bySequence) rank(s *slot) uint64 { return uint64(s.header.Key.Sequence) }
func (bySequence) compareTied(a, b *slot) int {
	return cmp.Compare(a.header.Key.Session, b.header.Key.Session)
}

// comparePlace orders headers by step, order, author and sequence. The session comes last and decides only
// in a journal that holds several.
func comparePlace(a, b *netcode.Header) int {
	if c := a.Compare(*b); c != 0 {
		return c
	}
	return cmp.Compare(a.Key.Session, b.Key.Session)
}
