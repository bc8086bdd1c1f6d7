package protocol_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// A frame is what all frames have in common. Append is missing, because a snapshot's differs.
type frame interface {
	Parse(frame []byte) error
	Size() int
}

// encode appends any frame.
func encode(t testing.TB, dst []byte, f frame) []byte {
	t.Helper()
	switch f := f.(type) {
	case interface{ Append([]byte) []byte }:
		return f.Append(dst)
	case interface{ Append([]byte) ([]byte, error) }:
		out, err := f.Append(dst)
		if err != nil {
			t.Fatalf("encode %T: %v", f, err)
		}
		return out
	}
	t.Fatalf("%T has no Append", f)
	return nil
}

// clone copies a frame's struct, but not the bytes that it points to.
func clone(f frame) frame {
	switch f := f.(type) {
	case *protocol.Proposal:
		return ptr(*f)
	case *protocol.Cancel:
		return ptr(*f)
	case *protocol.Outcome:
		return ptr(*f)
	case *protocol.Snapshot:
		return ptr(*f)
	case *protocol.SyncRequest:
		return ptr(*f)
	case *protocol.SyncStatus:
		return ptr(*f)
	case *protocol.SyncComplete:
		return ptr(*f)
	case *protocol.StepUpdate:
		return ptr(*f)
	case *protocol.Offer:
		return ptr(*f)
	case *protocol.ResumeInfo:
		return ptr(*f)
	case *protocol.Mark:
		return ptr(*f)
	}
	panic("a frame that clone does not know")
}

func ptr[T any](v T) *T { return &v }

// A format describes one kind of frame to the tests that treat all kinds alike.
type format struct {
	kind   protocol.Kind
	random func(r *rand.Rand) frame
	fields func(f frame) []any // in wire order, each as encoding/binary writes it

	// filler reports whether Parse ignores some bytes, so that encoding again may change a frame.
	filler bool

	golden frame
	bytes  string // the encoding of golden, in hex with spaces between the fields
}

// fresh returns a frame of the format that holds random fields, so that a parser which skips one is noticed.
func (m format) fresh() frame { return m.random(rand.New(rand.NewPCG(1, 2))) }

var (
	goldenKey    = netcode.Key{Session: 0x1122334455667788, Author: 0x99AABBCC, Sequence: 0x0102030405060708}
	goldenHeader = netcode.Header{Key: goldenKey, Type: 0xA1A2A3A4A5A6A7A8, Step: -2, Order: 0xB1B2B3B4}
)

const (
	session   = "8877665544332211"
	goldenHex = session + " ccbbaa99 0807060504030201 a8a7a6a5a4a3a2a1 feffffffffffffff b4b3b2b1"
)

