package journal_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestZeroMemoryIsEmpty(t *testing.T) {
	var m journal.Memory
	require.Zero(t, m.Len())
	require.Zero(t, m.Revision())
	require.Zero(t, m.Floor())
	require.Zero(t, m.AuthorFloor(1))
	require.Zero(t, m.Compact(netcode.MaxStep, netcode.MaxRevision, 0))
	require.False(t, m.Known(netcode.Key{}))
	require.Empty(t, slices.Collect(m.All()))
	_, ok := m.Lookup(netcode.Key{})
	require.False(t, ok)
	_, ok = m.NextSequence(0)
	require.False(t, ok)
	require.Empty(t, m.AppendAcceptedAfter(nil, netcode.Cursor{Step: netcode.MinStep}))
	require.Empty(t, m.AppendOutcomesAfter(nil, 0, 0, false))
	got, ok := m.AppendChangesAfter(nil, 0)
	require.True(t, ok, "nothing has changed since revision 0")
	require.Empty(t, got)
	_, ok = m.AppendChangesAfter(nil, 1)
	require.False(t, ok, "revision 1 is yet to come")
}

func TestZeroKeyIsAKey(t *testing.T) {
	var m journal.Memory
	require.NoError(t, m.Append(journal.Record{}))
	require.ErrorIs(t, m.Append(journal.Record{}), journal.ErrExists)
	require.Equal(t, netcode.Revision(1), m.Revision())
	r, ok := m.Lookup(netcode.Key{})
	require.True(t, ok)
	require.Equal(t, journal.Record{Revision: 1}, r)
	require.Len(t, m.AppendOutcomesAfter(nil, 0, 0, false), 1, "sequence 0 counts when no last one is given")
	require.Empty(t, m.AppendOutcomesAfter(nil, 0, 0, true), "and not when it was the last one")
	require.Empty(t, m.AppendAcceptedAfter(nil, netcode.Cursor{}), "the zero cursor covers it")
	require.Len(t, m.AppendAcceptedAfter(nil, netcode.Cursor{Step: -1}), 1)
	next, ok := m.NextSequence(0)
	require.True(t, ok)
	require.Equal(t, netcode.Sequence(1), next)
}

func TestEdgesAreOrdinary(t *testing.T) {
	var m journal.Memory
	edges := []netcode.Header{
		{Key: key(0, 0), Step: netcode.MinStep, Order: 0},
		{Key: key(0, netcode.MaxSequence-1), Step: netcode.MinStep, Order: netcode.MaxOrder},
		{Key: key(0, netcode.MaxSequence), Step: 0, Order: 0},
		{Key: key(^netcode.AuthorID(0), netcode.MaxSequence), Step: netcode.MaxStep, Order: netcode.MaxOrder},
	}
	for _, h := range edges {
		require.NoError(t, m.Append(journal.Record{Header: h}))
	}
	headers := func(records []journal.Record) []netcode.Header {
		out := []netcode.Header{}
		for _, r := range records {
			out = append(out, r.Header)
		}
		return out
	}
	accepted := func(step netcode.Step, order netcode.Order) []netcode.Header {
		return headers(m.AppendAcceptedAfter(nil, netcode.Cursor{Step: step, Order: order}))
	}
	require.Equal(t, edges[1:], accepted(netcode.MinStep, 0))
	require.Equal(t, edges[2:], accepted(netcode.MinStep, netcode.MaxOrder))
	require.Equal(t, []netcode.Header{edges[1], edges[3]}, accepted(netcode.MaxStep, 0))
	require.Equal(t, []netcode.Header{edges[3]}, accepted(netcode.MaxStep-1, netcode.MaxOrder))
	require.Empty(t, accepted(netcode.MaxStep, netcode.MaxOrder))

	require.Equal(t, edges[:3], headers(m.AppendOutcomesAfter(nil, 0, 0, false)))
	require.Equal(t, edges[2:3], headers(m.AppendOutcomesAfter(nil, 0, netcode.MaxSequence-1, true)))
	require.Empty(t, m.AppendOutcomesAfter(nil, 0, netcode.MaxSequence, true))

	next, ok := m.NextSequence(0)
	require.True(t, ok)
	require.Equal(t, netcode.MaxSequence, next)

	require.Equal(t, 1, m.Compact(netcode.MinStep+1, netcode.MaxRevision, 3), "keep stops it")
	require.Equal(t, 2, m.Compact(netcode.MaxStep, netcode.MaxRevision, 0), "a step is not before itself")
	for _, h := range edges {
		require.True(t, m.Known(h.Key))
	}
	require.False(t, m.Known(key(0, 1)))
	require.NoError(t, journal.CheckInvariants(&m))
}

