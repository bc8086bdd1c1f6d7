package journal

import (
	"iter"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Lookup returns the record with this key. Its payloads are valid until the next call that changes the
// journal.
func (m *Memory) Lookup(key netcode.Key) (Record, bool) {
	s := m.lookup(key)
	if s == nil {
		return Record{}, false
	}
	return s.record(), true
}

// AppendAcceptedAfter appends to dst the accepted commands, cancelled ones left out, that a snapshot at c does
// not contain: those with a later step or a greater order. They are sorted by step, order, author and
// sequence. Their payloads are valid until the next call that changes the journal.
func (m *Memory) AppendAcceptedAfter(dst []Record, c netcode.Cursor) []Record {
	// What has a later step comes last and is a stretch of one index. What precedes it was admitted after c
	// for a step up to c, and is found in the other index among those of greater order, all of which are part
	// of the answer.
	start := len(dst)
	for s := range m.byOrder.from(m.byOrder.above(uint64(c.Order))) {
		if s.header.Step <= c.Step {
			dst = append(dst, s.record())
		}
	}
	slices.SortFunc(dst[start:], func(a, b Record) int { return comparePlace(&a.Header, &b.Header) })
	for s := range m.byStep.from(m.byStep.above(stepRank(c.Step))) {
		dst = append(dst, s.record())
	}
	return dst
}

// AppendChangesAfter appends to dst the records that have changed since the revision after, in the order of
// their last changes, each as it is now. It returns dst as it was and false if the journal cannot tell, because
// after lies below the floor or has not been reached yet.
//
// A peer that knew the session as of after and applies the records knows it as it is now, but for commands
// that were never accepted: see [Memory.AuthorFloor]. The payloads are valid until the next call that changes
// the journal.
func (m *Memory) AppendChangesAfter(dst []Record, after netcode.Revision) ([]Record, bool) {
	if after < m.floor || after > m.revision {
		return dst, false
	}
	first := (*slot)(nil)
	for s := m.changes.tail; s != nil && s.revision > after; s = s.links[byChange].prev {
		first = s
	}
	for s := first; s != nil; s = s.links[byChange].next {
		dst = append(dst, s.record())
	}
	return dst, true
}

// AppendOutcomesAfter appends to dst the author's records with a sequence above last, whatever their results,
// by sequence. If hasLast is false it appends all records of the author. Records that have been dropped are
// missing without a sign; [Memory.Known] tells. The payloads are valid until the next call that changes the
// journal.
func (m *Memory) AppendOutcomesAfter(dst []Record, author netcode.AuthorID, last netcode.Sequence, hasLast bool) []Record {
	a := m.authors[author]
	if a == nil {
		return dst
	}
	chunk, i := 0, 0
	if hasLast {
		chunk, i = a.records.above(uint64(last))
	}
	for s := range a.records.from(chunk, i) {
		dst = append(dst, s.record())
	}
	return dst
}

// All yields every record in the order of their last changes. The payloads are valid until the next call that
// changes the journal, which must not happen during the iteration.
func (m *Memory) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for s := m.changes.head; s != nil; s = s.links[byChange].next {
			if !yield(s.record()) {
				return
			}
		}
	}
}
