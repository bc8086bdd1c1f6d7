package congestion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
)

func TestValidateRefuses(t *testing.T) {
	good := congestion.DefaultConfig()
	require.NoError(t, good.Validate())
	nan := math.NaN()
	for name, spoil := range map[string]func(c *congestion.Config){
		"GoodRate is 0":     func(c *congestion.Config) { c.GoodRate = 0 },
		"FloorRate is 0":    func(c *congestion.Config) { c.FloorRate = 0 },
		"GoodBudget is -1":  func(c *congestion.Config) { c.GoodBudget = -1 },
		"FloorBudget is -2": func(c *congestion.Config) { c.FloorBudget = -2 },
		"MaxLoss is NaN":    func(c *congestion.Config) { c.MaxLoss = float32(nan) },
		"MaxLoss is -1":     func(c *congestion.Config) { c.MaxLoss = -1 },
		"MaxAckAge is NaN":  func(c *congestion.Config) { c.MaxAckAge = nan },
		"MaxJitter is -0.5": func(c *congestion.Config) { c.MaxJitter = -0.5 },
		"MaxRTT is NaN":     func(c *congestion.Config) { c.MaxRTT = nan },
		"EnterFloor is -1":  func(c *congestion.Config) { c.EnterFloor = -1 },
		"Recover is NaN":    func(c *congestion.Config) { c.Recover = nan },
	} {
		c := good
		spoil(&c)
		controller, err := congestion.New(c)
		require.Nil(t, controller)
		require.ErrorIs(t, err, congestion.ErrConfig, name)
		require.ErrorContains(t, err, name)
	}
	for _, rate := range []uint8{1, 2, 3} { // at which clients of the reference stop
		c := good
		c.GoodRate, c.FloorRate = rate, rate
		_, err := congestion.New(c)
		require.NoError(t, err)
	}
	good.MaxJitter = math.Inf(1)
	controller, err := congestion.New(good)
	require.NoError(t, err)
	for range 100 {
		require.False(t, controller.Observe(congestion.Observation{Jitter: 1e9}, 1), "switched off")
	}
}

// TestSignals tries each signal alone and with another, for long enough.
func TestSignals(t *testing.T) {
	cfg := congestion.DefaultConfig()
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		o     congestion.Observation
		floor bool
	}{
		"nothing":                {congestion.Observation{}, false},
		"loss":                   {congestion.Observation{Loss: 0.06}, true},
		"loss at its limit":      {congestion.Observation{Loss: cfg.MaxLoss}, false},
		"acks too old":           {congestion.Observation{AckAge: 31}, true},
		"jitter":                 {congestion.Observation{Jitter: 41}, true},
		"drops":                  {congestion.Observation{Drops: 1}, true},
		"round trip alone":       {congestion.Observation{RTT: 1e9}, false},
		"round trip and loss":    {congestion.Observation{RTT: 201, Loss: 0.03}, true},
		"round trip and age":     {congestion.Observation{RTT: 201, AckAge: 16}, true},
		"round trip and jitter":  {congestion.Observation{RTT: 201, Jitter: 21}, true},
		"round trip, too little": {congestion.Observation{RTT: 201, Loss: 0.02, AckAge: 15, Jitter: 20}, false},
		"loss, no round trip":    {congestion.Observation{RTT: 200, Loss: 0.03}, false},
		"no numbers":             {congestion.Observation{Loss: float32(nan), AckAge: inf, Jitter: nan, RTT: inf}, false},
		"no number with another": {congestion.Observation{AckAge: nan, Jitter: 41}, true},
	} {
		controller, err := congestion.New(cfg)
		require.NoError(t, err)
		for range 60 {
			controller.Observe(c.o, 0.05)
		}
		require.Equal(t, c.floor, controller.Mode() == congestion.Floor, name)
	}
}

// TestRateDoesNotFlap is about a path that is bad for a second and good for the next few, again and again: it is at the
// floor more and more of the time.
func TestRateDoesNotFlap(t *testing.T) {
	controller, err := congestion.New(congestion.DefaultConfig())
	require.NoError(t, err)
	changes, floored := 0, 0
	const seconds = 600
	for s := range seconds {
		o := congestion.Observation{}
		if s%7 < 2 {
			o.Loss = 0.2
		}
		for range 20 {
			if controller.Observe(o, 0.05) {
				changes++
			}
		}
		if controller.Mode() == congestion.Floor {
			floored++
		}
	}
	require.Equal(t, 1, changes, "8 seconds of good in a row never come")
	require.Greater(t, floored, seconds-10)
	require.EqualValues(t, 10, controller.SendRate())
	require.Equal(t, 16, controller.Budget())

	for range 20 * 30 {
		controller.Observe(congestion.Observation{}, 0.05)
	}
	require.Equal(t, congestion.Good, controller.Mode())
	require.EqualValues(t, 20, controller.SendRate())
	require.Equal(t, 1.0, controller.RecoverWait())
}

func TestOddTimesCountAsNone(t *testing.T) {
	controller, err := congestion.New(congestion.DefaultConfig())
	require.NoError(t, err)
	for _, dt := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, 0} {
		require.False(t, controller.Observe(congestion.Observation{Drops: 1}, dt))
	}
	require.True(t, controller.Observe(congestion.Observation{Drops: 1}, 1e9))
	require.Equal(t, "floor", controller.Mode().String())
}

func TestNothingAllocates(t *testing.T) {
	controller, err := congestion.New(congestion.DefaultConfig())
	require.NoError(t, err)
	var meter congestion.Meter
	var lag congestion.LagMeter
	var p congestion.Path
	id := uint32(0)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		id++
		p.Sent, p.RTT, p.MinRTT = p.Sent+2, 50, 40
		controller.Observe(meter.Observe(p, 3, 0.05), 0.05)
		lag.Acked(id, math.MaxUint32, id)
		lag.Lag(p, controller.SendRate(), 60, 0.05)
	}))
}

func BenchmarkObserve(b *testing.B) {
	b.ReportAllocs()
	controller, err := congestion.New(congestion.DefaultConfig())
	require.NoError(b, err)
	var meter congestion.Meter
	var lag congestion.LagMeter
	var p congestion.Path
	id := uint32(0)
	for b.Loop() {
		id++
		p.Sent, p.RTT, p.MinRTT = p.Sent+2, 50, 40
		controller.Observe(meter.Observe(p, 3, 0.05), 0.05)
		lag.Acked(id, math.MaxUint32, id)
		lag.Lag(p, controller.SendRate(), 60, 0.05)
	}
}
