package journal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// TestIndexUnderAnyOrder fills and drains an index in orders that peers could choose.
func TestIndexUnderAnyOrder(t *testing.T) {
	const n = 8_000
	all := make([]slot, n)
	for i := range all {
		all[i].header.Step = netcode.Step(i/3) - n/6 // ties are broken by the order
		all[i].header.Order = netcode.Order(i % 3)
	}
	ascending := make([]int, n)
	for i := range ascending {
		ascending[i] = i
	}
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	random := rand.New(rand.NewPCG(1, 2)).Perm(n)
	inward := make([]int, 0, n)
	strided := make([]int, 0, n)
	for i := range n / 2 {
		inward = append(inward, i, n-1-i)
	}
	for start := range 100 {
		for i := start; i < n; i += 100 {
			strided = append(strided, i)
		}
	}
	orders := [][]int{ascending, descending, random, inward, strided}

	var pool chunks
	for _, in := range orders {
		for _, out := range orders {
			var x index[byStep]
			for count, i := range in {
				x.insert(&all[i], &pool)
				if count%1024 == 0 {
					check(t, &x, count+1)
				}
			}
			check(t, &x, n)
			for count, i := range out {
				if count%1024 == 0 {
					check(t, &x, n-count)
				}
				x.remove(&all[i], &pool)
			}
			if len(x.chunks) != 0 {
				t.Fatalf("%d chunks are left", len(x.chunks))
			}
		}
	}

	var x index[byStep]
	for _, i := range ascending {
		x.insert(&all[i], &pool)
	}
	if got, want := len(x.chunks), (n+chunkSize-1)/chunkSize; got != want {
		t.Errorf("ascending: %d chunks, want %d full ones", got, want)
	}
}

func check[O ordering](t *testing.T, x *index[O], want int) {
	t.Helper()
	if err := checkIndex(x, want); err != nil {
		t.Fatal(err)
	}
}

// TestSeek checks every answer, and that what is near the end is found without going far.
func TestSeek(t *testing.T) {
	for n := range 200 {
		for want := range n + 1 {
			if got := seek(n, func(i int) bool { return i >= want }); got != want {
				t.Fatalf("seek(%d) = %d, want %d", n, got, want)
			}
		}
	}
	for _, n := range []int{1e3, 1e6, 1e9} {
		for back := range 20 {
			calls := 0
			got := seek(n, func(i int) bool { calls++; return i >= n-back })
			if got != n-back || calls > 10 {
				t.Errorf("seek(%d) = %d, %d from the end, with %d calls", n, got, back, calls)
			}
		}
	}
}

// TestReadsDoNotWalk counts what the cost of a read depends on: the entries looked at, for the same result in
// a small and in a large journal.
func TestReadsDoNotWalk(t *testing.T) {
	looked := func(n int) (count int) {
		var x index[bySequence]
		var pool chunks
		all := make([]slot, n)
		for i := range all {
			all[i].header.Key.Sequence = netcode.Sequence(i)
			x.insert(&all[i], &pool)
		}
		c, i := x.seek(func(e entry) bool { count++; return e.rank > uint64(n-11) })
		for range x.from(c, i) {
			count++
		}
		return count
	}
	for _, n := range []int{1_000, 100_000} {
		if got := looked(n); got > 10+20 {
			t.Errorf("%d records: looked at %d entries to read 10", n, got)
		}
	}
}
