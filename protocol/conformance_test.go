package protocol_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// frameCase is one element of protocol_frames.json.
type frameCase struct {
	Name      string      `json:"name"`
	Kind      string      `json:"kind"`
	Hex       vectors.Hex `json:"hex"`
	Valid     bool        `json:"valid"`
	Canonical *bool       `json:"canonical"`
	Fields    *fieldsCase `json:"fields"`
	Reason    string      `json:"reason"`
}

// fieldsCase holds the fields of every kind; a kind uses those that are its own.
type fieldsCase struct {
	Header          *headerCase  `json:"header"`
	Key             *keyCase     `json:"key"`
	Result          *string      `json:"result"`
	Payload         *vectors.Hex `json:"payload"`
	SessionID       *vectors.U64 `json:"session_id"`
	ProtocolID      *vectors.U64 `json:"protocol_id"`
	Status          *string      `json:"status"`
	Step            *vectors.I64 `json:"step"`
	Order           *uint32      `json:"order"`
	NextID          *vectors.U64 `json:"next_id"`
	RandomState     *vectors.U64 `json:"random_state"`
	ModelState      *vectors.Hex `json:"model_state"`
	JournalRevision *vectors.U64 `json:"journal_revision"`
	LastResolved    *vectors.U64 `json:"last_resolved_sequence"`
	CurrentStep     *vectors.I64 `json:"current_step"`
}

type keyCase struct {
	SessionID vectors.U64 `json:"session_id"`
	Author    uint32      `json:"author"`
	Sequence  vectors.U64 `json:"sequence"`
}

type headerCase struct {
	Key    keyCase     `json:"key"`
	TypeID vectors.U64 `json:"type_id"`
	Step   vectors.I64 `json:"step"`
	Order  uint32      `json:"order"`
}

func (k keyCase) key() netcode.Key {
	return netcode.Key{
		Session:  netcode.SessionID(k.SessionID),
		Author:   netcode.AuthorID(k.Author),
		Sequence: netcode.Sequence(k.Sequence),
	}
}

func (h headerCase) header() netcode.Header {
	return netcode.Header{
		Key: h.Key.key(), Type: netcode.TypeID(h.TypeID), Step: netcode.Step(h.Step), Order: netcode.Order(h.Order),
	}
}

// frame returns what a frame of the kind with these fields parses to. A field that the kind needs and the
// data lack is a nil pointer, and so a loud end of the test.
func (f *fieldsCase) frame(t *testing.T, kind protocol.Kind) frame {
	t.Helper()
	switch kind {
	case protocol.KindProposal:
		return &protocol.Proposal{Header: f.Header.header(), Payload: *f.Payload}
	case protocol.KindCancel:
		return &protocol.Cancel{Key: f.Key.key()}
	case protocol.KindOutcome:
		return &protocol.Outcome{Result: resultNamed(t, *f.Result), Header: f.Header.header(), Payload: *f.Payload}
	case protocol.KindSnapshot:
		return &protocol.Snapshot{
			Session:     netcode.SessionID(*f.SessionID),
			Protocol:    netcode.ProtocolID(*f.ProtocolID),
			Cursor:      netcode.Cursor{Step: netcode.Step(*f.Step), Order: netcode.Order(*f.Order)},
			Preparation: netcode.PreparationState{NextID: uint64(*f.NextID), RandomState: uint64(*f.RandomState)},
			Model:       *f.ModelState,
		}
	case protocol.KindSyncRequest:
		r := &protocol.SyncRequest{
			Session:  netcode.SessionID(*f.SessionID),
			Protocol: netcode.ProtocolID(*f.ProtocolID),
			Step:     netcode.Step(*f.CurrentStep),
		}
		if f.JournalRevision != nil {
			r.Revision, r.HasRevision = netcode.Revision(*f.JournalRevision), true
		}
		if f.LastResolved != nil {
			r.LastResolved, r.HasLastResolved = netcode.Sequence(*f.LastResolved), true
		}
		return r
	case protocol.KindSyncStatus:
		return &protocol.SyncStatus{
			Status:   statusNamed(t, *f.Status),
			Session:  netcode.SessionID(*f.SessionID),
			Protocol: netcode.ProtocolID(*f.ProtocolID),
		}
	case protocol.KindSyncComplete:
		c := &protocol.SyncComplete{Session: netcode.SessionID(*f.SessionID), Step: netcode.Step(*f.CurrentStep)}
		if f.JournalRevision != nil {
			c.Revision, c.HasRevision = netcode.Revision(*f.JournalRevision), true
		}
		return c
	case protocol.KindStepUpdate:
		return &protocol.StepUpdate{Session: netcode.SessionID(*f.SessionID), Step: netcode.Step(*f.CurrentStep)}
	}
	t.Fatalf("no frame for %v", kind)
	return nil
}

func resultNamed(t *testing.T, name string) netcode.Result {
	t.Helper()
	for r := netcode.Accepted; r.Valid(); r++ {
		if r.String() == name {
			return r
		}
	}
	t.Fatalf("unknown result %q", name)
	return 0
}

func statusNamed(t *testing.T, name string) protocol.Status {
	t.Helper()
	for s := protocol.StatusReplay; s.Valid(); s++ {
		if s.String() == name {
			return s
		}
	}
	t.Fatalf("unknown status %q", name)
	return 0
}

func TestConformanceFrames(t *testing.T) {
	valid, invalid := map[string]int{}, map[string]int{}
	vectors.Each(t, "session", "protocol_frames.json", func(t *testing.T, c frameCase) {
		if !c.Valid {
			invalid[c.Reason]++
		} else {
			valid[c.Kind]++
		}
		for _, m := range formats[:8] {
			got := m.fresh()
			err := got.Parse(c.Hex)
			if !c.Valid || m.kind.String() != c.Kind {
				if fe := frameError(t, err); fe.Kind != m.kind || fe.Offset > len(c.Hex) {
					t.Errorf("%v: %+v", m.kind, fe)
				}
				if !reflect.DeepEqual(got, m.fresh()) {
					t.Errorf("%v: refused, and yet it became %+v", m.kind, got)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%v: %v", m.kind, err)
			}
			want := c.Fields.frame(t, m.kind)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("parsed\n%+v, want\n%+v", got, want)
			}
			encoded := encode(t, nil, want)
			if canonical := bytes.Equal(encoded, c.Hex); canonical != *c.Canonical {
				t.Errorf("encoded\n%x, data say canonical %v of\n%x", encoded, *c.Canonical, c.Hex)
			}
			if want.Size() != len(c.Hex) {
				t.Errorf("Size is %d, the frame has %d bytes", want.Size(), len(c.Hex))
			}
		}

		k, err := protocol.PeekKind(c.Hex)
		switch {
		case c.Valid:
			if err != nil || k.String() != c.Kind {
				t.Errorf("PeekKind: %v, %v", k, err)
			}
		case c.Reason == "empty":
			if !errors.Is(err, protocol.ErrTruncated) {
				t.Errorf("PeekKind of nothing: %v, %v", k, err)
			}
		case c.Reason == "unknown_kind":
			// The data know nothing of our extensions.
			if !errors.Is(err, protocol.ErrKind) && k < protocol.KindOffer {
				t.Errorf("PeekKind: %v, %v", k, err)
			}
		}
	})
	for _, m := range formats[:8] {
		if valid[m.kind.String()] == 0 {
			t.Errorf("no valid %v in the data", m.kind)
		}
	}
	if len(invalid) == 0 {
		t.Error("no invalid frame in the data")
	}
}
