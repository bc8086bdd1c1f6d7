package congestion_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
)

type congestionFile struct {
	Family string      `json:"family"`
	Set    string      `json:"set"`
	Seed   string      `json:"seed"`
	Source string      `json:"source"`
	Traces []traceCase `json:"traces"`
}

type traceCase struct {
	ID           string            `json:"id"`
	Config       configCase        `json:"config"`
	Wait         float64           `json:"initial_recover_secs"` // readable only, like all that has bits
	WaitBits     doubleBits        `json:"initial_recover_secs_bits"`
	Observations []observationCase `json:"observations"`
}

type configCase struct {
	GoodRate       uint8      `json:"good_rate_hz"`
	FloorRate      uint8      `json:"floor_rate_hz"`
	GoodBudget     int        `json:"good_budget"`
	FloorBudget    int        `json:"floor_budget"`
	Loss           *float64   `json:"loss_bad"`
	LossBits       floatBits  `json:"loss_bad_bits"`
	AckAge         *float64   `json:"ack_age_bad_ticks"`
	AckAgeBits     doubleBits `json:"ack_age_bad_ticks_bits"`
	Jitter         *float64   `json:"jitter_bad_ms"`
	JitterBits     doubleBits `json:"jitter_bad_ms_bits"`
	RTT            *float64   `json:"rtt_bad_ms"`
	RTTBits        doubleBits `json:"rtt_bad_ms_bits"`
	EnterFloor     *float64   `json:"enter_floor_secs"`
	EnterFloorBits doubleBits `json:"enter_floor_secs_bits"`
	Recover        *float64   `json:"base_recover_secs"`
	RecoverBits    doubleBits `json:"base_recover_secs_bits"`
}

type observationCase struct {
	Loss       *float64   `json:"datagram_loss"`
	LossBits   floatBits  `json:"datagram_loss_bits"`
	AckAge     *float64   `json:"ack_age_ticks"`
	AckAgeBits doubleBits `json:"ack_age_ticks_bits"`
	Jitter     *float64   `json:"jitter_ms"`
	JitterBits doubleBits `json:"jitter_ms_bits"`
	Drops      uint64     `json:"send_queue_drops"`
	RTT        *float64   `json:"path_rtt_ms"`
	RTTBits    doubleBits `json:"path_rtt_ms_bits"`
	DT         *float64   `json:"dt_secs"`
	DTBits     doubleBits `json:"dt_secs_bits"`

	Mode     string     `json:"mode"` // the rest is what comes of it
	SendRate uint8      `json:"send_rate_hz"`
	Budget   int        `json:"budget"`
	Wait     float64    `json:"recover_secs"`
	WaitBits doubleBits `json:"recover_secs_bits"`
}

// floatBits and doubleBits are floats by their bits.
type (
	floatBits  float32
	doubleBits float64
)

func (f *floatBits) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 32)
	*f = floatBits(math.Float32frombits(uint32(n)))
	return err
}

func (f *doubleBits) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	*f = doubleBits(math.Float64frombits(n))
	return err
}

func TestConformanceCongestion(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "congestion.json", func(t *testing.T, f congestionFile) {
		changes := 0
		for _, c := range f.Traces {
			t.Run(c.ID, func(t *testing.T) { changes += c.run(t) })
		}
		require.NotZero(t, changes)
	})
}

func (c traceCase) run(t *testing.T) (changes int) {
	v := c.Config
	controller, err := congestion.New(congestion.Config{
		GoodRate: v.GoodRate, FloorRate: v.FloorRate, GoodBudget: v.GoodBudget, FloorBudget: v.FloorBudget,
		MaxLoss: float32(v.LossBits), MaxAckAge: float64(v.AckAgeBits), MaxJitter: float64(v.JitterBits),
		MaxRTT: float64(v.RTTBits), EnterFloor: float64(v.EnterFloorBits), Recover: float64(v.RecoverBits),
	})
	require.NoError(t, err)
	require.Equal(t, float64(c.WaitBits), controller.RecoverWait())
	for i, o := range c.Observations {
		before := controller.Mode()
		changed := controller.Observe(congestion.Observation{
			Loss: float32(o.LossBits), AckAge: float64(o.AckAgeBits), Jitter: float64(o.JitterBits),
			RTT: float64(o.RTTBits), Drops: o.Drops,
		}, float64(o.DTBits))
		require.Equal(t, o.Mode, controller.Mode().String(), "observation %d", i)
		require.Equal(t, before != controller.Mode(), changed, "observation %d", i)
		require.Equal(t, o.SendRate, controller.SendRate(), "observation %d", i)
		require.Equal(t, o.Budget, controller.Budget(), "observation %d", i)
		require.Equal(t, float64(o.WaitBits), controller.RecoverWait(), "observation %d", i)
		if changed {
			changes++
		}
	}
	return changes
}
