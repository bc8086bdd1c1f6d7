package client_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

func newPredictor(t testing.TB, cfg client.PredictorConfig) *client.Predictor {
	t.Helper()
	p, err := client.NewPredictor(cfg, at(0))
	require.NoError(t, err)
	return p
}

func TestPredictorRefusesWhatIsNotFinite(t *testing.T) {
	bad := map[string]tsync.State{
		"position": {Position: [3]float32{0, nan, 0}, Rotation: [4]float32{3: 1}},
		"velocity": {Rotation: [4]float32{3: 1}, Velocity: [3]float32{inf, 0, 0}},
		"rotation": {Rotation: [4]float32{0, 0, 0, nan}},
	}
	p := newPredictor(t, client.PredictorConfig{})
	_, err := p.Push([3]float32{60, 0, 0}, 1)
	require.NoError(t, err)
	before := *p
	for name, state := range bad {
		_, err := client.NewPredictor(client.PredictorConfig{}, state)
		require.ErrorIs(t, err, client.ErrNotFinite, name)
		require.ErrorIs(t, p.Reconcile(state, 1), client.ErrNotFinite, name)
		require.ErrorIs(t, p.Snap(state, 1), client.ErrNotFinite, name)
		require.ErrorIs(t, p.Reset(state), client.ErrNotFinite, name)
	}
	for _, move := range [][3]float32{{nan, 0, 0}, {0, inf, 0}, {0, 0, -inf}} {
		_, err := p.Push(move, 1)
		require.ErrorIs(t, err, client.ErrNotFinite)
	}
	_, err = p.Push([3]float32{math.MaxFloat32, 0, 0}, 2)
	require.ErrorIs(t, err, client.ErrNotFinite, "beyond the largest number")
	require.Equal(t, before, *p, "nothing has changed")

	// A state that is finite, but from which the inputs lead beyond.
	_, err = p.Push([3]float32{math.MaxFloat32 / 2, 0, 0}, 1)
	require.NoError(t, err)
	require.ErrorIs(t, p.Reconcile(moving(math.MaxFloat32, 0), 1), client.ErrNotFinite)
	require.Equal(t, 2, p.Pending())
	require.NoError(t, p.Reconcile(at(0), 2))
	require.Equal(t, at(0), p.State())
}

func TestPredictorIsBounded(t *testing.T) {
	p := newPredictor(t, client.PredictorConfig{})
	for n := range client.MaxPending {
		seq, err := p.Push([3]float32{60, 0, 0}, 1)
		require.NoError(t, err)
		require.EqualValues(t, n+1, seq)
	}
	state := p.State()
	_, err := p.Push([3]float32{60, 0, 0}, 1)
	require.ErrorIs(t, err, client.ErrPending)
	require.Equal(t, state, p.State())
	require.NoError(t, p.Reconcile(moving(60, 60), 1))
	require.Equal(t, state, p.State(), "the server agrees, and 255 inputs are replayed")
	seq, err := p.Push([3]float32{}, 1)
	require.NoError(t, err)
	require.EqualValues(t, client.MaxPending+1, seq)

	require.NoError(t, p.Reset(at(3)))
	require.Zero(t, p.Pending())
	require.Equal(t, at(3), p.Render())
	require.EqualValues(t, 1, p.NextSeq())
}

// An acknowledgement that comes again, or an old one, drops nothing twice.
func TestReconcileWithOldAcknowledgements(t *testing.T) {
	p := newPredictor(t, client.PredictorConfig{})
	for range 10 {
		_, err := p.Push([3]float32{1, 0, 0}, 1)
		require.NoError(t, err)
	}
	for _, c := range []struct {
		ack     uint32
		pending int
	}{{0, 10}, {3, 7}, {3, 7}, {1, 7}, {0, 7}, {9, 1}, {10, 0}, {10, 0}, {4, 0}} {
		require.NoError(t, p.Reconcile(at(float32(c.ack)), c.ack))
		require.Equal(t, c.pending, p.Pending(), c.ack)
		require.Equal(t, float32(int(c.ack)+c.pending), p.State().Position[0])
	}
}

