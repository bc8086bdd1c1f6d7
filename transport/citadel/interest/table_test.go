package interest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable compares a table with a map over long runs of insertions and removals. Among few keys, and among keys
// that begin their search at the same place, removals have to close gaps over and over, and across the end of the
// table.
func TestTable(t *testing.T) {
	var clash table
	clash.reserve(12)
	var same, last []uint64
	for key := uint64(0); len(same) < 12 || len(last) < 12; key++ {
		switch clash.home(key) {
		case 3:
			same = append(same, key)
		case len(clash.entries) - 1:
			last = append(last, key)
		}
	}
	var any [24]uint64
	r := rand.New(rand.NewPCG(3, 4))
	for i := range any {
		any[i] = r.Uint64() >> (i % 64)
	}

	for _, keys := range [][]uint64{same[:12], last[:12], append(same[:6:6], last[:6]...), any[:]} {
		var got table
		got.reserve(len(keys))
		room := len(got.entries)
		want := map[uint64]int32{}
		for n := range 10_000 {
			key := keys[r.IntN(len(keys))]
			if r.IntN(2) == 0 {
				got.put(key, int32(n+1))
				want[key] = int32(n + 1)
			} else {
				got.remove(key)
				delete(want, key)
			}
			for _, k := range keys {
				if got.get(k) != want[k] || got.used != len(want) {
					t.Fatalf("key %#x after %d changes: got %d, want %d", k, n+1, got.get(k), want[k])
				}
			}
		}
		require.Len(t, got.entries, room)
	}
}

func TestTableGrows(t *testing.T) {
	var got table
	require.Zero(t, got.get(0))
	got.remove(0)
	for key := range uint64(1000) {
		got.reserve(int(key) + 1)
		got.put(key, int32(key)+1)
	}
	require.Equal(t, 1000, got.used)
	for key := range uint64(1000) {
		require.Equal(t, int32(key)+1, got.get(key))
	}
	require.Zero(t, got.get(1000))
}
