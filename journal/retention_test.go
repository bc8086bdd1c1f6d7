package journal_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestCompactDropsWhatASnapshotCovers(t *testing.T) {
	var m journal.Memory
	require.NoError(t, m.Append(record(1, 1, netcode.Accepted))) // revision 1
	require.NoError(t, m.Append(record(1, 9, netcode.Rejected)))
	require.NoError(t, m.Append(record(1, 3, netcode.Accepted)))
	require.NoError(t, m.Append(record(1, 4, netcode.Accepted)))
	require.NoError(t, m.Cancel(key(1, 2))) // 5: a tombstone
	require.NoError(t, m.Append(record(1, 8, netcode.Accepted)))
	require.NoError(t, m.Cancel(key(1, 8))) // 7: beyond every snapshot, but cancelled
	require.NoError(t, m.Append(record(1, 5, netcode.Accepted)))

	require.Zero(t, m.Compact(100, netcode.MaxRevision, 7), "not more than that remain")
	require.Zero(t, m.Compact(1, netcode.MaxRevision, 0), "step 1 is not before step 1")
	require.Zero(t, m.Compact(100, 1, 0), "revision 1 is needed")
	require.Zero(t, m.Floor())

	require.Equal(t, 1, m.Compact(4, 2, 0), "revision 2 is needed")
	require.Equal(t, 2, m.Compact(4, netcode.MaxRevision, 0), "up to the first that must stay")
	require.Equal(t, netcode.Revision(3), m.Floor())
	require.Equal(t, []netcode.Sequence{4, 2, 8, 5}, sequences(slices.Collect(m.All())))

	_, ok := m.AppendChangesAfter(nil, 2)
	require.False(t, ok)
	got, ok := m.AppendChangesAfter(nil, 3)
	require.True(t, ok, "the floor itself is covered")
	require.Equal(t, []netcode.Sequence{4, 2, 8, 5}, sequences(got))

	require.Equal(t, 3, m.Compact(5, netcode.MaxRevision, -1))
	require.Equal(t, netcode.Revision(7), m.Floor())
	require.Equal(t, []netcode.Sequence{5}, sequences(m.AppendAcceptedAfter(nil, netcode.Cursor{Step: -1})))
	require.Equal(t, netcode.Revision(8), m.Revision(), "compaction is not a change")

	require.Equal(t, 1, m.Compact(netcode.MaxStep, netcode.MaxRevision, 0))
	got, ok = m.AppendChangesAfter(nil, 8)
	require.True(t, ok)
	require.Empty(t, got)
}

func TestDroppedKeysStayKnown(t *testing.T) {
	var m journal.Memory
	for i := range netcode.Sequence(100) {
		require.NoError(t, m.Append(record(1, i, netcode.Accepted)))
	}
	require.Equal(t, 100, m.Compact(netcode.MaxStep, netcode.MaxRevision, 0))
	for i := range netcode.Sequence(100) {
		_, ok := m.Lookup(key(1, i))
		require.False(t, ok)
		require.True(t, m.Known(key(1, i)))
		require.ErrorIs(t, m.Append(record(1, i, netcode.Accepted)), journal.ErrExists)
	}
	require.False(t, m.Known(key(1, 100)))
	require.False(t, m.Known(key(2, 5)), "another author")
	require.False(t, m.Known(netcode.Key{Session: 41, Author: 1, Sequence: 5}), "another session")
	require.Equal(t, netcode.Revision(100), m.Revision())
	next, ok := m.NextSequence(1)
	require.True(t, ok)
	require.Equal(t, netcode.Sequence(100), next)

	// Replace does not ask.
	require.NoError(t, m.Replace(record(1, 7, netcode.Rejected)))
	got, ok := m.AppendChangesAfter(nil, 100)
	require.True(t, ok)
	require.Equal(t, []netcode.Sequence{7}, sequences(got))
}

