package netcode_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestKeyCompare(t *testing.T) {
	// Each field outranks those after it.
	ascending := []netcode.Key{
		{},
		{Sequence: 1},
		{Sequence: netcode.MaxSequence},
		{Author: 1},
		{Author: 1, Sequence: 1},
		{Author: math.MaxUint32, Sequence: netcode.MaxSequence},
		{Session: 1},
		{Session: math.MaxUint64},
	}
	requireAscending(t, ascending, netcode.Key.Compare)
}

func TestHeaderCompare(t *testing.T) {
	ascending := []netcode.Header{
		{Step: netcode.MinStep, Order: netcode.MaxOrder},
		{Step: -1, Order: 9},
		{Step: 0, Order: 1},
		{Step: 0, Order: 2},
		{Step: 0, Order: 2, Key: netcode.Key{Sequence: 5}},
		{Step: 0, Order: 2, Key: netcode.Key{Author: 1, Sequence: 0}},
		{Step: 0, Order: 2, Key: netcode.Key{Author: 1, Sequence: 1}},
		{Step: 0, Order: netcode.MaxOrder},
		{Step: netcode.MaxStep},
	}
	requireAscending(t, ascending, netcode.Header.Compare)

	// The type is no part of the place.
	require.Zero(t, netcode.Header{Type: 1}.Compare(netcode.Header{Type: 2}))
}

func TestCompareExecution(t *testing.T) {
	entry := func(order netcode.Order, predicted bool, author netcode.AuthorID, seq netcode.Sequence) netcode.Entry {
		return netcode.Entry{
			Predicted: predicted,
			Header:    netcode.Header{Order: order, Key: netcode.Key{Author: author, Sequence: seq}},
		}
	}
	ascending := []netcode.Entry{
		entry(1, false, 9, 9),
		entry(1, true, 2, 1),
		entry(2, false, 3, 7),
		entry(2, false, 4, 1),
		entry(2, false, 4, 2),
		entry(2, true, 1, 1),
		entry(2, true, 1, 2),
		entry(2, true, 3, 0),
		entry(netcode.MaxOrder, false, 0, 0),
	}
	requireAscending(t, ascending, compareExecution)
}

// Sorting any arrival order of distinct keys gives one execution order.
func TestCompareExecutionIgnoresArrival(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		entries := randomEntries(rng)
		want := slices.Clone(entries)
		slices.SortFunc(want, compareExecution)
		for range 5 {
			rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
			slices.SortFunc(entries, compareExecution)
			require.Equal(t, want, entries)
		}
	}
}

// The order is total over distinct keys: antisymmetric, transitive, and equal only to itself.
func TestCompareExecutionIsTotal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		entries := randomEntries(rng)
		for i := range entries {
			for j := range entries {
				a, b := &entries[i], &entries[j]
				require.Equal(t, -b.CompareExecution(a), a.CompareExecution(b), "%+v %+v", a, b)
				require.Equal(t, i == j, a.CompareExecution(b) == 0, "%+v %+v", a, b)
				for k := range entries {
					c := &entries[k]
					if a.CompareExecution(b) < 0 && b.CompareExecution(c) < 0 {
						require.Negative(t, a.CompareExecution(c), "%+v %+v %+v", a, b, c)
					}
				}
			}
		}
	}
}

func compareExecution(a, b netcode.Entry) int { return a.CompareExecution(&b) }

// randomEntries returns entries with distinct keys whose other fields collide often.
func randomEntries(rng *rand.Rand) []netcode.Entry {
	var entries []netcode.Entry
	for author := range netcode.AuthorID(4) {
		for seq := range netcode.Sequence(4) {
			entries = append(entries, netcode.Entry{
				Predicted: rng.IntN(2) == 0,
				Header: netcode.Header{
					Key:   netcode.Key{Session: 1, Author: author, Sequence: seq},
					Step:  5,
					Order: netcode.Order(rng.IntN(3)),
				},
			})
		}
	}
	return entries
}

// requireAscending checks compare on every pair of a list whose elements stand in ascending order.
func requireAscending[T any](t *testing.T, list []T, compare func(a, b T) int) {
	t.Helper()
	for i := range list {
		for j := range list {
			got := compare(list[i], list[j])
			switch {
			case i < j:
				require.Negative(t, got, "%v %v", list[i], list[j])
			case i > j:
				require.Positive(t, got, "%v %v", list[i], list[j])
			default:
				require.Zero(t, got, "%v %v", list[i], list[j])
			}
		}
	}
}

func TestCursorCovers(t *testing.T) {
	c := netcode.Cursor{Step: 10, Order: 5}
	for h, want := range map[netcode.Header]bool{
		{Step: 10, Order: 5}:              true,
		{Step: 9, Order: 5}:               true,
		{Step: 10, Order: 0}:              true,
		{Step: netcode.MinStep, Order: 1}: true,
		{Step: 11, Order: 1}:              false,
		{Step: 1, Order: 6}:               false,
		{Step: 11, Order: 6}:              false,
	} {
		require.Equal(t, want, c.Covers(h), "%+v", h)
	}
}

func BenchmarkCompareExecution(b *testing.B) {
	b.ReportAllocs()
	x := netcode.Entry{Header: netcode.Header{Order: 7, Key: netcode.Key{Author: 1, Sequence: 2}}}
	y := netcode.Entry{Header: netcode.Header{Order: 7, Key: netcode.Key{Author: 1, Sequence: 3}}}
	for b.Loop() {
		if x.CompareExecution(&y) >= 0 {
			b.Fatal("the same order puts the lower sequence first")
		}
	}
}