func TestSmoothing(t *testing.T) {
	for _, c := range []struct{ offset, after float32 }{
		{0.0005, 0}, {1, 0.95}, {25, 23.75}, {62.5, 62.5 * 0.9}, {100, 85}, {400, 340}, {499, 499 * 0.85},
	} {
		p := newPredictor(t, client.PredictorConfig{})
		require.NoError(t, p.Reconcile(at(-c.offset), 0))
		require.Equal(t, [3]float32{c.offset, 0, 0}, p.Offset())
		require.Equal(t, float32(0), p.Render().Position[0], "what is shown does not move")
		p.AdvanceSmoothing()
		require.InDelta(t, c.after, p.Offset()[0], 1e-3, c.offset)
		require.Equal(t, float32(-c.offset), p.State().Position[0], "nor what is predicted by smoothing")
	}
	for _, far := range []float32{500, 10000, 1e30} {
		p := newPredictor(t, client.PredictorConfig{})
		require.NoError(t, p.Reconcile(at(far), 0))
		require.Zero(t, p.Offset(), "too far to be smoothed")
	}
	p := newPredictor(t, client.PredictorConfig{})
	require.NoError(t, p.Snap(at(1), 0))
	require.Zero(t, p.Offset())
	require.Equal(t, at(1), p.Render())
}

// An offset goes equally fast at all frame rates.
func TestSmoothingDoesNotDependOnTheFrameRate(t *testing.T) {
	left := func(fps int) float64 {
		p := newPredictor(t, client.PredictorConfig{})
		require.NoError(t, p.Reconcile(at(-90), 0))
		for range fps / 4 {
			p.Smooth(1 / float64(fps))
		}
		return float64(p.Offset()[0])
	}
	want := left(60)
	require.Less(t, want, 60.0)
	for _, fps := range []int{20, 30, 120, 144, 240, 1000} {
		require.InEpsilon(t, want, left(fps), 0.06, "%d frames a second", fps)
	}
	p := newPredictor(t, client.PredictorConfig{})
	require.NoError(t, p.Reconcile(at(-90), 0))
	for _, nonsense := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		p.Smooth(nonsense)
	}
	require.Equal(t, float32(90), p.Offset()[0])
	p.Smooth(math.Inf(1))
	require.Less(t, p.Offset()[0], float32(10))
}

// With the server's limits a prediction is what the server does, bit for bit: no correction, whatever the player wants.
func TestPredictionWithLimitsIsTheServers(t *testing.T) {
	limits := motion.DefaultLimits()
	r := rand.New(rand.NewPCG(5, 5))
	p := newPredictor(t, client.PredictorConfig{Limits: &limits})
	server := at(0)
	for range 2000 {
		move := [3]float32{r.Float32()*20000 - 10000, r.Float32()*2000 - 1000, r.Float32() * 8000}
		dt := r.Float32()*0.3 - 0.05
		seq, err := p.Push(move, dt)
		require.NoError(t, err)
		motion.Integrate(&server, move, dt, &limits)
		if r.IntN(5) == 0 {
			require.NoError(t, p.Reconcile(server, seq))
		}
		require.Equal(t, server, p.State())
		require.Zero(t, p.Offset())
	}
	require.Equal(t, limits.World.Max[2], server.Position[2], "up to the faces of the world")
}

func TestPredictorConfig(t *testing.T) {
	good := client.DefaultSmoothing()
	require.NoError(t, good.Validate())
	for name, change := range map[string]func(s *client.Smoothing){
		"small":           func(s *client.Smoothing) { s.Small = -1 },
		"large":           func(s *client.Smoothing) { s.Large = nan },
		"snap":            func(s *client.Smoothing) { s.HardSnap = inf },
		"keeps all":       func(s *client.Smoothing) { s.SmallKeep = 1 },
		"keeps less":      func(s *client.Smoothing) { s.LargeKeep = -0.1 },
		"keeps no number": func(s *client.Smoothing) { s.LargeKeep = nan },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			change(&bad)
			require.ErrorIs(t, bad.Validate(), client.ErrConfig)
			_, err := client.NewPredictor(client.PredictorConfig{Smoothing: bad}, at(0))
			require.ErrorIs(t, err, client.ErrConfig)
			_, err = client.New(client.Config{Predictor: client.PredictorConfig{Smoothing: bad}})
			require.ErrorIs(t, err, client.ErrConfig)
		})
	}
	limits := motion.DefaultLimits()
	limits.MaxSpeed = nan
	_, err := client.NewPredictor(client.PredictorConfig{Limits: &limits}, at(0))
	require.ErrorIs(t, err, motion.ErrLimits)
}
