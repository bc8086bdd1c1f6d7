package baseline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
)

func TestIDs(t *testing.T) {
	var ids baseline.IDs[uint64]
	for want := uint64(1); want < 100; want++ {
		id, err := ids.Next()
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
}

func TestIDsNeverStartAgain(t *testing.T) {
	exhaust[uint32](t)
	exhaust[uint64](t)
}

func exhaust[T baseline.ID](t *testing.T) {
	ids := baseline.IDs[T]{Last: ^T(0) - 2}
	for _, want := range []T{^T(0) - 1, ^T(0)} {
		id, err := ids.Next()
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	for range 3 {
		id, err := ids.Next()
		require.ErrorIs(t, err, baseline.ErrExhausted)
		require.Zero(t, id)
	}
}

func TestTrackerWantsAscendingIDs(t *testing.T) {
	var tracker baseline.Tracker[uint32]
	require.ErrorIs(t, tracker.Issue(0), baseline.ErrNotAscending)
	require.NoError(t, tracker.Issue(7))
	for _, id := range []uint32{0, 1, 6, 7} {
		require.ErrorIs(t, tracker.Issue(id), baseline.ErrNotAscending)
	}
	require.Equal(t, []uint32{7}, slices.Collect(tracker.Outstanding()))
	require.NoError(t, tracker.Issue(^uint32(0)))
	require.ErrorIs(t, tracker.Issue(0), baseline.ErrNotAscending, "after the largest there is none")

	// What is no longer outstanding counts too.
	_, advanced := tracker.Ack(window(t, ^uint32(0), 0))
	require.True(t, advanced)
	require.ErrorIs(t, tracker.Issue(8), baseline.ErrNotAscending)
}

func TestTrackerIsBounded(t *testing.T) {
	for limit, want := range map[int]int{-1: baseline.DefaultLimit, 0: baseline.DefaultLimit, 1: 1, 5: 5} {
		tracker := baseline.NewTracker[uint64](limit)
		for i := range want {
			require.NoError(t, tracker.Issue(uint64(i)+1))
		}
		before := slices.Collect(tracker.Outstanding())
		require.ErrorIs(t, tracker.Issue(1000), baseline.ErrFull)
		require.Equal(t, before, slices.Collect(tracker.Outstanding()))

		id, ok := tracker.DropOldest()
		require.True(t, ok)
		require.Equal(t, uint64(1), id)
		require.NoError(t, tracker.Issue(1000), "the refused id was not used up")
		require.Equal(t, append(before[1:], 1000), slices.Collect(tracker.Outstanding()))

		_, advanced := tracker.Ack(window[uint64](t, 1, 0))
		require.False(t, advanced, "what was dropped is not known any more")
	}
}

func TestTrackerReset(t *testing.T) {
	tracker := baseline.NewTracker[uint32](3)
	for id := uint32(1); id <= 3; id++ {
		require.NoError(t, tracker.Issue(id))
	}
	_, advanced := tracker.Ack(window[uint32](t, 1, 0))
	require.True(t, advanced)
	tracker.Reset()
	_, ok := tracker.Baseline()
	require.False(t, ok)
	require.Zero(t, tracker.Len())
	_, ok = tracker.DropOldest()
	require.False(t, ok)

	_, advanced = tracker.Ack(window[uint32](t, 3, 0b11))
	require.False(t, advanced, "an acknowledgement that was under way")
	require.ErrorIs(t, tracker.Issue(3), baseline.ErrNotAscending)
	require.NoError(t, tracker.Issue(4))
	id, advanced := tracker.Ack(window[uint32](t, 4, 0b111))
	require.True(t, advanced)
	require.Equal(t, uint32(4), id)
}

func window[T baseline.ID](t *testing.T, latest T, history uint32) baseline.Window[T] {
	t.Helper()
	w, err := baseline.FromWire(latest, history)
	require.NoError(t, err)
	return w
}

// trackerOracle says of every id what became of it.
type trackerOracle struct {
	outstanding map[uint64]bool
	issued      uint64
	acked       uint64
	limit       int
}

func (o *trackerOracle) issue(id uint64) error {
	switch {
	case id <= o.issued:
		return baseline.ErrNotAscending
	case len(o.outstanding) == o.limit:
		return baseline.ErrFull
	}
	o.outstanding[id] = true
	o.issued = id
	return nil
}

func (o *trackerOracle) ack(latest uint64, history uint32) (best uint64, ok bool) {
	named := []uint64{latest}
	for k := range uint64(32) {
		if history>>k&1 != 0 && latest > 1+k {
			named = append(named, latest-1-k)
		}
	}
	for _, id := range named {
		if o.outstanding[id] && id > o.acked {
			best = max(best, id)
		}
	}
	if best == 0 {
		return 0, false
	}
	o.acked = best
	for id := range o.outstanding {
		if id <= best {
			delete(o.outstanding, id)
		}
	}
	return best, true
}

// checkTracker runs three bytes of a script at a time on a tracker and on the oracle.
func checkTracker[T baseline.ID](t *testing.T, limit int, script []byte) {
	tracker := baseline.NewTracker[T](limit)
	o := trackerOracle{outstanding: map[uint64]bool{}, limit: limit}
	for ; len(script) >= 3; script = script[3:] {
		op, x, y := script[0], script[1], script[2]
		near := T(o.issued) + T(x%8) - T(y%8)
		switch op % 8 {
		case 0, 1, 2:
			id := T(o.issued) + 1 + T(x)
			require.ErrorIs(t, tracker.Issue(id), o.issue(uint64(id)))
		case 3:
			require.ErrorIs(t, tracker.Issue(near), o.issue(uint64(near)))
		case 4, 5, 6:
			history := uint32(x)<<24 | uint32(y)<<8 | uint32(op)*uint32(x)
			w, err := baseline.FromWire(near, history)
			require.Equal(t, near == 0 && history != 0, err != nil)
			if err == nil {
				to, advanced := tracker.Ack(w)
				wantTo, want := o.ack(uint64(near), history)
				require.Equal(t, want, advanced)
				require.Equal(t, wantTo, uint64(to))
			}
		case 7:
			if x%4 == 0 {
				tracker.Reset()
				clear(o.outstanding)
				o.acked = 0
				break
			}
			id, ok := tracker.DropOldest()
			require.Equal(t, len(o.outstanding) > 0, ok)
			delete(o.outstanding, uint64(id))
		}
		acked, ok := tracker.Baseline()
		require.Equal(t, o.acked, uint64(acked))
		require.Equal(t, o.acked != 0, ok)
		last := T(0)
		for id := range tracker.Outstanding() {
			if !o.outstanding[uint64(id)] || id <= last {
				t.Fatalf("id %d is outstanding after %d", id, last)
			}
			last = id
		}
		require.Equal(t, len(o.outstanding), tracker.Len())
	}
}

func TestTrackerAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 80 {
		script := make([]byte, 300)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		checkTracker[uint32](t, 1+n%40, script)
		checkTracker[uint64](t, 1+n%40, script)
	}
}

// FuzzTracker takes the limit from the first byte and a script from the others.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0, 0, 5, 255, 1, 7, 1, 0, 7, 0, 0, 3, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || len(b) > 400 {
			return
		}
		checkTracker[uint32](t, 1+int(b[0]%40), b[1:])
		checkTracker[uint64](t, 1+int(b[0]%40), b[1:])
	})
}

func TestTrackerAllocatesNothing(t *testing.T) {
	var tracker baseline.Tracker[uint64]
	var ids baseline.IDs[uint64]
	round := func() {
		for range baseline.DefaultLimit / 2 {
			id, err := ids.Next()
			if err != nil || tracker.Issue(id) != nil {
				t.Error("not issued")
			}
		}
		w, _ := baseline.FromWire(ids.Last-3, 0b1010)
		if _, advanced := tracker.Ack(w); !advanced {
			t.Error("not advanced")
		}
		for range tracker.Outstanding() {
			tracker.Baseline()
		}
	}
	round()
	round()
	require.Zero(t, testing.AllocsPerRun(100, round))
}

// BenchmarkTracker sends a state and takes the acknowledgement of the one eight before it.
func BenchmarkTracker(b *testing.B) {
	var tracker baseline.Tracker[uint64]
	var ids baseline.IDs[uint64]
	b.ReportAllocs()
	for b.Loop() {
		id, err := ids.Next()
		if err == nil {
			err = tracker.Issue(id)
		}
		if err != nil {
			b.Fatal(err)
		}
		if id > 8 {
			w, _ := baseline.FromWire(id-8, 0xffff_ffff)
			tracker.Ack(w)
		}
	}
}
