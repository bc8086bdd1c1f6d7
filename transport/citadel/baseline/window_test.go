package baseline_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
)

// windowOracle is a window as a set of ids that is cut off below.
type windowOracle struct {
	ids    map[uint64]bool
	latest uint64
}

func (o *windowOracle) add(id uint64) bool {
	if id == 0 || o.ids[id] || id < o.latest && o.latest-id > 32 {
		return false
	}
	o.ids[id] = true
	o.latest = max(o.latest, id)
	for old := range o.ids {
		if o.latest-old > 32 {
			delete(o.ids, old)
		}
	}
	return true
}

func (o *windowOracle) descending() []uint64 {
	var ids []uint64
	for id := range o.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

// checkWindow adds ids to a window and to the oracle, and compares all that can be asked of them.
func checkWindow[T baseline.ID](t *testing.T, ids []uint64) {
	var w baseline.Window[T]
	o := windowOracle{ids: map[uint64]bool{}}
	for n, id := range ids {
		id = uint64(T(id))
		require.Equal(t, o.add(id), w.Add(T(id)), "id %d at %d of %v", id, n, ids)

		latest, ok := w.Latest()
		require.Equal(t, o.latest, uint64(latest))
		require.Equal(t, o.latest != 0, ok)
		var all []uint64
		for id := range w.All() {
			all = append(all, uint64(id))
		}
		require.Equal(t, o.descending(), all)
		for d := range uint64(70) {
			for _, near := range []uint64{o.latest - d, o.latest + d, id - d, d} {
				if near = uint64(T(near)); o.ids[near] != w.Contains(T(near)) {
					t.Fatalf("id %d after %v: got %t, want %t", near, ids[:n+1], !o.ids[near], o.ids[near])
				}
			}
		}
		again, err := baseline.FromWire(w.Wire())
		require.NoError(t, err)
		require.Equal(t, w, again)
	}
}

// walk returns ids that go up by leaps of all sizes around the width of a window, and back among those before.
func walk(r *rand.Rand, from uint64) []uint64 {
	ids := make([]uint64, 30)
	for i := range ids {
		if r.IntN(3) > 0 {
			from += []uint64{0, 1, 2, 31, 32, 33, 34, 63, 64, 65, r.Uint64N(1 << 40)}[r.IntN(11)]
		}
		ids[i] = from - r.Uint64N(40)*r.Uint64N(2)
	}
	return ids
}

func TestWindowIsASet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, start := range []uint64{0, 1, 30, 1<<31 - 20, 1<<32 - 40, 1<<63 - 20, 1<<64 - 200} {
		for range 15 {
			ids := walk(r, start)
			checkWindow[uint32](t, ids)
			checkWindow[uint64](t, ids)
		}
	}
}

// TestWindowTakesForeignHistory checks windows that no sequence of additions can produce.
func TestWindowTakesForeignHistory(t *testing.T) {
	for latest := range uint64(40) {
		w, err := baseline.FromWire(latest, ^uint32(0))
		if latest == 0 {
			require.ErrorIs(t, err, baseline.ErrHistoryWithoutLatest)
			continue
		}
		require.NoError(t, err)
		n := uint64(0)
		for id := range w.All() {
			require.Equal(t, latest-n, id)
			n++
		}
		require.Equal(t, min(latest, 33), n, "down to 1, or to the end of the window")
		require.Equal(t, latest <= 32, w.Contains(0))
		require.False(t, w.Contains(latest+1))

		require.False(t, w.Add(0))
		require.True(t, w.Add(latest+1))
		if latest > 1 {
			require.True(t, w.Contains(latest-1), "what was known still is")
		}
	}
}

func TestWindowIterationStops(t *testing.T) {
	w, err := baseline.FromWire[uint32](10, 0b111)
	require.NoError(t, err)
	for stop := range 5 {
		var got []uint32
		for id := range w.All() {
			if got = append(got, id); len(got) > stop {
				break
			}
		}
		require.Equal(t, []uint32{10, 9, 8, 7}[:min(stop+1, 4)], got)
	}
}

func TestWindowAllocatesNothing(t *testing.T) {
	var w baseline.Window[uint64]
	var sum uint64
	require.Zero(t, testing.AllocsPerRun(100, func() {
		latest, history := w.Wire()
		w, _ = baseline.FromWire(latest, history)
		w.Add(latest + 3)
		w.Add(latest + 1)
		for id := range w.All() {
			sum += id
		}
	}))
	require.NotZero(t, sum)
}

// FuzzWindow reads a start and then leaps, forward or back, of one byte each.
func FuzzWindow(f *testing.F) {
	for _, seed := range []struct {
		start uint64
		leaps []byte
	}{
		{0, []byte{1, 31, 32, 33, 0x80 + 5, 0x80 + 33, 0}},
		{1<<64 - 2, []byte{1, 0x80 + 31, 0x80 + 32, 1}},
		{1<<32 - 2, []byte{1, 1, 0x80 + 32, 0x80}},
	} {
		f.Add(append(binary.LittleEndian.AppendUint64(nil, seed.start), seed.leaps...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 8 || len(b) > 100 {
			return
		}
		id := binary.LittleEndian.Uint64(b)
		ids := []uint64{id}
		for _, leap := range b[8:] {
			if leap < 0x80 {
				id += uint64(leap)
				ids = append(ids, id)
			} else {
				ids = append(ids, id-uint64(leap-0x80))
			}
		}
		checkWindow[uint32](t, ids)
		checkWindow[uint64](t, ids)
	})
}

func BenchmarkWindow(b *testing.B) {
	b.Run("add", func(b *testing.B) {
		var w baseline.Window[uint64]
		id := uint64(0)
		b.ReportAllocs()
		for b.Loop() {
			id += 1 + id%3
			w.Add(id)
			w.Add(id - 2)
		}
	})
	b.Run("all", func(b *testing.B) {
		w, err := baseline.FromWire[uint64](1000, 0xffff_ffff)
		require.NoError(b, err)
		var sum uint64
		b.ReportAllocs()
		for b.Loop() {
			for id := range w.All() {
				sum += id
			}
		}
	})
}
