package jitter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/jitter"
)

func TestMultiplier(t *testing.T) {
	var b jitter.Buffer
	require.Equal(t, jitter.Ceiling, b.Multiplier())
	b.Note(2)
	require.Equal(t, jitter.Ceiling, b.Multiplier(), "it cannot be more")
	for n := range 200 {
		b.Note(1)
		require.InDelta(t, max(jitter.Ceiling-0.02*float64(n+1), jitter.Floor), b.Multiplier(), 1e-9)
	}
	require.Equal(t, jitter.Floor, b.Multiplier())
	b.Note(2)
	require.Equal(t, 2.0, b.Multiplier())
	b.Note(1 << 31)
	require.Equal(t, jitter.Ceiling, b.Multiplier())
}

func TestDelay(t *testing.T) {
	low := jitter.Buffer{}
	for range 200 {
		low.Note(1)
	}
	for rate, want := range map[uint8][2]float64{ // with the ceiling, and with the floor
		0:   {1.5, 1.5}, // counts as 1
		1:   {1.5, 1.5}, // one has to have both snapshots
		3:   {0.5, 0.5},
		5:   {0.4, 0.3}, // half a second would be too long
		10:  {0.25, 0.15},
		20:  {0.125, 0.075},
		255: {2.5 / 255, 1.5 / 255},
	} {
		var high jitter.Buffer
		require.InDelta(t, want[0], high.Delay(rate), 1e-12, rate)
		require.InDelta(t, want[1], low.Delay(rate), 1e-12, rate)
	}
}