// An author that leaves gaps cannot make the journal remember more than so much, nor have an old command
// taken for a new one.
func TestGapsInSequences(t *testing.T) {
	m := journal.NewMemory(journal.Config{RefusedPerAuthor: 1})
	const n = 10_000
	for i := range netcode.Sequence(n) {
		require.NoError(t, m.Append(record(1, 2*i, netcode.Rejected)))
	}
	require.Equal(t, 1, m.Len())
	require.NoError(t, journal.CheckInvariants(m))
	for i := range netcode.Sequence(n) {
		require.True(t, m.Known(key(1, 2*i)))
	}
	require.True(t, m.Known(key(1, 1)), "a gap that has been closed")
	require.False(t, m.Known(key(1, 2*n-5)), "a recent gap is still exact")
	require.False(t, m.Known(key(1, 2*n)))
}

func TestRefusedRecordsAreBoundedPerAuthor(t *testing.T) {
	m := journal.NewMemory(journal.Config{})
	require.NoError(t, m.Append(record(2, 1, netcode.Rejected)))
	require.NoError(t, m.Append(record(2, 2, netcode.Accepted)))
	require.NoError(t, m.Append(record(1, 0, netcode.Accepted)))
	since := m.Revision()

	// Author 1 fills its share, one revision each, with refusals of all kinds and tombstones.
	kinds := []netcode.Result{netcode.Rejected, netcode.Conflict, netcode.Cancelled, netcode.UnknownType, netcode.InvalidMessage}
	const limit = journal.DefaultRefusedPerAuthor
	for i := range netcode.Sequence(limit) {
		if i%8 == 0 {
			require.NoError(t, m.Cancel(key(1, i+1)))
		} else {
			require.NoError(t, m.Append(record(1, i+1, kinds[i%5])))
		}
	}
	require.Equal(t, limit+3, m.Len())
	require.Zero(t, m.AuthorFloor(1))

	// One that changes is not the oldest any more.
	require.NoError(t, m.Cancel(key(1, 1)))
	require.NoError(t, m.Append(record(1, 1000, netcode.Rejected)))
	require.Equal(t, limit+3, m.Len())
	_, ok := m.Lookup(key(1, 1))
	require.True(t, ok)
	_, ok = m.Lookup(key(1, 2))
	require.False(t, ok)
	require.True(t, m.Known(key(1, 2)))
	require.Equal(t, since+2, m.AuthorFloor(1), "the dropped one was changed at that revision")
	require.ErrorIs(t, m.Append(record(1, 2, netcode.Accepted)), journal.ErrExists)

	// However much it sends, nobody else loses anything.
	for i := range netcode.Sequence(10_000) {
		require.NoError(t, m.Append(record(1, 2000+i, netcode.Rejected)))
	}
	require.NoError(t, m.Append(record(2, 3, netcode.Rejected)))
	require.Equal(t, limit+4, m.Len())
	require.NoError(t, journal.CheckInvariants(m))
	require.Zero(t, m.Floor())
	require.Zero(t, m.AuthorFloor(2))
	require.Zero(t, m.AuthorFloor(3))
	require.Equal(t, []netcode.Sequence{1, 2, 3}, sequences(m.AppendOutcomesAfter(nil, 2, 0, false)))
	got, ok := m.AppendChangesAfter(nil, 0)
	require.True(t, ok)
	var others, accepted []netcode.Sequence
	for _, r := range got {
		if r.Header.Key.Author != 1 {
			others = append(others, r.Header.Key.Sequence)
		} else if r.Result == netcode.Accepted {
			accepted = append(accepted, r.Header.Key.Sequence)
		}
	}
	require.Equal(t, []netcode.Sequence{1, 2, 3}, others)
	require.Equal(t, []netcode.Sequence{0}, accepted)

	// From its own floor on, the author's refusals are complete, too.
	floor := m.AuthorFloor(1)
	got, ok = m.AppendChangesAfter(nil, floor)
	require.True(t, ok)
	require.Len(t, got, limit+1)
	require.Equal(t, floor+1, got[0].Revision)

	// Compaction may overtake it.
	m.Compact(netcode.MaxStep, netcode.MaxRevision, 0)
	require.Equal(t, m.Floor(), m.AuthorFloor(1))
}

