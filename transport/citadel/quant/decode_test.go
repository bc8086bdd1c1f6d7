package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFraction compares the digits of all codes with a division.
func TestFraction(t *testing.T) {
	for _, m := range []QuatMode{Quat9, Quat10, Quat15} {
		for code := range m.top() + 1 {
			require.Equal(t, float64(code)/float64(m.top()), m.fraction(code), "%d of mode %d", code, m)
		}
		require.Equal(t, m.fraction(5), m.fraction(5|1<<m), "what is above the code does not count")
	}
}

// TestLengthIsNearlyOne is about what Decode does not divide by: it changes nothing as much as nearTie asks about.
func TestLengthIsNearlyOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for _, m := range []QuatMode{Quat9, Quat10, Quat15} {
		for range 20000 {
			x, y, z := m.component(rng.Uint64()), m.component(rng.Uint64()), m.component(rng.Uint64())
			left := 1 - (float64(x*x) + float64(y*y) + float64(z*z))
			if left <= 0 {
				continue
			}
			w := math.Sqrt(left)
			// The dropped component is the first or the last of the sum.
			for _, sum := range []float64{
				float64(w*w) + float64(x*x) + float64(y*y) + float64(z*z),
				float64(x*x) + float64(y*y) + float64(z*z) + float64(w*w),
			} {
				worst = max(worst, math.Abs(math.Sqrt(sum)-1))
			}
		}
	}
	require.NotZero(t, worst)
	require.LessOrEqual(t, worst, 0x1p-50)
}
