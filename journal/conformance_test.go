package journal_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

type (
	journalCase struct {
		Name string      `json:"name"`
		Ops  []journalOp `json:"ops"`
	}

	journalOp struct {
		Op       string       `json:"op"`
		Record   *recordJSON  `json:"record"`
		Key      *keyJSON     `json:"key"`
		Cursor   *cursorJSON  `json:"cursor"`
		Revision *vectors.U64 `json:"revision"`
		Author   *uint32      `json:"author"`
		Last     *vectors.U64 `json:"last_resolved_sequence"`
		Expect   expectJSON   `json:"expect"`
	}

	expectJSON struct {
		Revision *vectors.U64   `json:"revision"`
		Error    string         `json:"error"`
		Found    *bool          `json:"found"`
		Record   *recordJSON    `json:"record"`
		Complete *bool          `json:"complete"`
		Records  *[]changedJSON `json:"records"`
	}

	recordJSON struct {
		Header         headerJSON   `json:"header"`
		RequestHeader  *headerJSON  `json:"request_header"`
		Result         string       `json:"result"`
		RequestPayload vectors.Hex  `json:"request_payload"`
		FinalPayload   vectors.Hex  `json:"final_payload"`
		Revision       *vectors.U64 `json:"revision"`
		Cancelled      bool         `json:"cancelled"`
	}

	changedJSON struct {
		Key       keyJSON     `json:"key"`
		Revision  vectors.U64 `json:"revision"`
		Cancelled bool        `json:"cancelled"`
	}

	headerJSON struct {
		Key    keyJSON     `json:"key"`
		TypeID vectors.U64 `json:"type_id"`
		Step   vectors.I64 `json:"step"`
		Order  uint32      `json:"order"`
	}

	keyJSON struct {
		SessionID vectors.U64 `json:"session_id"`
		Author    uint32      `json:"author"`
		Sequence  vectors.U64 `json:"sequence"`
	}

	cursorJSON struct {
		Step  vectors.I64 `json:"step"`
		Order uint32      `json:"order"`
	}
)

func TestConformanceJournal(t *testing.T) {
	vectors.Each(t, "session", "journal.json", func(t *testing.T, c journalCase) {
		require.NotEmpty(t, c.Ops)
		m := journal.NewMemory(journal.Config{})
		for i, op := range c.Ops {
			runOp(t, m, i, op)
			require.NotNil(t, op.Expect.Revision, "op %d", i)
			require.Equal(t, netcode.Revision(*op.Expect.Revision), m.Revision(), "op %d: %s", i, op.Op)
			require.NoError(t, journal.CheckInvariants(m), "op %d: %s", i, op.Op)
		}
	})
}

// runOp performs one operation and checks every expectation but the revision after it. A missing argument or
// expectation is a nil dereference, so nothing is passed over.
func runOp(t *testing.T, m *journal.Memory, i int, op journalOp) {
	t.Helper()
	var got []journal.Record
	switch op.Op {
	case "append":
		err := m.Append(op.Record.record(t))
		switch op.Expect.Error {
		case "":
			require.NoError(t, err, "op %d", i)
		case "invalid_operation":
			require.True(t, errors.Is(err, journal.ErrExists), "op %d: got %v", i, err)
		default:
			t.Fatalf("op %d: unknown error %q", i, op.Expect.Error)
		}
	case "replace":
		require.NoError(t, m.Replace(op.Record.record(t)))
	case "cancel":
		require.NoError(t, m.Cancel(op.Key.key()))
	case "clear":
		require.NoError(t, m.Clear())
		require.Zero(t, m.Len(), "op %d", i)
		require.Equal(t, m.Revision(), m.Floor(), "op %d", i)
	case "try_get":
		r, found := m.Lookup(op.Key.key())
		require.Equal(t, *op.Expect.Found, found, "op %d", i)
		require.Equal(t, found, m.Known(op.Key.key()), "op %d", i)
		want := journal.Record{}
		if found {
			want = op.Expect.Record.record(t)
			want.Revision = netcode.Revision(*op.Expect.Record.Revision)
		}
		require.Equal(t, want, r, "op %d", i)
	case "read_accepted_after":
		got = m.AppendAcceptedAfter(nil, netcode.Cursor{
			Step:  netcode.Step(op.Cursor.Step),
			Order: netcode.Order(op.Cursor.Order),
		})
	case "try_read_changes_after":
		var complete bool
		got, complete = m.AppendChangesAfter(nil, netcode.Revision(*op.Revision))
		require.Equal(t, *op.Expect.Complete, complete, "op %d", i)
	case "read_author_outcomes_after":
		if op.Last != nil {
			got = m.AppendOutcomesAfter(nil, netcode.AuthorID(*op.Author), netcode.Sequence(*op.Last), true)
		} else {
			got = m.AppendOutcomesAfter(nil, netcode.AuthorID(*op.Author), 0, false)
		}
	default:
		t.Fatalf("op %d: unknown operation %q", i, op.Op)
	}
	if op.Expect.Records == nil {
		require.Empty(t, got, "op %d: no records are expected of a %s", i, op.Op)
		return
	}
	require.Len(t, got, len(*op.Expect.Records), "op %d", i)
	for n, want := range *op.Expect.Records {
		require.Equal(t, want.Key.key(), got[n].Header.Key, "op %d, record %d", i, n)
		require.Equal(t, netcode.Revision(want.Revision), got[n].Revision, "op %d, record %d", i, n)
		require.Equal(t, want.Cancelled, got[n].Cancelled, "op %d, record %d", i, n)
	}
}

func (r *recordJSON) record(t *testing.T) journal.Record {
	t.Helper()
	out := journal.Record{
		Header:         r.Header.header(),
		Request:        r.Header.header(),
		RequestPayload: payload(string(r.RequestPayload)),
		FinalPayload:   payload(string(r.FinalPayload)),
		Cancelled:      r.Cancelled,
	}
	if r.RequestHeader != nil {
		out.Request = r.RequestHeader.header()
	}
	for ; out.Result.String() != r.Result; out.Result++ {
		require.True(t, out.Result.Valid(), "unknown result %q", r.Result)
	}
	return out
}

func (h *headerJSON) header() netcode.Header {
	return netcode.Header{
		Key:   h.Key.key(),
		Type:  netcode.TypeID(h.TypeID),
		Step:  netcode.Step(h.Step),
		Order: netcode.Order(h.Order),
	}
}

func (k *keyJSON) key() netcode.Key {
	return netcode.Key{
		Session:  netcode.SessionID(k.SessionID),
		Author:   netcode.AuthorID(k.Author),
		Sequence: netcode.Sequence(k.Sequence),
	}
}

// payload returns the bytes of s, or nil if there are none, as a journal does.
func payload(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}
