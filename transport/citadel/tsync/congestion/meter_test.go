package congestion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
)

// link counts what a connection would, 20 times a second, 3 packets each time.
type link struct {
	path  congestion.Path
	meter congestion.Meter
}

func (l *link) observe(lost, drops uint64) congestion.Observation {
	l.path.Sent += 3
	l.path.Lost += lost
	l.path.Drops += drops
	return l.meter.Observe(l.path, 2, 0.05)
}

func TestMeterPassesOn(t *testing.T) {
	var m congestion.Meter
	p := congestion.Path{RTT: 40, Jitter: 3, Sent: 1000, Lost: 900, Drops: 50}
	require.Equal(t, congestion.Observation{RTT: 40, Jitter: 3, AckAge: 4}, m.Observe(p, 4, 0.05),
		"the first time, nothing is known of what was before")
	p.Drops += 2
	require.EqualValues(t, 2, m.Observe(p, 4, 0.05).Drops)
	require.Zero(t, m.Observe(p, 4, 0.05).Drops)
	p.Drops, p.Sent = 1, 5
	require.Zero(t, m.Observe(p, 4, 0.05).Drops, "gone back")
}

func TestLossIsOfTheLastMoments(t *testing.T) {
	var l link
	for range 40 {
		require.Zero(t, l.observe(0, 0).Loss)
	}
	loss := l.observe(3, 0).Loss
	require.InDelta(t, 3.0/45, loss, 0.02)
	seconds := 0.0
	for l.observe(0, 0).Loss > 0 {
		seconds += 0.05
	}
	require.Less(t, seconds, 0.85)
	require.Greater(t, seconds, 0.5)
}

func TestFewPacketsAreNoEvidence(t *testing.T) {
	var m congestion.Meter
	var p congestion.Path
	m.Observe(p, 0, 0.1)
	p.Sent, p.Lost = 4, 4
	require.Zero(t, m.Observe(p, 0, 0.1).Loss)
	p.Sent = 8
	require.Equal(t, float32(0.5), m.Observe(p, 0, 0.1).Loss)
	p.Lost = 1
	require.Equal(t, float32(0.125), m.Observe(p, 0, 0).Loss, "three have turned up after all")
	p.Lost = 100
	require.Equal(t, float32(1), m.Observe(p, 0, math.NaN()).Loss, "of packets that were sent before")
	p.Lost = 0
	require.Zero(t, m.Observe(p, 0, -1).Loss)
	p.Sent += 100
	p.Lost += 50
	require.NotZero(t, m.Observe(p, 0, 0).Loss)
	require.Zero(t, m.Observe(p, 0, math.Inf(1)).Loss, "long ago")
}

// TestLossSteps is about real losses: few or in a burst they change nothing, and more than the limit for long they do.
func TestLossSteps(t *testing.T) {
	for name, c := range map[string]struct {
		share, burst float64 // of losses, and of moments at which everything is lost
		floor        bool
	}{
		"none":   {0, 0, false},
		"1%":     {0.01, 0, false},
		"15%":    {0.15, 0, true},
		"30%":    {0.3, 0, true},
		"bursts": {0, 1.0 / 120, false},
	} {
		floored := 0
		for seed := range uint64(20) {
			controller, err := congestion.New(congestion.DefaultConfig())
			require.NoError(t, err)
			r := rand.New(rand.NewPCG(seed, 9))
			var l link
			for i := range 20 * 20 {
				lost := uint64(0)
				for range 3 {
					if r.Float64() < c.share {
						lost++
					}
				}
				if c.burst > 0 && i%int(1/c.burst) == 0 {
					lost = 3
				}
				if controller.Observe(l.observe(lost, 0), 0.05) && controller.Mode() == congestion.Floor {
					floored++
				}
			}
		}
		if c.floor {
			require.GreaterOrEqual(t, floored, 18, name)
		} else {
			require.Zero(t, floored, name)
		}
	}
}

