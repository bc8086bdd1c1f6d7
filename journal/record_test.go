package journal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestRecordTombstone(t *testing.T) {
	stone := journal.Record{
		Header:    netcode.Header{Key: key(1, 5), Step: netcode.MinStep},
		Result:    netcode.Cancelled,
		Cancelled: true,
	}
	tests := []struct {
		name   string
		change func(r *journal.Record)
		want   bool
	}{
		{"as Cancel makes it", func(r *journal.Record) {}, true},
		{"sequence and author do not matter", func(r *journal.Record) { r.Header.Key = netcode.Key{} }, true},
		{"a cancelled result with the flag clear", func(r *journal.Record) { r.Cancelled = false }, false},
		{"an accepted command that was cancelled", func(r *journal.Record) { r.Result = netcode.Accepted }, false},
		{"a refused command that was cancelled", func(r *journal.Record) { r.Result = netcode.Rejected }, false},
		{"a type", func(r *journal.Record) { r.Header.Type = 1 }, false},
		{"a step", func(r *journal.Record) { r.Header.Step++ }, false},
		{"an order", func(r *journal.Record) { r.Header.Order = 1 }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := stone
			tt.change(&r)
			require.Equal(t, tt.want, r.Tombstone())

			// A journal gives it back as it is.
			var m journal.Memory
			require.NoError(t, m.Replace(r))
			got, ok := m.Lookup(r.Header.Key)
			require.True(t, ok)
			require.Equal(t, tt.want, got.Tombstone())
		})
	}
}

func TestCancelLeavesTombstoneOrFlag(t *testing.T) {
	var m journal.Memory
	require.NoError(t, m.Cancel(key(1, 0)))
	got, ok := m.Lookup(key(1, 0))
	require.True(t, ok)
	require.True(t, got.Tombstone())
	require.Equal(t, netcode.Header{Key: key(1, 0), Step: netcode.MinStep}, got.Request)
	require.Equal(t, netcode.Revision(1), got.Revision)

	for i, result := range []netcode.Result{netcode.Accepted, netcode.Rejected, netcode.Cancelled} {
		r := record(1, netcode.Sequence(i+1), result)
		require.NoError(t, m.Append(r))
		require.NoError(t, m.Cancel(r.Header.Key))
		got, ok := m.Lookup(r.Header.Key)
		require.True(t, ok)
		require.False(t, got.Tombstone())
		require.True(t, got.Cancelled)
		require.Equal(t, result, got.Result)
		require.Equal(t, r.Header, got.Header)
		require.Equal(t, r.FinalPayload, got.FinalPayload)

		before := m.Revision()
		require.NoError(t, m.Cancel(r.Header.Key))
		again, _ := m.Lookup(r.Header.Key)
		require.Equal(t, before+1, again.Revision, "cancelling again is a change")
	}
}

// key returns a key of the session that these tests use.
func key(author netcode.AuthorID, sequence netcode.Sequence) netcode.Key {
	return netcode.Key{Session: 42, Author: author, Sequence: sequence}
}

// record returns a record at a step and order that equal its sequence.
func record(author netcode.AuthorID, sequence netcode.Sequence, result netcode.Result) journal.Record {
	h := netcode.Header{
		Key:   key(author, sequence),
		Type:  3,
		Step:  netcode.Step(sequence),
		Order: netcode.Order(sequence),
	}
	return journal.Record{
		Header: h, Request: h, Result: result,
		RequestPayload: []byte{1, 2, 3}, FinalPayload: []byte{byte(author), byte(sequence)},
	}
}

// sequences returns the sequences of records, which says which they are where there is one author.
func sequences(records []journal.Record) []netcode.Sequence {
	out := []netcode.Sequence{}
	for _, r := range records {
		out = append(out, r.Header.Key.Sequence)
	}
	return out
}
