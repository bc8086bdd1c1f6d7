package protocol_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/ariadne-netcode/ariadne/protocol"
)

func FuzzParseProposal(f *testing.F)     { fuzzParse(f, protocol.KindProposal) }
func FuzzParseCancel(f *testing.F)       { fuzzParse(f, protocol.KindCancel) }
func FuzzParseOutcome(f *testing.F)      { fuzzParse(f, protocol.KindOutcome) }
func FuzzParseSnapshot(f *testing.F)     { fuzzParse(f, protocol.KindSnapshot) }
func FuzzParseSyncRequest(f *testing.F)  { fuzzParse(f, protocol.KindSyncRequest) }
func FuzzParseSyncStatus(f *testing.F)   { fuzzParse(f, protocol.KindSyncStatus) }
func FuzzParseSyncComplete(f *testing.F) { fuzzParse(f, protocol.KindSyncComplete) }
func FuzzParseStepUpdate(f *testing.F)   { fuzzParse(f, protocol.KindStepUpdate) }
func FuzzParseOffer(f *testing.F)        { fuzzParse(f, protocol.KindOffer) }
func FuzzParseResumeInfo(f *testing.F)   { fuzzParse(f, protocol.KindResumeInfo) }
func FuzzParseMark(f *testing.F)         { fuzzParse(f, protocol.KindMark) }

// fuzzParse checks that whatever the parser of one kind is given, it either refuses it and changes nothing, or
// has understood all of it and no other parser takes it.
func fuzzParse(f *testing.F, k protocol.Kind) {
	m := formatOf(f, k)
	f.Add(unhex(f, m.bytes))
	f.Fuzz(func(t *testing.T, input []byte) {
		before := bytes.Clone(input)
		got := m.fresh()
		err := got.Parse(input)
		if !bytes.Equal(input, before) {
			t.Fatal("Parse changed its input")
		}
		if err != nil {
			if fe := frameError(t, err); fe.Kind != k || fe.Offset < 0 || fe.Offset > len(input) {
				t.Errorf("%+v", fe)
			}
			if !reflect.DeepEqual(got, m.fresh()) {
				t.Errorf("refused, and yet it became %+v", got)
			}
			return
		}

		if peeked, err := protocol.PeekKind(input); err != nil || peeked != k {
			t.Errorf("PeekKind: %v, %v", peeked, err)
		}
		encoded := encode(t, nil, got)
		if got.Size() != len(input) || len(encoded) != len(input) {
			t.Errorf("%d bytes parsed, Size %d, %d encoded", len(input), got.Size(), len(encoded))
		}
		again := m.fresh()
		if err := again.Parse(encoded); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("parsed again %+v, %v, want %+v", again, err, got)
		}
		if !m.filler && !bytes.Equal(encoded, input) {
			t.Errorf("encoded again\n%x, want\n%x", encoded, input)
		}
		for _, other := range formats {
			if other.kind == k {
				continue
			}
			if err := other.fresh().Parse(input); !errors.Is(err, protocol.ErrKind) {
				t.Errorf("the parser of %v says %v", other.kind, err)
			}
		}
	})
}
