package protocol_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

func TestGoldenBytes(t *testing.T) {
	for _, m := range formats {
		t.Run(m.kind.String(), func(t *testing.T) {
			want := unhex(t, m.bytes)
			if got := encode(t, nil, m.golden); !bytes.Equal(got, want) {
				t.Errorf("encoded\n%x, want\n%x", got, want)
			}
			got := m.fresh()
			if err := got.Parse(want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, m.golden) {
				t.Errorf("parsed\n%+v, want\n%+v", got, m.golden)
			}
		})
	}
}

// Against an oracle that writes one field after another with encoding/binary.
func TestRoundTrip(t *testing.T) {
	for _, m := range formats {
		t.Run(m.kind.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(m.kind), 11))
			got := m.fresh()
			for range 500 {
				want := m.random(r)
				var oracle bytes.Buffer
				oracle.WriteString("kept")
				for _, field := range m.fields(want) {
					if err := binary.Write(&oracle, binary.LittleEndian, field); err != nil {
						t.Fatal(err)
					}
				}

				// Sometimes there is room behind what is kept, and sometimes not enough.
				dst := append(make([]byte, 0, r.IntN(100)+4), "kept"...)
				out := encode(t, dst, want)
				if !bytes.Equal(out, oracle.Bytes()) {
					t.Fatalf("%+v encoded\n%x, want\n%x", want, out, oracle.Bytes())
				}
				encoded := out[len("kept"):]
				if want.Size() != len(encoded) {
					t.Fatalf("%+v: Size is %d, encoded are %d bytes", want, want.Size(), len(encoded))
				}
				if err := got.Parse(encoded); err != nil {
					t.Fatalf("%+v: %v", want, err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("parsed\n%+v, want\n%+v", got, want)
				}
			}
		})
	}
}

// Every prefix of a frame is refused or, where a payload ends the frame, a frame with less of it.
func TestTruncation(t *testing.T) {
	openFrom := map[protocol.Kind]int{protocol.KindProposal: 41, protocol.KindOutcome: 42}
	for _, m := range formats {
		t.Run(m.kind.String(), func(t *testing.T) {
			whole := unhex(t, m.bytes)
			for n := range len(whole) {
				got := m.fresh()
				err := got.Parse(whole[:n:n])
				if open, ok := openFrom[m.kind]; ok && n >= open {
					if again := encode(t, nil, got); err != nil || !bytes.Equal(again, whole[:n]) {
						t.Errorf("%d bytes: %v, encoded again %x", n, err, again)
					}
					continue
				}
				fe := frameError(t, err)
				if fe.Kind != m.kind || fe.Offset > n {
					t.Errorf("%d bytes: %+v", n, fe)
				}
				if inModel := m.kind == protocol.KindSnapshot && n >= 49; inModel != errors.Is(err, protocol.ErrLength) ||
					inModel == errors.Is(err, protocol.ErrTruncated) {
					t.Errorf("%d bytes: %v", n, err)
				}
				if !reflect.DeepEqual(got, m.fresh()) {
					t.Errorf("%d bytes: refused, and yet it became %+v", n, got)
				}
			}
		})
	}
}

