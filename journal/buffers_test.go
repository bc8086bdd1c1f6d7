package journal

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// TestBuffersWasteLittle checks the limits that buffers promises, for every size it handles.
func TestBuffersWasteLittle(t *testing.T) {
	var p buffers
	for n := range 1<<maxClass + 10 {
		b := p.take(n)
		if len(b) != n {
			t.Fatalf("take(%d) has length %d", n, len(b))
		}
		if limit := max(2*n-1, 1<<minClass); cap(b) > limit {
			t.Fatalf("take(%d) has capacity %d", n, cap(b))
		}
		p.give(b)
		if p.inUse != 0 {
			t.Fatalf("%d bytes in use after give(%d)", p.inUse, n)
		}
	}
	if p.spare > spareAllowance {
		t.Errorf("%d bytes spare", p.spare)
	}
}

// TestSpareBuffersAreBounded lets payload sizes change over time, each size leaving its buffers behind.
func TestSpareBuffersAreBounded(t *testing.T) {
	var m Memory
	next := netcode.Sequence(0)
	for size := 16; size <= 1<<maxClass; size *= 2 {
		payload := make([]byte, size)
		for range 200 {
			h := netcode.Header{Key: netcode.Key{Sequence: next}}
			if err := m.Append(Record{Header: h, FinalPayload: payload}); err != nil {
				t.Fatal(err)
			}
			next++
			m.Compact(1, netcode.MaxRevision, 100)
		}
	}
	m.Compact(1, netcode.MaxRevision, 0)
	if err := CheckInvariants(&m); err != nil {
		t.Fatal(err)
	}
	if m.buffers.inUse != 0 || m.buffers.spare > spareAllowance {
		t.Errorf("%d bytes in use, %d spare", m.buffers.inUse, m.buffers.spare)
	}
}
