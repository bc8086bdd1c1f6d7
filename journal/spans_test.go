package journal

import (
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestSpansMatchSet(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		// Around zero and around the maximum at once, since the sum wraps; 100 sequences make 50 spans at most.
		at := func(i int) netcode.Sequence { return netcode.Sequence(i) - 50 }
		var p spans
		set := map[netcode.Sequence]bool{}
		for range 300 {
			q := at(rng.IntN(100))
			p.add(q)
			set[q] = true
			if err := checkSpans(p); err != nil {
				t.Fatal(err)
			}
			for i := range 100 {
				if q := at(i); p.contains(q) != set[q] {
					t.Fatalf("contains(%d) = %v in %v", q, !set[q], p)
				}
			}
		}
	}
}

func TestSpansMergeLowestBeyondTheBound(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var p spans
		set := map[netcode.Sequence]bool{}
		for range 5000 {
			q := netcode.Sequence(rng.Uint64() >> (rng.IntN(64)))
			p.add(q)
			set[q] = true
		}
		if err := checkSpans(p); err != nil {
			t.Fatal(err)
		}
		if len(p) != maxSpans {
			t.Fatalf("%d spans of random sequences, want %d", len(p), maxSpans)
		}
		for q := range set {
			if !p.contains(q) {
				t.Fatalf("%d was forgotten", q)
			}
			if q > p[0].last && q < netcode.MaxSequence && !set[q+1] && p.contains(q+1) {
				t.Fatalf("%d, above the lowest span, was never added", q+1)
			}
		}
	}
}