// A journal is meant for one session, but keys that differ in nothing else are still different keys.
func TestSessionsAreKeptApart(t *testing.T) {
	var m journal.Memory
	sessions := []netcode.SessionID{5, 2, 9, 1, 7}
	in := func(session netcode.SessionID) journal.Record {
		r := record(1, 3, netcode.Accepted)
		r.Header.Key.Session = session
		return r
	}
	for _, s := range sessions {
		require.NoError(t, m.Append(in(s)))
	}
	list := func(records []journal.Record) []netcode.SessionID {
		out := []netcode.SessionID{}
		for _, r := range records {
			out = append(out, r.Header.Key.Session)
		}
		return out
	}
	require.Equal(t, []netcode.SessionID{1, 2, 5, 7, 9}, list(m.AppendAcceptedAfter(nil, netcode.Cursor{})))
	require.Equal(t, []netcode.SessionID{1, 2, 5, 7, 9}, list(m.AppendAcceptedAfter(nil, netcode.Cursor{Step: 100})))
	require.Equal(t, []netcode.SessionID{1, 2, 5, 7, 9}, list(m.AppendOutcomesAfter(nil, 1, 0, false)))

	require.NoError(t, m.Cancel(in(5).Header.Key))
	require.Equal(t, []netcode.SessionID{1, 2, 7, 9}, list(m.AppendAcceptedAfter(nil, netcode.Cursor{})))
	require.Equal(t, 1, m.Compact(netcode.MaxStep, netcode.MaxRevision, 4))
	require.Equal(t, []netcode.SessionID{1, 7, 9}, list(m.AppendAcceptedAfter(nil, netcode.Cursor{})))
	require.True(t, m.Known(in(2).Header.Key))
	require.False(t, m.Known(in(3).Header.Key))
	require.NoError(t, journal.CheckInvariants(&m))
}

func TestPayloads(t *testing.T) {
	long := slices.Repeat([]byte("0123456789abcdef"), 1<<13) // 128 KiB: too large to be recycled
	tests := []struct {
		name           string
		request, final []byte
	}{
		{"none", nil, nil},
		{"empty", []byte{}, []byte{}},
		{"request only", []byte("abc"), nil},
		{"final only", nil, []byte("abc")},
		{"equal", []byte("abc"), []byte("abc")},
		{"equal zeros", make([]byte, 32), make([]byte, 32)},
		{"same length", []byte("abc"), []byte("abd")},
		{"prefix", []byte("abc"), []byte("ab")},
		{"extension", []byte("ab"), []byte("abc")},
		{"fills a buffer", make([]byte, 31), []byte{1}},
		{"exceeds a buffer", make([]byte, 32), []byte{1}},
		{"long", long, []byte{1}},
		{"long and equal", long, long},
	}
	// The same journal for all of them, so that each is written over the others.
	var m journal.Memory
	for range 3 {
		for _, tt := range tests {
			for i := range netcode.Sequence(3) {
				r := record(1, i, netcode.Accepted)
				r.RequestPayload, r.FinalPayload = slices.Clone(tt.request), slices.Clone(tt.final)
				require.NoError(t, m.Replace(r))
				clear(r.RequestPayload)
				clear(r.FinalPayload)

				got, ok := m.Lookup(r.Header.Key)
				require.True(t, ok)
				require.Equal(t, payload(string(tt.request)), got.RequestPayload, "%s", tt.name)
				require.Equal(t, payload(string(tt.final)), got.FinalPayload, "%s", tt.name)

				// What a caller appends to one payload does not reach the other.
				_ = append(got.RequestPayload, 0xEE)
				_ = append(got.FinalPayload, 0xEE)
				got, _ = m.Lookup(r.Header.Key)
				require.Equal(t, payload(string(tt.final)), got.FinalPayload, "%s", tt.name)
				require.NoError(t, journal.CheckInvariants(&m))
			}
		}
	}
}

