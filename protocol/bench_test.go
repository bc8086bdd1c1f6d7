package protocol_test

import (
	"encoding/binary"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// The sub-benchmarks named "hand" call what one would write for a single frame without this package: bare
// stores and loads at known offsets into space known to be there, with no look at kind, size or value. Frames
// are encoded into and decoded from the same few bytes over and over, so everything is in the cache.
//
// A sub-benchmark takes some nanoseconds, less than the noise of a shared machine. Compare the least or the
// median of many short runs of the whole: -benchtime 10ms, repeated by a shell loop, because -count repeats
// each sub-benchmark before it goes on to the next.

var (
	le        = binary.LittleEndian
	payload20 = make([]byte, 20)
)

func BenchmarkEncode(b *testing.B) {
	buf := make([]byte, 0, 256)
	b.Run("proposal/hand", func(b *testing.B) {
		p := protocol.Proposal{Header: goldenHeader, Payload: payload20}
		b.ReportAllocs()
		for b.Loop() {
			storeProposal(buf, &p)
		}
	})
	b.Run("proposal/append", func(b *testing.B) {
		p := protocol.Proposal{Header: goldenHeader, Payload: payload20}
		b.ReportAllocs()
		for b.Loop() {
			p.Append(buf)
		}
	})
	b.Run("outcome/hand", func(b *testing.B) {
		o := protocol.Outcome{Header: goldenHeader, Payload: payload20}
		b.ReportAllocs()
		for b.Loop() {
			storeOutcome(buf, &o)
		}
	})
	b.Run("outcome/append", func(b *testing.B) {
		o := protocol.Outcome{Header: goldenHeader, Payload: payload20}
		b.ReportAllocs()
		for b.Loop() {
			o.Append(buf)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	proposal := (&protocol.Proposal{Header: goldenHeader, Payload: payload20}).Append(nil)
	outcome := (&protocol.Outcome{Header: goldenHeader, Payload: payload20}).Append(nil)
	b.Run("proposal/hand", func(b *testing.B) {
		var p protocol.Proposal
		b.ReportAllocs()
		for b.Loop() {
			loadProposal(&p, proposal)
		}
	})
	b.Run("proposal/parse", func(b *testing.B) {
		var p protocol.Proposal
		b.ReportAllocs()
		for b.Loop() {
			if err := p.Parse(proposal); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("outcome/hand", func(b *testing.B) {
		var o protocol.Outcome
		b.ReportAllocs()
		for b.Loop() {
			loadOutcome(&o, outcome)
		}
	})
	b.Run("outcome/parse", func(b *testing.B) {
		var o protocol.Outcome
		b.ReportAllocs()
		for b.Loop() {
			if err := o.Parse(outcome); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPeekKind(b *testing.B) {
	frame := (&protocol.Mark{Session: 1}).Append(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.PeekKind(frame); err != nil {
			b.Fatal(err)
		}
	}
}

// The hand-written codecs are kept from being inlined because no codec of this size is.

//go:noinline
func storeProposal(buf []byte, p *protocol.Proposal) []byte {
	out := buf[:41+len(p.Payload)]
	_ = out[40]
	out[0] = 1
	le.PutUint64(out[1:], uint64(p.Header.Key.Session))
	le.PutUint32(out[9:], uint32(p.Header.Key.Author))
	le.PutUint64(out[13:], uint64(p.Header.Key.Sequence))
	le.PutUint64(out[21:], uint64(p.Header.Type))
	le.PutUint64(out[29:], uint64(p.Header.Step))
	le.PutUint32(out[37:], uint32(p.Header.Order))
	copy(out[41:], p.Payload)
	return out
}

//go:noinline
func storeOutcome(buf []byte, o *protocol.Outcome) []byte {
	out := buf[:42+len(o.Payload)]
	_ = out[41]
	out[0] = 3
	le.PutUint64(out[1:], uint64(o.Header.Key.Session))
	le.PutUint32(out[9:], uint32(o.Header.Key.Author))
	le.PutUint64(out[13:], uint64(o.Header.Key.Sequence))
	le.PutUint64(out[21:], uint64(o.Header.Type))
	le.PutUint64(out[29:], uint64(o.Header.Step))
	le.PutUint32(out[37:], uint32(o.Header.Order))
	out[41] = byte(o.Result)
	copy(out[42:], o.Payload)
	return out
}

//go:noinline
func loadProposal(p *protocol.Proposal, frame []byte) {
	in := (*[41]byte)(frame)
	p.Header.Key.Session = netcode.SessionID(le.Uint64(in[1:]))
	p.Header.Key.Author = netcode.AuthorID(le.Uint32(in[9:]))
	p.Header.Key.Sequence = netcode.Sequence(le.Uint64(in[13:]))
	p.Header.Type = netcode.TypeID(le.Uint64(in[21:]))
	p.Header.Step = netcode.Step(le.Uint64(in[29:]))
	p.Header.Order = netcode.Order(le.Uint32(in[37:]))
	p.Payload = frame[41:]
}

//go:noinline
func loadOutcome(o *protocol.Outcome, frame []byte) {
	in := (*[42]byte)(frame)
	o.Header.Key.Session = netcode.SessionID(le.Uint64(in[1:]))
	o.Header.Key.Author = netcode.AuthorID(le.Uint32(in[9:]))
	o.Header.Key.Sequence = netcode.Sequence(le.Uint64(in[13:]))
	o.Header.Type = netcode.TypeID(le.Uint64(in[21:]))
	o.Header.Step = netcode.Step(le.Uint64(in[29:]))
	o.Header.Order = netcode.Order(le.Uint32(in[37:]))
	o.Result = netcode.Result(in[41])
	o.Payload = frame[42:]
}
