package journal_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

var sizes = []int{1e3, 1e4, 1e5, 1e6}

// sessionRecord returns the n-th record of a session of four authors with 20-byte payloads, two commands per step.
func sessionRecord(n int) journal.Record {
	h := netcode.Header{
		Key:   netcode.Key{Session: 42, Author: netcode.AuthorID(n % 4), Sequence: netcode.Sequence(n / 4)},
		Type:  5,
		Step:  netcode.Step(n / 2),
		Order: netcode.Order(n + 1),
	}
	return journal.Record{Header: h, Request: h, RequestPayload: request[:], FinalPayload: final[:]}
}

var request, final = [20]byte{1}, [20]byte{2}

func filled(b testing.TB, n int) *journal.Memory {
	b.Helper()
	m := new(journal.Memory)
	for i := range n {
		if err := m.Append(sessionRecord(i)); err != nil {
			b.Fatal(err)
		}
	}
	return m
}

func forSizes(b *testing.B, bench func(b *testing.B, m *journal.Memory, n int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			m := filled(b, n)
			b.ReportAllocs()
			bench(b, m, n)
		})
	}
}

// BenchmarkFill reports the cost per record of filling an empty journal.
func BenchmarkFill(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				filled(b, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
		})
	}
}

// BenchmarkAppend appends to a journal that is kept at its size by compaction.
func BenchmarkAppend(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		for next := n; b.Loop(); next++ {
			if err := m.Append(sessionRecord(next)); err != nil {
				b.Fatal(err)
			}
			m.Compact(netcode.MaxStep, netcode.MaxRevision, n)
		}
	})
}

// BenchmarkReplace has the authority's outcomes replace recent predictions, with other orders.
func BenchmarkReplace(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		for i := 0; b.Loop(); i++ {
			r := sessionRecord(n - 1 - i%100)
			r.Header.Order += netcode.Order(i % 3)
			m.Replace(r)
		}
	})
}

// BenchmarkReplaceAnywhere is the same for records all over the journal.
func BenchmarkReplaceAnywhere(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		for i := 0; b.Loop(); i++ {
			r := sessionRecord(i * 7919 % n)
			r.Header.Order = netcode.Order(uint32(i) * 2654435761)
			m.Replace(r)
		}
	})
}

func BenchmarkLookupRecent(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		for i := 0; b.Loop(); i++ {
			if _, ok := m.Lookup(sessionRecord(n - 1 - i%100).Header.Key); !ok {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkLookupAnywhere(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		for i := 0; b.Loop(); i++ {
			if _, ok := m.Lookup(sessionRecord(i * 7919 % n).Header.Key); !ok {
				b.Fatal("not found")
			}
		}
	})
}

// The reads below return the last ten records each.

func BenchmarkAppendAcceptedAfter(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		var dst []journal.Record
		last := sessionRecord(n - 11).Header
		for b.Loop() {
			dst = m.AppendAcceptedAfter(dst[:0], netcode.Cursor{Step: last.Step, Order: last.Order})
		}
		requireTen(b, dst)
	})
}

// BenchmarkAppendAcceptedAfterLate has half of the answer admitted late, for steps that the cursor covers.
func BenchmarkAppendAcceptedAfterLate(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		var dst []journal.Record
		for i := n - 5; i < n; i++ {
			r := sessionRecord(i)
			r.Header.Step -= 20
			m.Replace(r)
		}
		last := sessionRecord(n - 11).Header
		for b.Loop() {
			dst = m.AppendAcceptedAfter(dst[:0], netcode.Cursor{Step: last.Step, Order: last.Order})
		}
		requireTen(b, dst)
	})
}

func BenchmarkAppendChangesAfter(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		var dst []journal.Record
		for b.Loop() {
			dst, _ = m.AppendChangesAfter(dst[:0], netcode.Revision(n-10))
		}
		requireTen(b, dst)
	})
}

func BenchmarkAppendOutcomesAfter(b *testing.B) {
	forSizes(b, func(b *testing.B, m *journal.Memory, n int) {
		var dst []journal.Record
		for b.Loop() {
			dst = m.AppendOutcomesAfter(dst[:0], 2, netcode.Sequence(n/4-11), true)
		}
		requireTen(b, dst)
	})
}

func requireTen(b *testing.B, got []journal.Record) {
	b.Helper()
	if len(got) != 10 {
		b.Fatalf("got %d records, want 10", len(got))
	}
}

// BenchmarkHostile measures a change in a journal of the given size when peers choose steps, orders and
// sequences so that each record belongs somewhere else.
func BenchmarkHostile(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			m := journal.NewMemory(journal.Config{RefusedPerAuthor: -1})
			var at uint64
			add := func() {
				at++
				x := at * 0x9E3779B97F4A7C15
				h := netcode.Header{
					Key:   netcode.Key{Author: 1, Sequence: netcode.Sequence(x)},
					Step:  netcode.Step(x * 0xBF58476D1CE4E5B9),
					Order: netcode.Order(x >> 13),
				}
				m.Replace(journal.Record{Header: h, RequestPayload: request[:]})
			}
			for range n {
				add()
			}
			b.ReportAllocs()
			for b.Loop() {
				add()
				m.Compact(netcode.MaxStep, netcode.MaxRevision, n)
			}
		})
	}
}
