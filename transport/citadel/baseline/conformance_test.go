package baseline_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
)

type ackFile struct {
	Family   string          `json:"family"`
	Set      string          `json:"set"`
	Seed     string          `json:"seed"`
	Source   string          `json:"source"`
	Windows  []windowVector  `json:"windows"`
	FromWire []wireVector    `json:"from_wire"`
	Trackers []trackerVector `json:"trackers"`
}

type windowVector struct {
	ID         string        `json:"id"`
	Steps      []windowStep  `json:"steps"`
	Latest     *vectors.U64  `json:"latest"`
	History    uint32        `json:"history"`
	HistoryHex string        `json:"history_hex"`
	WireLatest vectors.U64   `json:"wire_latest"`
	Acked      []vectors.U64 `json:"acked"`
	NotAcked   []vectors.U64 `json:"not_acked"`
	IterAcked  []vectors.U64 `json:"iter_acked"`
}

type windowStep struct {
	Ack     vectors.U64  `json:"ack"`
	Latest  *vectors.U64 `json:"latest"`
	History uint32       `json:"history"`
}

type wireVector struct {
	ID        string        `json:"id"`
	Latest    vectors.U64   `json:"latest"`
	History   uint32        `json:"history"`
	OK        bool          `json:"ok"`
	Error     string        `json:"error"`
	Acked     []vectors.U64 `json:"acked"`
	NotAcked  []vectors.U64 `json:"not_acked"`
	IterAcked []vectors.U64 `json:"iter_acked"`
}

type trackerVector struct {
	ID    string        `json:"id"`
	Steps []trackerStep `json:"steps"`
}

type trackerStep struct {
	Op          string        `json:"op"`
	ID          vectors.U64   `json:"id"`
	Latest      vectors.U64   `json:"latest"`
	History     uint32        `json:"history"`
	Why         string        `json:"why"`
	AdvancedTo  *vectors.U64  `json:"advanced_to"`
	LastAcked   *vectors.U64  `json:"last_acked"`
	Outstanding []vectors.U64 `json:"outstanding"`
}

func TestConformanceAck(t *testing.T) {
	vectors.EachFile(t, "citadel", "ack.json", func(t *testing.T, f ackFile) {
		for _, v := range f.Windows {
			t.Run(v.ID, func(t *testing.T) {
				runWindow[uint64](t, v)
				// What fits is the same in 32 bits.
				if !slices.ContainsFunc(v.Steps, func(s windowStep) bool { return s.Ack > 1<<32-1 }) {
					runWindow[uint32](t, v)
				}
			})
		}
		for _, v := range f.FromWire {
			t.Run(v.ID, func(t *testing.T) {
				runFromWire[uint64](t, v)
				if v.Latest < 1<<32 {
					runFromWire[uint32](t, v)
				}
			})
		}
		for _, v := range f.Trackers {
			t.Run(v.ID, func(t *testing.T) {
				runTracker[uint64](t, v)
				if !slices.ContainsFunc(v.Steps, func(s trackerStep) bool { return max(s.ID, s.Latest) > 1<<32-1 }) {
					runTracker[uint32](t, v)
				}
			})
		}
	})
}

func runWindow[T baseline.ID](t *testing.T, v windowVector) {
	var w baseline.Window[T]
	for i, s := range v.Steps {
		w.Add(T(s.Ack))
		latest, ok := w.Latest()
		requireMaybe(t, s.Latest, latest, ok)
		_, history := w.Wire()
		require.Equal(t, s.History, history, "step %d", i)
	}
	latest, ok := w.Latest()
	requireMaybe(t, v.Latest, latest, ok)
	wireLatest, history := w.Wire()
	require.Equal(t, uint64(v.WireLatest), uint64(wireLatest))
	require.Equal(t, v.History, history)
	hex, err := strconv.ParseUint(v.HistoryHex, 16, 32)
	require.NoError(t, err)
	require.Equal(t, uint32(hex), history)
	checkMembers(t, w, v.Acked, v.NotAcked, v.IterAcked)

	again, err := baseline.FromWire(w.Wire())
	require.NoError(t, err)
	require.Equal(t, w, again)
}

func runFromWire[T baseline.ID](t *testing.T, v wireVector) {
	w, err := baseline.FromWire(T(v.Latest), v.History)
	if !v.OK {
		require.Equal(t, "none_with_history", v.Error)
		require.ErrorIs(t, err, baseline.ErrHistoryWithoutLatest)
		require.Zero(t, w)
		return
	}
	require.NoError(t, err)
	latest, history := w.Wire()
	require.Equal(t, uint64(v.Latest), uint64(latest))
	require.Equal(t, v.History, history)
	checkMembers(t, w, v.Acked, v.NotAcked, v.IterAcked)
}

func checkMembers[T baseline.ID](t *testing.T, w baseline.Window[T], acked, notAcked, all []vectors.U64) {
	for _, id := range acked {
		require.True(t, w.Contains(T(id)), "%d", id)
	}
	for _, id := range notAcked {
		if uint64(T(id)) == uint64(id) {
			require.False(t, w.Contains(T(id)), "%d", id)
		}
	}
	requireIDs(t, all, slices.Collect(w.All()))
}

func runTracker[T baseline.ID](t *testing.T, v trackerVector) {
	var tracker baseline.Tracker[T]
	for i, s := range v.Steps {
		switch s.Op {
		case "issue":
			require.NoError(t, tracker.Issue(T(s.ID)), "step %d", i)
		case "apply_ack":
			w, err := baseline.FromWire(T(s.Latest), s.History)
			require.NoError(t, err, "step %d", i)
			to, advanced := tracker.Ack(w)
			requireMaybe(t, s.AdvancedTo, to, advanced, "step %d: %s", i, s.Why)
		default:
			t.Fatalf("step %d is %q", i, s.Op)
		}
		last, ok := tracker.Baseline()
		requireMaybe(t, s.LastAcked, last, ok, "step %d: %s", i, s.Why)
		requireIDs(t, s.Outstanding, slices.Collect(tracker.Outstanding()), "step %d: %s", i, s.Why)
		require.Equal(t, len(s.Outstanding), tracker.Len())
	}
}

// requireMaybe compares an id that may be missing.
func requireMaybe[T baseline.ID](t *testing.T, want *vectors.U64, got T, ok bool, msg ...any) {
	t.Helper()
	require.Equal(t, want != nil, ok, msg...)
	if want != nil {
		require.Equal(t, uint64(*want), uint64(got), msg...)
	} else {
		require.Zero(t, got, msg...)
	}
}

func requireIDs[T baseline.ID](t *testing.T, want []vectors.U64, got []T, msg ...any) {
	t.Helper()
	require.Len(t, got, len(want), msg...)
	for i := range want {
		require.Equal(t, uint64(want[i]), uint64(got[i]), msg...)
	}
}