// Each malformation, with where it is said to be. A refusal leaves the receiver as it was.
func TestMalformed(t *testing.T) {
	type mutation struct {
		name   string
		kind   protocol.Kind
		mutate func(b []byte) []byte
		offset int
		err    error
	}
	set := func(at int, v ...byte) func([]byte) []byte {
		return func(b []byte) []byte { copy(b[at:], v); return b }
	}
	cases := []mutation{
		{"result", protocol.KindOutcome, set(41, 6), 41, protocol.ErrValue},
		{"greatest result", protocol.KindOutcome, set(41, 255), 41, protocol.ErrValue},
		{"status", protocol.KindSyncStatus, set(1, 4), 1, protocol.ErrValue},
		{"greatest status", protocol.KindSyncStatus, set(1, 255), 1, protocol.ErrValue},
		{"request flags", protocol.KindSyncRequest, set(17, 4), 17, protocol.ErrFlags},
		{"request flags beside valid ones", protocol.KindSyncRequest, set(17, 0x83), 17, protocol.ErrFlags},
		{"complete flag", protocol.KindSyncComplete, set(9, 2), 9, protocol.ErrFlags},
		{"complete flag beside a valid one", protocol.KindSyncComplete, set(9, 0x81), 9, protocol.ErrFlags},
		{"resume flag", protocol.KindResumeInfo, set(17, 2), 17, protocol.ErrFlags},
		{"resume flag beside a valid one", protocol.KindResumeInfo, set(17, 0x81), 17, protocol.ErrFlags},
		{"model longer than the frame", protocol.KindSnapshot, set(45, 4), 45, protocol.ErrLength},
		{"model shorter than the frame", protocol.KindSnapshot, set(45, 2), 45, protocol.ErrLength},
		{"negative model", protocol.KindSnapshot, set(45, 0xFD, 0xFF, 0xFF, 0xFF), 45, protocol.ErrLength},
		{"greatest model", protocol.KindSnapshot, set(45, 0xFF, 0xFF, 0xFF, 0x7F), 45, protocol.ErrLength},
		{"least model", protocol.KindSnapshot, set(45, 0, 0, 0, 0x80), 45, protocol.ErrLength},
	}
	for _, m := range formats {
		size := len(unhex(t, m.bytes))
		cases = append(cases,
			mutation{"nothing", m.kind, func([]byte) []byte { return nil }, 0, protocol.ErrTruncated},
			mutation{"kind alone", m.kind, func(b []byte) []byte { return b[:1] }, 1, protocol.ErrTruncated},
			mutation{"kind zero", m.kind, set(0, 0), 0, protocol.ErrKind},
			mutation{"kind 9", m.kind, set(0, 9), 0, protocol.ErrKind},
			mutation{"kind 0x83", m.kind, set(0, 0x83), 0, protocol.ErrKind},
		)
		switch m.kind {
		case protocol.KindProposal, protocol.KindOutcome:
		case protocol.KindSnapshot:
			cases = append(cases,
				mutation{"a byte more", m.kind, func(b []byte) []byte { return append(b, 0) }, 45, protocol.ErrLength})
		default:
			cases = append(cases,
				mutation{"a byte more", m.kind, func(b []byte) []byte { return append(b, 0) }, size, protocol.ErrTrailing})
		}
	}
	for _, c := range cases {
		t.Run(c.kind.String()+"/"+c.name, func(t *testing.T) {
			m := formatOf(t, c.kind)
			bad := c.mutate(unhex(t, m.bytes))
			got := m.fresh()
			err := got.Parse(bad)
			fe := frameError(t, err)
			if fe.Kind != c.kind || fe.Offset != c.offset || !errors.Is(err, c.err) {
				t.Errorf("%x: %+v, want %v at byte %d of a %v", bad, fe, c.err, c.offset, c.kind)
			}
			if text := err.Error(); !strings.HasPrefix(text, "protocol: ") || strings.Count(text, "protocol:") != 1 {
				t.Errorf("error text %q", text)
			}
			if !reflect.DeepEqual(got, m.fresh()) {
				t.Errorf("refused, and yet it became %+v", got)
			}
		})
	}
}

// A frame of one kind is refused by the parsers of all the others, even where the sizes agree.
func TestParsersExcludeEachOther(t *testing.T) {
	for _, from := range formats {
		for _, to := range formats {
			err := to.fresh().Parse(unhex(t, from.bytes))
			if from.kind == to.kind {
				if err != nil {
					t.Errorf("%v: %v", from.kind, err)
				}
				continue
			}
			if fe := frameError(t, err); fe.Kind != to.kind || !errors.Is(err, protocol.ErrKind) {
				t.Errorf("%v read as %v: %+v", from.kind, to.kind, fe)
			}
		}
	}
}

