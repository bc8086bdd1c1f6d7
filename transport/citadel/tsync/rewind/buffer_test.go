package rewind_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

func at(x float32) *tsync.State {
	return &tsync.State{Position: [3]float32{x, 0, 0}, Rotation: [4]float32{0, 0, 0, 1}}
}

// TestTickZeroIsATick is about ticks that mean none elsewhere, and those near the end of 32 bits.
func TestTickZeroIsATick(t *testing.T) {
	b := rewind.MakeBuffer(4)
	require.True(t, b.Record(0, at(1)))
	require.False(t, b.Record(0, at(2)))
	oldest, newest, ok := b.Span()
	require.True(t, ok)
	require.Zero(t, oldest)
	require.Zero(t, newest)
	var s tsync.State
	require.True(t, b.Sample(-60, &s))
	require.Equal(t, *at(1), s)

	for _, tick := range []uint64{math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxUint32 + 2} {
		require.True(t, b.Record(tick, at(float32(tick-math.MaxUint32+1))), "no wrap")
	}
	require.True(t, b.Sample(math.MaxUint32+0.5, &s))
	require.Equal(t, *at(1.5), s)
}

// TestResetForgetsTheOtherLife is about a respawn, after which nothing must be hit where the object died.
func TestResetForgetsTheOtherLife(t *testing.T) {
	b := rewind.MakeBuffer(3)
	for tick := range uint64(5) {
		b.Record(tick, at(1000))
	}
	b.Reset()
	require.Zero(t, b.Len())
	var s tsync.State
	require.False(t, b.Sample(3, &s))
	require.Zero(t, s)
	require.True(t, b.Record(2, at(5)), "time may begin anew")
	require.True(t, b.Sample(0, &s))
	require.Equal(t, *at(5), s)
}

func TestZeroBufferKeepsNothing(t *testing.T) {
	var b rewind.Buffer
	require.False(t, b.Record(1, at(1)))
	require.False(t, b.Sample(1, at(1)))
	_, _, ok := b.Span()
	require.False(t, ok)
	require.Zero(t, b.Len())
}

func TestSampleTakesAnyTick(t *testing.T) {
	b := rewind.MakeBuffer(3)
	b.Record(10, at(10))
	b.Record(20, at(20))
	b.Record(30, at(30))
	for tick, want := range map[float64]float32{
		math.Inf(-1): 10, -1: 10, 10: 10, 12.5: 12.5, 20: 20, 29: 29, 30: 30, 31: 30, math.Inf(1): 30, math.MaxFloat64: 30,
	} {
		var s tsync.State
		require.True(t, b.Sample(tick, &s))
		require.Equal(t, want, s.Position[0], "tick %v", tick)
	}
	var s tsync.State
	require.True(t, b.Sample(math.NaN(), &s))
	require.Equal(t, float32(30), s.Position[0])
}

func TestDefaultLimits(t *testing.T) {
	l := rewind.DefaultLimits(60)
	require.NoError(t, l.Validate())
	require.Equal(t, rewind.Limits{MaxUnlag: 60, MaxRTT: 220}, l)
	for name, l := range map[string]rewind.Limits{
		"MaxUnlag is -1":  {MaxUnlag: -1, MaxRTT: 220},
		"MaxUnlag is NaN": {MaxUnlag: math.NaN(), MaxRTT: 220},
		"MaxRTT is -1":    {MaxRTT: -1},
		"MaxRTT is NaN":   {MaxRTT: math.NaN()},
	} {
		require.ErrorIs(t, l.Validate(), rewind.ErrLimits, name)
		require.ErrorContains(t, l.Validate(), name)
	}
	require.NoError(t, rewind.Limits{}.Validate())
	require.NoError(t, rewind.Limits{MaxUnlag: math.Inf(1), MaxRTT: math.Inf(1)}.Validate())
}

func TestTargetIsClamped(t *testing.T) {
	l := rewind.DefaultLimits(60)
	for name, c := range map[string]struct {
		lag  rewind.Lag
		want float64
		ok   bool
	}{
		"nothing known":     {rewind.Lag{}, 1000, true},
		"both delays":       {rewind.Lag{OneWay: 3, Interpolation: 7.5, RTT: 100}, 989.5, true},
		"and the shot's":    {rewind.Lag{OneWay: 3, Interpolation: 7.5, Uplink: 3, RTT: 100}, 986.5, true},
		"longer than kept":  {rewind.Lag{OneWay: 55, Interpolation: 7.5, RTT: 100}, 940, true},
		"not in the future": {rewind.Lag{OneWay: -55, Uplink: math.Inf(-1), RTT: 100}, 1000, true},
		"no numbers":        {rewind.Lag{OneWay: math.NaN(), Interpolation: math.NaN(), Uplink: math.NaN()}, 1000, true},
		"at the cutoff":     {rewind.Lag{OneWay: 6, RTT: 220}, 994, true},
		"too far away":      {rewind.Lag{OneWay: 6, RTT: 221}, 1000, false},
		"who knows where":   {rewind.Lag{OneWay: 6, RTT: math.NaN()}, 1000, false},
	} {
		tick, ok := l.Target(1000, c.lag)
		require.Equal(t, c.want, tick, name)
		require.Equal(t, c.ok, ok, name)
	}
}

func TestWireTick(t *testing.T) {
	for tick, want := range map[float64]uint32{
		-60: 0, math.Inf(-1): 0, 0: 0, 0.9: 0, 77.7: 77, math.MaxUint32: math.MaxUint32, math.MaxUint32 + 2: 1,
		math.Inf(1): 0,
	} {
		require.Equal(t, want, rewind.WireTick(tick), "%v", tick)
	}
	require.Zero(t, rewind.WireTick(math.NaN()))
}

// TestSampleAgainstScan looks everything up in buffers with and without gaps.
func TestSampleAgainstScan(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		b := rewind.MakeBuffer(1 + r.IntN(20))
		var ticks []uint64
		tick := r.Uint64N(3)
		for range 60 {
			b.Record(tick, at(float32(tick)))
			ticks = append(ticks, tick)
			tick++
			if r.IntN(4) == 0 {
				tick += r.Uint64N(30)
			}
			kept := ticks[len(ticks)-b.Len():]
			x := float64(kept[0]) + r.Float64()*float64(tick-kept[0])
			if r.IntN(2) == 0 {
				x = math.Floor(x)
			}
			var got tsync.State
			require.True(t, b.Sample(x, &got))
			want := min(max(x, float64(kept[0])), float64(kept[len(kept)-1])) // at(tick) is tick, so between two it is x
			require.InDelta(t, want, got.Position[0], 1e-3, "%v in %v", x, kept)
		}
	}
}
