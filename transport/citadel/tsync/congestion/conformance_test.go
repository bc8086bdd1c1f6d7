package congestion_test

import (
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
	WaitBits     vectors.F64       `json:"initial_recover_secs_bits"`
	Observations []observationCase `json:"observations"`
}

type configCase struct {
	GoodRate       uint8       `json:"good_rate_hz"`
	FloorRate      uint8       `json:"floor_rate_hz"`
	GoodBudget     int         `json:"good_budget"`
	FloorBudget    int         `json:"floor_budget"`
	Loss           *float64    `json:"loss_bad"`
	LossBits       vectors.F32 `json:"loss_bad_bits"`
	AckAge         *float64    `json:"ack_age_bad_ticks"`
	AckAgeBits     vectors.F64 `json:"ack_age_bad_ticks_bits"`
	Jitter         *float64    `json:"jitter_bad_ms"`
	JitterBits     vectors.F64 `json:"jitter_bad_ms_bits"`
	RTT            *float64    `json:"rtt_bad_ms"`
	RTTBits        vectors.F64 `json:"rtt_bad_ms_bits"`
	EnterFloor     *float64    `json:"enter_floor_secs"`
	EnterFloorBits vectors.F64 `json:"enter_floor_secs_bits"`
	Recover        *float64    `json:"base_recover_secs"`
	RecoverBits    vectors.F64 `json:"base_recover_secs_bits"`
}

type observationCase struct {
	Loss       *float64    `json:"datagram_loss"`
	LossBits   vectors.F32 `json:"datagram_loss_bits"`
	AckAge     *float64    `json:"ack_age_ticks"`
	AckAgeBits vectors.F64 `json:"ack_age_ticks_bits"`
	Jitter     *float64    `json:"jitter_ms"`
	JitterBits vectors.F64 `json:"jitter_ms_bits"`
	Drops      uint64      `json:"send_queue_drops"`
	RTT        *float64    `json:"path_rtt_ms"`
	RTTBits    vectors.F64 `json:"path_rtt_ms_bits"`
	DT         *float64    `json:"dt_secs"`
	DTBits     vectors.F64 `json:"dt_secs_bits"`

	Mode     string      `json:"mode"` // the rest is what comes of it
	SendRate uint8       `json:"send_rate_hz"`
	Budget   int         `json:"budget"`
	Wait     float64     `json:"recover_secs"`
	WaitBits vectors.F64 `json:"recover_secs_bits"`
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
		MaxLoss: v.LossBits.Float(), MaxAckAge: v.AckAgeBits.Float(), MaxJitter: v.JitterBits.Float(),
		MaxRTT: v.RTTBits.Float(), EnterFloor: v.EnterFloorBits.Float(), Recover: v.RecoverBits.Float(),
	})
	require.NoError(t, err)
	require.Equal(t, c.WaitBits.Float(), controller.RecoverWait())
	for i, o := range c.Observations {
		before := controller.Mode()
		changed := controller.Observe(congestion.Observation{
			Loss: o.LossBits.Float(), AckAge: o.AckAgeBits.Float(), Jitter: o.JitterBits.Float(),
			RTT: o.RTTBits.Float(), Drops: o.Drops,
		}, o.DTBits.Float())
		require.Equal(t, o.Mode, controller.Mode().String(), "observation %d", i)
		require.Equal(t, before != controller.Mode(), changed, "observation %d", i)
		require.Equal(t, o.SendRate, controller.SendRate(), "observation %d", i)
		require.Equal(t, o.Budget, controller.Budget(), "observation %d", i)
		require.Equal(t, o.WaitBits.Float(), controller.RecoverWait(), "observation %d", i)
		if changed {
			changes++
		}
	}
	return changes
}