// What a clear flag governs is neither written nor read.
func TestFiller(t *testing.T) {
	cases := []struct {
		name     string
		filled   frame  // fields behind a clear flag hold something
		clean    frame  // and here they do not
		hex      string // the frame of both
		withJunk string // another frame of clean
	}{
		{
			"sync_request",
			&protocol.SyncRequest{Session: 1, Protocol: 2, Revision: 3, LastResolved: 4, Step: 5},
			&protocol.SyncRequest{Session: 1, Protocol: 2, Step: 5},
			"05 0100000000000000 0200000000000000 00 0000000000000000 0000000000000000 0500000000000000",
			"05 0100000000000000 0200000000000000 00 0300000000000000 0400000000000000 0500000000000000",
		},
		{
			"sync_request without revision",
			&protocol.SyncRequest{Session: 1, Protocol: 2, Revision: 3, LastResolved: 4, HasLastResolved: true, Step: 5},
			&protocol.SyncRequest{Session: 1, Protocol: 2, LastResolved: 4, HasLastResolved: true, Step: 5},
			"05 0100000000000000 0200000000000000 02 0000000000000000 0400000000000000 0500000000000000",
			"05 0100000000000000 0200000000000000 02 0300000000000000 0400000000000000 0500000000000000",
		},
		{
			"sync_request without sequence",
			&protocol.SyncRequest{Session: 1, Protocol: 2, Revision: 3, HasRevision: true, LastResolved: 4, Step: 5},
			&protocol.SyncRequest{Session: 1, Protocol: 2, Revision: 3, HasRevision: true, Step: 5},
			"05 0100000000000000 0200000000000000 01 0300000000000000 0000000000000000 0500000000000000",
			"05 0100000000000000 0200000000000000 01 0300000000000000 0400000000000000 0500000000000000",
		},
		{
			"sync_complete",
			&protocol.SyncComplete{Session: 1, Revision: 3, Step: 5},
			&protocol.SyncComplete{Session: 1, Step: 5},
			"07 0100000000000000 00 0000000000000000 0500000000000000",
			"07 0100000000000000 00 0300000000000000 0500000000000000",
		},
		{
			"resume_info",
			&protocol.ResumeInfo{Session: 1, NextSequence: 3},
			&protocol.ResumeInfo{Session: 1},
			"81 0100000000000000 0000000000000000 00 0000000000000000",
			"81 0100000000000000 0000000000000000 00 0300000000000000",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := unhex(t, c.hex)
			for _, f := range []frame{c.filled, c.clean} {
				// The spare capacity holds junk, as a reused buffer does.
				dst := bytes.Repeat([]byte{0xFF}, 64)[:0]
				if got := encode(t, dst, f); !bytes.Equal(got, want) {
					t.Errorf("%+v encoded\n%x, want\n%x", f, got, want)
				}
			}
			for _, h := range []string{c.hex, c.withJunk} {
				got := clone(c.filled)
				if err := got.Parse(unhex(t, h)); err != nil || !reflect.DeepEqual(got, c.clean) {
					t.Errorf("%s parsed as %+v, %v, want %+v", h, got, err, c.clean)
				}
			}
		})
	}
}

// A parsed payload is the frame's own bytes, and appending to it cannot reach what lies behind the frame.
func TestPayloadsBorrow(t *testing.T) {
	payload := func(f frame) *[]byte {
		switch f := f.(type) {
		case *protocol.Proposal:
			return &f.Payload
		case *protocol.Outcome:
			return &f.Payload
		case *protocol.Snapshot:
			return &f.Model
		}
		return nil
	}
	for _, k := range []protocol.Kind{protocol.KindProposal, protocol.KindOutcome, protocol.KindSnapshot} {
		t.Run(k.String(), func(t *testing.T) {
			m := formatOf(t, k)
			whole := unhex(t, m.bytes)
			buf := append(bytes.Clone(whole), "behind"...)
			got := m.fresh()
			if err := got.Parse(buf[:len(whole)]); err != nil {
				t.Fatal(err)
			}
			p := payload(got)
			buf[len(whole)-1] ^= 0xFF
			if (*p)[len(*p)-1] != buf[len(whole)-1] {
				t.Error("the payload is a copy")
			}
			*p = append(*p, 'X')
			if behind := string(buf[len(whole):]); behind != "behind" {
				t.Errorf("appending to the payload wrote into the buffer: %q", behind)
			}
		})
	}
}