func TestLagOfAPath(t *testing.T) {
	var m congestion.LagMeter
	lag := m.Lag(congestion.Path{RTT: 100, MinRTT: 60}, 20, 60, 0)
	require.InDelta(t, 70*0.06, lag.OneWay, 1e-9, "half of the shortest and all that is queued")
	require.InDelta(t, 30*0.06, lag.Uplink, 1e-9)
	require.Equal(t, 100.0, lag.RTT)
	require.InDelta(t, 7.5, lag.Interpolation, 1e-9, "2.5 intervals")

	lag = m.Lag(congestion.Path{RTT: 100}, 20, 60, 0)
	require.InDelta(t, 3, lag.OneWay, 1e-9)
	require.InDelta(t, 3, lag.Uplink, 1e-9)
	lag = m.Lag(congestion.Path{RTT: 50, MinRTT: 60}, 20, 60, 0)
	require.InDelta(t, 1.5, lag.OneWay, 1e-9)
	lag = m.Lag(congestion.Path{RTT: -1, MinRTT: -1}, 20, 60, math.NaN())
	require.Zero(t, lag.OneWay)
	require.Zero(t, lag.RTT)
	require.InDelta(t, 7.5, lag.Interpolation, 1e-9)
}

// TestLagFollowsTheClient is about the buffer that a client makes smaller while nothing is lost.
func TestLagFollowsTheClient(t *testing.T) {
	var m congestion.LagMeter
	id := uint32(0)
	interpolation := func() float64 { return m.Lag(congestion.Path{}, 20, 60, 1e9).Interpolation / 3 }
	m.Lag(congestion.Path{}, 20, 60, 0)
	for range 11 {
		id++
		m.Acked(id, 0, id)
	}
	require.InDelta(t, 2.3, interpolation(), 1e-9)

	id += 40
	m.Acked(id, math.MaxUint32, id) // of 40, the last 33 are known
	require.InDelta(t, min(2.3+0.5*7, 2.5)-32*0.02, interpolation(), 1e-9)
	m.Acked(id, 0, id)
	m.Acked(id-1, 0, id)
	m.Acked(0, 5, id)
	require.InDelta(t, 1.86, interpolation(), 1e-9, "nothing new")
	m.Acked(id+1000, math.MaxUint32, id)
	m.Acked(math.MaxUint32, math.MaxUint32, id)
	require.InDelta(t, 1.86, interpolation(), 1e-9, "never issued")

	id += 2
	m.Acked(id, 0, id)
	require.InDelta(t, 1.86, interpolation(), 1e-9, "an input does not say whether the one between is missing")
	m.Acked(id, 0b110, id)
	require.InDelta(t, 2.36, interpolation(), 1e-9, "one is missing")
	for range 100 {
		id++
		m.Acked(id, 1, id)
	}
	require.InDelta(t, 1.5, interpolation(), 1e-9)

	var last congestion.LagMeter
	last.Acked(math.MaxUint32, math.MaxUint32, math.MaxUint32)
	require.InDelta(t, 2.5-0.02*32, last.Lag(congestion.Path{}, 20, 60, 0).Interpolation/3, 1e-9, "the end of 32 bits")
}

// TestLagDoesNotJump is about a step of the send rate, which must not jerk anybody's shots.
func TestLagDoesNotJump(t *testing.T) {
	var m congestion.LagMeter
	before := m.Lag(congestion.Path{}, 20, 60, 0).Interpolation
	steps := 0
	for {
		now := m.Lag(congestion.Path{}, 10, 60, 1.0/60).Interpolation
		require.LessOrEqual(t, math.Abs(now-before), congestion.DelayRamp*1.0000001, "ticks in a tick")
		if now == before {
			break
		}
		before = now
		steps++
	}
	require.InDelta(t, 15, before, 1e-9)
	require.Greater(t, steps, 70)
	// And back, as slowly.
	for now := before; now > 7.5; before = now {
		now = m.Lag(congestion.Path{}, 20, 60, 1.0/60).Interpolation
		require.Less(t, now, before)
		require.LessOrEqual(t, before-now, congestion.DelayRamp*1.0000001, "ticks in a tick")
	}
	require.InDelta(t, 7.5, before, 1e-9)
	for rate, want := range map[uint8]float64{0: 1.5, 1: 1.5, 2: 0.75, 3: 0.5, 4: 0.4, 5: 0.4, 10: 0.25, 250: 0.01} {
		lag := m.Lag(congestion.Path{}, rate, 0, 1e9)
		require.InDelta(t, want, lag.Interpolation, 1e-9, "2.5 intervals up to 0.4 s, and never less than 1.5 intervals")
	}
}
