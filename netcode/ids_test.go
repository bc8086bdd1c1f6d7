package netcode_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// edges are the places where 64-bit arithmetic wraps, and their neighbours.
var edges = []int64{
	math.MinInt64, math.MinInt64 + 1, math.MinInt64 / 2, math.MinInt32, -2, -1, 0, 1, 2,
	math.MaxInt32, math.MaxInt64/2 + 1, math.MaxInt64 - 1, math.MaxInt64,
}

func TestStepArithmetic(t *testing.T) {
	for _, c := range []struct {
		s   netcode.Step
		n   int64
		sum netcode.Step
		ok  bool
	}{
		{0, 0, 0, true},
		{-3, 5, 2, true},
		{netcode.MaxStep, 1, netcode.MaxStep, false},
		{netcode.MinStep, -1, netcode.MinStep, false},
		{netcode.MaxStep, math.MinInt64, -1, true},
		{netcode.MinStep, math.MaxInt64, -1, true},
		{-1, math.MinInt64, -1, false},
	} {
		sum, ok := c.s.Add(c.n)
		require.Equal(t, c.ok, ok, "%d + %d", c.s, c.n)
		require.Equal(t, c.sum, sum, "%d + %d", c.s, c.n)
	}
	require.Equal(t, int64(7), netcode.Step(4).Sub(-3))
	require.Equal(t, int64(-7), netcode.Step(-3).Sub(4))
	require.Equal(t, int64(math.MaxInt64), netcode.MaxStep.Sub(netcode.MinStep))
	require.Equal(t, int64(math.MinInt64), netcode.MinStep.Sub(netcode.MaxStep))
}

// Arithmetic without limits is the oracle for every pair of edges.
func TestStepArithmeticAgainstBigInt(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			s := netcode.Step(a)

			exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
			sum, ok := s.Add(b)
			require.Equal(t, exact.IsInt64(), ok, "%d + %d", a, b)
			if ok {
				require.Equal(t, exact.Int64(), int64(sum), "%d + %d", a, b)
			} else {
				require.Equal(t, s, sum, "%d + %d", a, b)
			}

			exact.Sub(big.NewInt(a), big.NewInt(b))
			want := int64(math.MaxInt64)
			if exact.IsInt64() {
				want = exact.Int64()
			} else if exact.Sign() < 0 {
				want = math.MinInt64
			}
			require.Equal(t, want, s.Sub(netcode.Step(b)), "%d - %d", a, b)
		}
	}
}

func TestSequenceNext(t *testing.T) {
	for s, want := range map[netcode.Sequence]netcode.Sequence{
		0: 1, 41: 42, math.MaxUint32: math.MaxUint32 + 1, netcode.MaxSequence - 1: netcode.MaxSequence,
	} {
		next, err := s.Next()
		require.NoError(t, err)
		require.Equal(t, want, next)
	}
	next, err := netcode.MaxSequence.Next()
	require.ErrorIs(t, err, netcode.ErrSequenceExhausted)
	require.Equal(t, netcode.MaxSequence, next, "an exhausted counter stays where it is")
}

func TestOrderNext(t *testing.T) {
	for o, want := range map[netcode.Order]netcode.Order{
		0: 1, 41: 42, netcode.MaxOrder - 1: netcode.MaxOrder,
	} {
		next, err := o.Next()
		require.NoError(t, err)
		require.Equal(t, want, next)
	}
	next, err := netcode.MaxOrder.Next()
	require.ErrorIs(t, err, netcode.ErrOrderExhausted)
	require.Equal(t, netcode.MaxOrder, next, "an exhausted counter stays where it is")
}

func TestTypeIDString(t *testing.T) {
	require.Equal(t, "0x4D415A4500000003", netcode.TypeID(5566829866805886979).String())
	require.Equal(t, "0x0000000000000000", netcode.TypeID(0).String())
}