var formats = []format{
	{
		kind:   protocol.KindProposal,
		random: func(r *rand.Rand) frame { return &protocol.Proposal{Header: randomHeader(r), Payload: randomBytes(r)} },
		fields: func(f frame) []any {
			p := f.(*protocol.Proposal)
			return append(headerFields(protocol.KindProposal, p.Header), p.Payload)
		},
		golden: &protocol.Proposal{Header: goldenHeader, Payload: []byte{0xDE, 0xAD}},
		bytes:  "01 " + goldenHex + " dead",
	},
	{
		kind:   protocol.KindCancel,
		random: func(r *rand.Rand) frame { return &protocol.Cancel{Key: randomHeader(r).Key} },
		fields: func(f frame) []any { return []any{protocol.KindCancel, f.(*protocol.Cancel).Key} },
		golden: &protocol.Cancel{Key: goldenKey},
		bytes:  "02 " + session + " ccbbaa99 0807060504030201",
	},
	{
		kind: protocol.KindOutcome,
		random: func(r *rand.Rand) frame {
			return &protocol.Outcome{Result: netcode.Result(r.IntN(6)), Header: randomHeader(r), Payload: randomBytes(r)}
		},
		fields: func(f frame) []any {
			o := f.(*protocol.Outcome)
			return append(headerFields(protocol.KindOutcome, o.Header), o.Result, o.Payload)
		},
		golden: &protocol.Outcome{Result: netcode.InvalidMessage, Header: goldenHeader, Payload: []byte{0xDE, 0xAD}},
		bytes:  "03 " + goldenHex + " 05 dead",
	},
	{
		kind: protocol.KindSnapshot,
		random: func(r *rand.Rand) frame {
			return &protocol.Snapshot{
				Session: netcode.SessionID(r.Uint64()), Protocol: netcode.ProtocolID(r.Uint64()),
				Cursor:      netcode.Cursor{Step: netcode.Step(r.Uint64()), Order: netcode.Order(r.Uint32())},
				Preparation: netcode.PreparationState{NextID: r.Uint64(), RandomState: r.Uint64()},
				Model:       randomBytes(r),
			}
		},
		fields: func(f frame) []any {
			s := f.(*protocol.Snapshot)
			return []any{protocol.KindSnapshot, s.Session, s.Protocol, s.Cursor, s.Preparation, int32(len(s.Model)), s.Model}
		},
		golden: &protocol.Snapshot{
			Session: goldenKey.Session, Protocol: 0xC1C2C3C4C5C6C7C8,
			Cursor:      netcode.Cursor{Step: -2, Order: 0xB1B2B3B4},
			Preparation: netcode.PreparationState{NextID: 0xD1D2D3D4D5D6D7D8, RandomState: 0xE1E2E3E4E5E6E7E8},
			Model:       []byte{1, 2, 3},
		},
		bytes: "04 " + session + " c8c7c6c5c4c3c2c1 feffffffffffffff b4b3b2b1" +
			" d8d7d6d5d4d3d2d1 e8e7e6e5e4e3e2e1 03000000 010203",
	},
	{
		kind: protocol.KindSyncRequest,
		random: func(r *rand.Rand) frame {
			q := &protocol.SyncRequest{
				Session: netcode.SessionID(r.Uint64()), Protocol: netcode.ProtocolID(r.Uint64()),
				HasRevision: r.IntN(2) == 1, HasLastResolved: r.IntN(2) == 1, Step: netcode.Step(r.Uint64()),
			}
			if q.HasRevision {
				q.Revision = netcode.Revision(r.Uint64())
			}
			if q.HasLastResolved {
				q.LastResolved = netcode.Sequence(r.Uint64())
			}
			return q
		},
		fields: func(f frame) []any {
			q := f.(*protocol.SyncRequest)
			flags := byte(0)
			if q.HasRevision {
				flags |= 1
			}
			if q.HasLastResolved {
				flags |= 2
			}
			return []any{protocol.KindSyncRequest, q.Session, q.Protocol, flags, q.Revision, q.LastResolved, q.Step}
		},
		filler: true,
		golden: &protocol.SyncRequest{
			Session: goldenKey.Session, Protocol: 0xC1C2C3C4C5C6C7C8, Revision: 0xD1D2D3D4D5D6D7D8, HasRevision: true,
			LastResolved: 0xE1E2E3E4E5E6E7E8, HasLastResolved: true, Step: -2,
		},
		bytes: "05 " + session + " c8c7c6c5c4c3c2c1 03 d8d7d6d5d4d3d2d1 e8e7e6e5e4e3e2e1 feffffffffffffff",
	},
	{
		kind: protocol.KindSyncStatus,
		random: func(r *rand.Rand) frame {
			return &protocol.SyncStatus{
				Status:  protocol.Status(r.IntN(4)),
				Session: netcode.SessionID(r.Uint64()), Protocol: netcode.ProtocolID(r.Uint64()),
			}
		},
		fields: func(f frame) []any {
			s := f.(*protocol.SyncStatus)
			return []any{protocol.KindSyncStatus, s.Status, s.Session, s.Protocol}
		},
		golden: &protocol.SyncStatus{
			Status: protocol.StatusProtocolMismatch, Session: goldenKey.Session, Protocol: 0xC1C2C3C4C5C6C7C8,
		},
		bytes: "06 03 " + session + " c8c7c6c5c4c3c2c1",
	},
	{
		kind: protocol.KindSyncComplete,
		random: func(r *rand.Rand) frame {
			c := &protocol.SyncComplete{
				Session: netcode.SessionID(r.Uint64()), HasRevision: r.IntN(2) == 1, Step: netcode.Step(r.Uint64()),
			}
			if c.HasRevision {
				c.Revision = netcode.Revision(r.Uint64())
			}
			return c
		},
		fields: func(f frame) []any {
			c := f.(*protocol.SyncComplete)
			return []any{protocol.KindSyncComplete, c.Session, c.HasRevision, c.Revision, c.Step}
		},
		filler: true,
		golden: &protocol.SyncComplete{
			Session: goldenKey.Session, Revision: 0xD1D2D3D4D5D6D7D8, HasRevision: true, Step: -2,
		},
		bytes: "07 " + session + " 01 d8d7d6d5d4d3d2d1 feffffffffffffff",
	},
	{
		kind: protocol.KindStepUpdate,
		random: func(r *rand.Rand) frame {
			return &protocol.StepUpdate{Session: netcode.SessionID(r.Uint64()), Step: netcode.Step(r.Uint64())}
		},
		fields: func(f frame) []any { return []any{protocol.KindStepUpdate, *f.(*protocol.StepUpdate)} },
		golden: &protocol.StepUpdate{Session: goldenKey.Session, Step: -2},
		bytes:  "08 " + session + " feffffffffffffff",
	},
	{
		kind: protocol.KindOffer,
		random: func(r *rand.Rand) frame {
			return &protocol.Offer{Session: netcode.SessionID(r.Uint64()), Extensions: protocol.Extensions(r.Uint32())}
		},
		fields: func(f frame) []any { return []any{protocol.KindOffer, *f.(*protocol.Offer)} },
		golden: &protocol.Offer{Session: goldenKey.Session, Extensions: protocol.ExtResume | 1<<31},
		bytes:  "80 " + session + " 01000080",
	},
	{
		kind: protocol.KindResumeInfo,
		random: func(r *rand.Rand) frame {
			i := &protocol.ResumeInfo{Session: netcode.SessionID(r.Uint64()), Epoch: r.Uint64(), HasNext: r.IntN(2) == 1}
			if i.HasNext {
				i.NextSequence = netcode.Sequence(r.Uint64())
			}
			return i
		},
		fields: func(f frame) []any {
			i := f.(*protocol.ResumeInfo)
			return []any{protocol.KindResumeInfo, i.Session, i.Epoch, i.HasNext, i.NextSequence}
		},
		filler: true,
		golden: &protocol.ResumeInfo{Session: goldenKey.Session, Epoch: 0xA1A2A3A4A5A6A7A8, NextSequence: 0xE1E2E3E4E5E6E7E8, HasNext: true},
		bytes:  "81 " + session + " a8a7a6a5a4a3a2a1 01 e8e7e6e5e4e3e2e1",
	},
	{
		kind: protocol.KindMark,
		random: func(r *rand.Rand) frame {
			return &protocol.Mark{
				Session: netcode.SessionID(r.Uint64()), Revision: netcode.Revision(r.Uint64()), Outcomes: r.Uint64(),
			}
		},
		fields: func(f frame) []any { return []any{protocol.KindMark, *f.(*protocol.Mark)} },
		golden: &protocol.Mark{Session: goldenKey.Session, Revision: 0xD1D2D3D4D5D6D7D8, Outcomes: 0xE1E2E3E4E5E6E7E8},
		bytes:  "82 " + session + " d8d7d6d5d4d3d2d1 e8e7e6e5e4e3e2e1",
	},
}

// formatOf returns the format of a kind.
func formatOf(t testing.TB, k protocol.Kind) format {
	t.Helper()
	for _, m := range formats {
		if m.kind == k {
			return m
		}
	}
	t.Fatalf("no format for %v", k)
	return format{}
}

// unhex decodes hex that may contain spaces.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func headerFields(k protocol.Kind, h netcode.Header) []any {
	return []any{k, h.Key.Session, h.Key.Author, h.Key.Sequence, h.Type, h.Step, h.Order}
}

func randomHeader(r *rand.Rand) netcode.Header {
	return netcode.Header{
		Key: netcode.Key{
			Session:  netcode.SessionID(r.Uint64()),
			Author:   netcode.AuthorID(r.Uint32()),
			Sequence: netcode.Sequence(r.Uint64()),
		},
		Type:  netcode.TypeID(r.Uint64()),
		Step:  netcode.Step(r.Uint64()),
		Order: netcode.Order(r.Uint32()),
	}
}

// randomBytes returns up to 40 bytes, sometimes none. They are never nil, as no parsed payload is.
func randomBytes(r *rand.Rand) []byte {
	b := make([]byte, max(0, r.IntN(50)-9))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return bytes.Clone(b)
}
