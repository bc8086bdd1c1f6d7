package quant_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

func TestNothingAllocates(t *testing.T) {
	v, err := quant.NewVector([3]float32{-1000, -1000, -100}, [3]float32{1000, 1000, 100}, 8)
	require.NoError(t, err)
	nan := float32(math.NaN())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		codes, err := v.Encode([3]float32{1, -2, 3})
		if err != nil {
			panic(err)
		}
		if p, err := v.Decode(codes); err != nil || p != [3]float32{1, -2, 3} {
			panic("point differs")
		}
		for _, m := range modes {
			q := m.Decode(m.Encode([4]float32{0, 0, 1, 1}))
			index, parts := m.EncodeComponents(q)
			if _, err := m.DecodeComponents(index, parts); err != nil {
				panic(err)
			}
		}
		_, notANumber := v.Encode([3]float32{0, 0, nan})
		_, invalid := v.Decode([3]uint64{math.MaxUint64})
		if notANumber == nil || invalid == nil {
			panic("accepted")
		}
	}))
}
