package session

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersAgainstAMap(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := numbers[uint32]{limit: 1 << 20}
		oracle := make(map[uint32]bool)
		base := []uint32{0, 1000, math.MaxUint32 - 40}[r.IntN(3)]
		for range 400 {
			n := base + uint32(r.IntN(41))
			require.Equal(t, !oracle[n], s.add(n), "seed %d: %d", seed, n)
			oracle[n] = true
			for i := range s.runs {
				require.LessOrEqual(t, s.runs[i].first, s.runs[i].last)
				require.True(t, i == 0 || s.runs[i-1].last+1 < s.runs[i].first, "runs that touch are one")
			}
			end, ok := s.end(base)
			require.Equal(t, oracle[base], ok)
			for n := base; ok && n < end; n++ {
				require.True(t, oracle[n])
			}
			require.False(t, ok && end != math.MaxUint32 && oracle[end+1])
		}
	}
}

func TestNumbersAreBounded(t *testing.T) {
	exact := numbers[uint64]{limit: 3}
	lossy := numbers[uint64]{limit: 3, lossy: true}
	for n := uint64(0); n < 100; n += 2 {
		require.Equal(t, n < 6, exact.add(n), "a fourth run is refused")
		require.True(t, lossy.add(n))
		require.LessOrEqual(t, len(lossy.runs), 3)
	}
	require.True(t, exact.add(1), "closing a gap is always possible")
	require.False(t, lossy.add(1), "the lowest gaps are closed")
	require.True(t, lossy.add(97), "the highest are not")
}