// The lines by which a session turns a recorded prediction into a refusal must work on borrowed payloads.
func TestReplaceWithBorrowedPayloads(t *testing.T) {
	var m journal.Memory
	require.NoError(t, m.Append(record(1, 1, netcode.Accepted)))
	r, _ := m.Lookup(key(1, 1))
	r.RequestPayload, r.FinalPayload = r.FinalPayload, r.RequestPayload
	require.NoError(t, m.Replace(r))
	got, _ := m.Lookup(key(1, 1))
	require.Equal(t, []byte{1, 1}, got.RequestPayload)
	require.Equal(t, []byte{1, 2, 3}, got.FinalPayload)

	// The record whose payload is borrowed is the one that recording the new one drops.
	small := journal.NewMemory(journal.Config{RefusedPerAuthor: 1})
	require.NoError(t, small.Append(record(1, 1, netcode.Rejected)))
	r, _ = small.Lookup(key(1, 1))
	r.Header.Key.Sequence = 2
	require.NoError(t, small.Append(r))
	require.Equal(t, 1, small.Len())
	got, _ = small.Lookup(key(1, 2))
	require.Equal(t, []byte{1, 2, 3}, got.RequestPayload)
	require.Equal(t, []byte{1, 1}, got.FinalPayload)
}

func TestAppendRefusesAndChangesNothing(t *testing.T) {
	var m journal.Memory
	first := record(1, 1, netcode.Accepted)
	require.NoError(t, m.Append(first))
	before := slices.Collect(m.All())

	second := record(1, 1, netcode.Rejected)
	second.FinalPayload = []byte("other")
	require.ErrorIs(t, m.Append(second), journal.ErrExists)
	require.Equal(t, before, slices.Collect(m.All()))
	require.Equal(t, netcode.Revision(1), m.Revision())

	other := first
	other.Header.Key.Session++
	require.NoError(t, m.Append(other), "the session is part of the key")
}

func TestChangesAreListedOnceByLastChange(t *testing.T) {
	var m journal.Memory
	for i := range netcode.Sequence(4) {
		require.NoError(t, m.Append(record(1, i, netcode.Accepted)))
	}
	require.NoError(t, m.Cancel(key(1, 0)))
	require.NoError(t, m.Replace(record(1, 2, netcode.Rejected)))
	for after, want := range [][]netcode.Sequence{{1, 3, 0, 2}, {1, 3, 0, 2}, {3, 0, 2}, {3, 0, 2}, {0, 2}, {2}, {}} {
		got, ok := m.AppendChangesAfter(nil, netcode.Revision(after))
		require.True(t, ok)
		require.Equal(t, want, sequences(got), "after revision %d", after)
	}
	got, ok := m.AppendChangesAfter(prefix(), 7)
	require.False(t, ok)
	require.Equal(t, prefix(), got)
	require.Equal(t, []netcode.Sequence{1, 3}, sequences(m.AppendAcceptedAfter(nil, netcode.Cursor{Step: -1})))

	for r := range m.All() {
		require.Equal(t, netcode.Sequence(1), r.Header.Key.Sequence)
		break
	}
}

func TestClearForgets(t *testing.T) {
	var m journal.Memory
	require.NoError(t, m.Append(record(1, 1, netcode.Accepted)))
	require.NoError(t, m.Append(record(1, 2, netcode.Accepted)))
	require.Equal(t, 1, m.Compact(netcode.MaxStep, netcode.MaxRevision, 1))
	require.NoError(t, m.Clear())
	require.Equal(t, netcode.Revision(3), m.Revision())
	require.Equal(t, netcode.Revision(3), m.Floor())
	require.Zero(t, m.Len())
	require.False(t, m.Known(key(1, 1)))
	require.False(t, m.Known(key(1, 2)))
	_, ok := m.NextSequence(1)
	require.False(t, ok)
	require.NoError(t, m.Append(record(1, 1, netcode.Accepted)))
	r, _ := m.Lookup(key(1, 1))
	require.Equal(t, netcode.Revision(4), r.Revision)

	small := journal.NewMemory(journal.Config{RefusedPerAuthor: 1})
	require.NoError(t, small.Clear())
	require.NoError(t, small.Cancel(key(1, 1)))
	require.NoError(t, small.Cancel(key(1, 2)))
	require.Equal(t, 1, small.Len(), "the configuration stays")
}