func TestModelBound(t *testing.T) {
	for _, n := range []int{0, 1, protocol.MaxModel - 1, protocol.MaxModel} {
		if err := protocol.CheckModel(n); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, n := range []int{protocol.MaxModel + 1, math.MaxInt32} {
		if err := protocol.CheckModel(n); !errors.Is(err, protocol.ErrModelSize) {
			t.Errorf("%d bytes: %v, want ErrModelSize", n, err)
		}
	}
	if got := (&protocol.Snapshot{}).Size() + protocol.MaxModel; got != math.MaxInt32 {
		t.Errorf("the longest snapshot frame has %d bytes, want %d", got, math.MaxInt32)
	}
}

func TestPeekKind(t *testing.T) {
	known := map[protocol.Kind]string{}
	for _, m := range formats {
		known[m.kind] = m.kind.String()
	}
	if len(known) != 11 {
		t.Fatalf("%d kinds are tested, want 11", len(known))
	}
	for b := range 256 {
		k := protocol.Kind(b)
		got, err := protocol.PeekKind([]byte{byte(b), 1, 2})
		if name, ok := known[k]; ok {
			if got != k || err != nil || !k.Valid() || strings.HasPrefix(name, "kind(") {
				t.Errorf("kind %d (%s): %v, %v", b, name, got, err)
			}
			continue
		}
		if fe := frameError(t, err); fe.Kind != k || fe.Offset != 0 || !errors.Is(err, protocol.ErrKind) || k.Valid() {
			t.Errorf("kind %d: %v, %+v", b, got, fe)
		}
	}
	_, err := protocol.PeekKind(nil)
	if fe := frameError(t, err); fe.Offset != 0 || !errors.Is(err, protocol.ErrTruncated) {
		t.Errorf("empty frame: %+v", fe)
	}
}

func TestNames(t *testing.T) {
	names := map[string]string{
		protocol.Kind(0).String():                "kind(0x00)",
		protocol.Kind(0x83).String():             "kind(0x83)",
		protocol.KindSyncRequest.String():        "sync_request",
		protocol.KindMark.String():               "mark",
		protocol.StatusReplay.String():           "replay",
		protocol.StatusSnapshot.String():         "snapshot",
		protocol.StatusSessionNotFound.String():  "session_not_found",
		protocol.StatusProtocolMismatch.String(): "protocol_mismatch",
		protocol.Status(4).String():              "status(4)",
	}
	for got, want := range names {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !protocol.StatusProtocolMismatch.Valid() || protocol.Status(4).Valid() {
		t.Error("Status.Valid is wrong at its edge")
	}
}

func TestExtensionsHas(t *testing.T) {
	const other protocol.Extensions = 1 << 5
	for _, c := range []struct {
		x, want protocol.Extensions
		has     bool
	}{
		{0, 0, true},
		{0, protocol.ExtResume, false},
		{protocol.ExtResume, protocol.ExtResume, true},
		{protocol.ExtResume | other, protocol.ExtResume, true},
		{other, protocol.ExtResume | other, false},
	} {
		if got := c.x.Has(c.want); got != c.has {
			t.Errorf("%b has %b: %v", c.x, c.want, got)
		}
	}
}

func TestAllocations(t *testing.T) {
	buf := make([]byte, 0, 256)
	check := func(t *testing.T, what string, run func()) {
		t.Helper()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s allocates %v times", what, n)
		}
	}
	for _, m := range formats {
		t.Run(m.kind.String(), func(t *testing.T) {
			whole := unhex(t, m.bytes)
			got := m.fresh()
			check(t, "Append", func() { encode(t, buf, m.golden) })
			check(t, "Parse", func() {
				if err := got.Parse(whole); err != nil {
					t.Error(err)
				}
			})
			check(t, "PeekKind", func() {
				if _, err := protocol.PeekKind(whole); err != nil {
					t.Error(err)
				}
			})
		})
	}

	// Neither method makes its receiver escape.
	t.Run("on the stack", func(t *testing.T) {
		check(t, "a local proposal", func() {
			p := protocol.Proposal{Header: goldenHeader, Payload: buf[100:120]}
			var back protocol.Proposal
			if err := back.Parse(p.Append(buf)); err != nil || back.Header != p.Header {
				t.Error(err)
			}
		})
		check(t, "a local snapshot", func() {
			s := protocol.Snapshot{Cursor: netcode.Cursor{Step: 7}, Model: buf[100:120]}
			out, err := s.Append(buf)
			var back protocol.Snapshot
			if err != nil || back.Parse(out) != nil || back.Cursor != s.Cursor {
				t.Error(err)
			}
		})
	})
}

// frameError returns the frame error that err must be.
func frameError(t testing.TB, err error) *protocol.FrameError {
	t.Helper()
	fe, ok := errors.AsType[*protocol.FrameError](err)
	if !ok {
		t.Fatalf("got error %v, want a *FrameError", err)
	}
	return fe
}