// What peers may have seen as accepted must not disappear on its own: they would keep the command.
func TestOnceAcceptedRecordsAreNotBounded(t *testing.T) {
	m := journal.NewMemory(journal.Config{RefusedPerAuthor: 2})
	for i := range netcode.Sequence(10) {
		require.NoError(t, m.Append(record(1, i, netcode.Accepted)))
	}
	for i := range netcode.Sequence(5) {
		require.NoError(t, m.Cancel(key(1, i)))
		require.NoError(t, m.Replace(record(1, i+5, netcode.Rejected)))
	}
	require.Equal(t, 10, m.Len())
	require.Zero(t, m.AuthorFloor(1))
	got, ok := m.AppendChangesAfter(nil, 10)
	require.True(t, ok)
	require.Len(t, got, 10)

	// A refused one that is accepted after all leaves the bound.
	for i := range netcode.Sequence(4) {
		require.NoError(t, m.Replace(record(1, 20+i, netcode.Rejected)))
		require.NoError(t, m.Replace(record(1, 20+i, netcode.Accepted)))
	}
	require.Equal(t, 14, m.Len())
	require.Zero(t, m.AuthorFloor(1))
	require.NoError(t, journal.CheckInvariants(m))
}

func TestRefusedPerAuthorNegativeMeansNoBound(t *testing.T) {
	m := journal.NewMemory(journal.Config{RefusedPerAuthor: -1})
	for i := range netcode.Sequence(1000) {
		require.NoError(t, m.Cancel(key(1, i)))
	}
	require.Equal(t, 1000, m.Len())
	require.Zero(t, m.AuthorFloor(1))
}

// A journal under way allocates nothing, whatever it is asked to do.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	m := journal.NewMemory(journal.Config{RefusedPerAuthor: 20})
	var (
		next netcode.Sequence
		dst  []journal.Record
		req  [64]byte
	)
	step := func() {
		next++
		author := netcode.AuthorID(next % 3)
		h := netcode.Header{Key: key(author, next/3), Type: 3, Step: netcode.Step(next), Order: netcode.Order(next)}
		r := journal.Record{Header: h, Request: h, RequestPayload: req[:next%60], FinalPayload: req[1 : 1+next%50]}
		req[0]++
		switch next % 7 {
		case 3:
			r.Result = netcode.Rejected
		case 5:
			// Behind and ahead of the others, in no order.
			r.Header.Step += netcode.Step(next*7919%41) - 20
		}
		if next%11 == 0 {
			require.NoError(t, m.Cancel(h.Key))
		} else if err := m.Append(r); err != nil {
			t.Fatal(err)
		}
		if old := next - min(next, 30); next%2 == 0 {
			if r, ok := m.Lookup(key(netcode.AuthorID(old%3), old/3)); ok {
				r.Header.Order++
				require.NoError(t, m.Replace(r))
			}
		}
		if next%5 == 0 {
			require.NoError(t, m.Cancel(key(author, next/3-min(next/3, 4))))
		}
		m.Compact(netcode.Step(next)-100, netcode.MaxRevision, 300)
		if next%8 == 0 {
			dst = m.AppendAcceptedAfter(dst[:0], netcode.Cursor{Step: netcode.Step(next) - 10, Order: netcode.Order(next) - 20})
			dst, _ = m.AppendChangesAfter(dst[:0], m.Revision()-20)
			dst = m.AppendOutcomesAfter(dst[:0], author, next/3-min(next/3, 10), true)
			m.Known(h.Key)
			m.NextSequence(author)
		}
	}
	for range 20_000 {
		step()
	}
	require.NoError(t, journal.CheckInvariants(m))
	require.LessOrEqual(t, m.Len(), 300)
	allocs := testing.AllocsPerRun(10, func() {
		for range 2000 {
			step()
		}
	})
	require.Zero(t, allocs)
}
