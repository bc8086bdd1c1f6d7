package journal_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// script is a list of operations as bytes; when it is used up, it reads as zeros.
type script struct{ rest []byte }

func (s *script) byte() byte {
	if len(s.rest) == 0 {
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

func (s *script) author() netcode.AuthorID { return netcode.AuthorID(s.byte() % 4) }

// sequence returns one of few sequences, so that keys meet, with both ends of the range among them.
func (s *script) sequence() netcode.Sequence {
	b := netcode.Sequence(s.byte() % 40)
	if b >= 38 {
		return netcode.MaxSequence - (b - 38)
	}
	return b
}

func (s *script) step() netcode.Step {
	switch b := s.byte() % 32; b {
	case 30:
		return netcode.MinStep
	case 31:
		return netcode.MaxStep
	default:
		return netcode.Step(b) - 10
	}
}

func (s *script) order() netcode.Order {
	if b := s.byte() % 32; b < 31 {
		return netcode.Order(b)
	}
	return netcode.MaxOrder
}

func (s *script) key() netcode.Key {
	b := s.byte()
	k := netcode.Key{Session: 7, Author: netcode.AuthorID(b % 4), Sequence: s.sequence()}
	if b >= 240 {
		k.Session = 9
	}
	return k
}

func (s *script) payload() []byte {
	b := s.byte()
	if b == 255 {
		return slices.Repeat([]byte{s.byte()}, 300)
	}
	p := make([]byte, b%48)
	for i := range p {
		p[i] = b + byte(i)
	}
	return p
}

func (s *script) record() journal.Record {
	r := journal.Record{Header: netcode.Header{Key: s.key(), Step: s.step(), Order: s.order()}}
	b := s.byte()
	r.Header.Type = netcode.TypeID(b % 3)
	r.Request = r.Header
	if b&0x80 != 0 {
		r.Request.Step, r.Request.Order = s.step(), s.order()
	}
	// Half of them accepted.
	if b = s.byte(); b%2 == 1 {
		r.Result = netcode.Result(b / 2 % 6)
	}
	r.Cancelled = b&0x60 == 0x60
	r.RequestPayload = s.payload()
	if b&0x80 != 0 {
		r.FinalPayload = s.payload()
	} else {
		r.FinalPayload = slices.Clone(r.RequestPayload)
	}
	r.Revision = 999 // ignored
	return r
}

// drive runs a script on a journal and on the oracle and compares what they return and, after each operation,
// netcode.MaxRevision that can be asked about the state.
func drive(t *testing.T, m *journal.Memory, o *oracle, s *script) {
	t.Helper()
	for n := 0; len(s.rest) > 0; n++ {
		op := s.byte()
		switch {
		case op < 90:
			r := s.record()
			stored := o.append(cloneRecord(r))
			err := m.Append(r)
			require.Equal(t, stored, err == nil, "op %d: append %v", n, r.Header.Key)
			require.True(t, stored || errors.Is(err, journal.ErrExists), "op %d: %v", n, err)
			scribble(r)
		case op < 130:
			r := s.record()
			o.replace(cloneRecord(r))
			require.NoError(t, m.Replace(r))
			scribble(r)
		case op < 150:
			// A record that borrows from the journal goes back into it, with its payloads exchanged, under its
			// own key or another one.
			key, to := s.key(), s.key()
			if r, ok := m.Lookup(key); ok {
				if op%2 == 0 {
					r.Header.Key = to
				}
				r.RequestPayload, r.FinalPayload = r.FinalPayload, r.RequestPayload
				r.Result = netcode.Result(op % 6)
				o.replace(cloneRecord(r))
				require.NoError(t, m.Replace(r))
			}
		case op < 180:
			key := s.key()
			o.cancel(key)
			require.NoError(t, m.Cancel(key))
		case op < 200:
			before, keep, older := s.step(), int(s.byte()%48)-1, netcode.MaxRevision
			if op%4 == 0 {
				older = o.revision - min(netcode.Revision(op-180), o.revision)
			}
			require.Equal(t, o.compact(before, older, keep), m.Compact(before, older, keep), "op %d", n)
		case op < 201:
			o.clear()
			require.NoError(t, m.Clear())
		case op < 215:
			after := o.revision + 2 - min(netcode.Revision(s.byte()%64), o.revision+2)
			want, ok := o.changesAfter(after)
			got, gotOK := m.AppendChangesAfter(prefix(), after)
			require.Equal(t, ok, gotOK, "op %d: changes after %d", n, after)
			requireRecords(t, want, got)
		case op < 235:
			c := netcode.Cursor{Step: s.step(), Order: s.order()}
			requireRecords(t, o.acceptedAfter(c), m.AppendAcceptedAfter(prefix(), c))
		default:
			author, last, hasLast := s.author(), s.sequence(), s.byte()%8 != 0
			requireRecords(t, o.outcomesAfter(author, last, hasLast),
				m.AppendOutcomesAfter(prefix(), author, last, hasLast))
		}

		require.NoError(t, journal.CheckInvariants(m), "op %d", n)
		require.Equal(t, o.revision, m.Revision(), "op %d", n)
		require.Equal(t, o.floor, m.Floor(), "op %d", n)
		require.Equal(t, len(o.records), m.Len(), "op %d", n)
	}

	requireRecords(t, o.records, slices.AppendSeq(prefix(), m.All()))
	for author := range netcode.AuthorID(5) {
		require.Equal(t, o.authorFloor(author), m.AuthorFloor(author))
		highest, recorded := o.highest[author]
		next, ok := m.NextSequence(author)
		require.Equal(t, recorded, ok)
		if recorded && highest != netcode.MaxSequence {
			highest++
		}
		require.Equal(t, highest, next)
		for _, session := range []netcode.SessionID{7, 8, 9} {
			for b := range byte(40) {
				key := netcode.Key{Session: session, Author: author, Sequence: (&script{[]byte{b}}).sequence()}
				require.Equal(t, o.known[key], m.Known(key), "known %v", key)
				i := o.index(key)
				r, ok := m.Lookup(key)
				require.Equal(t, i >= 0, ok, "lookup %v", key)
				if ok {
					require.True(t, same(o.records[i], r), "lookup %v: got %+v, want %+v", key, r, o.records[i])
				}
			}
		}
	}
}

func TestMemoryMatchesOracle(t *testing.T) {
	for seed, limit := range []int{0, 1, 2, 3, 5, 8, -1, 0, 4, -1} {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		text := make([]byte, 15_000) // some 2000 operations
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
		bound := limit
		if limit == 0 {
			bound = journal.DefaultRefusedPerAuthor
		}
		drive(t, journal.NewMemory(journal.Config{RefusedPerAuthor: limit}), newOracle(bound), &script{text})
	}
}

// FuzzMemory reads its input as the bound on refused records and a script.
func FuzzMemory(f *testing.F) {
	f.Fuzz(func(t *testing.T, limit byte, text []byte) {
		if len(text) > 4096 {
			return // the oracle is slow
		}
		bound := int(limit%8) + 1
		drive(t, journal.NewMemory(journal.Config{RefusedPerAuthor: bound}), newOracle(bound), &script{text})
	})
}

// prefix is what reads append to, to see that they leave it alone.
func prefix() []journal.Record { return []journal.Record{{Revision: 12345}} }

// requireRecords compares records with what was appended to a prefix.
func requireRecords(t *testing.T, want, got []journal.Record) {
	t.Helper()
	require.NotEmpty(t, got)
	require.True(t, same(prefix()[0], got[0]), "what was in front has changed")
	got = got[1:]
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, same(want[i], got[i]), "record %d: got %+v, want %+v", i, got[i], want[i])
		require.Equal(t, len(got[i].RequestPayload), cap(got[i].RequestPayload))
		require.Equal(t, len(got[i].FinalPayload), cap(got[i].FinalPayload))
	}
}

func cloneRecord(r journal.Record) journal.Record {
	r.RequestPayload = slices.Clone(r.RequestPayload)
	r.FinalPayload = slices.Clone(r.FinalPayload)
	return r
}

// scribble overwrites the payloads that a caller has handed over, as a caller may.
func scribble(r journal.Record) {
	for _, p := range [][]byte{r.RequestPayload, r.FinalPayload} {
		for i := range p {
			p[i] = 0xEE
		}
	}
}
