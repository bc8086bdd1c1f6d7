package quant_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// FuzzQuant takes a hostile hello's bounds, and any numbers and codes: nothing panics, codes fit their widths, and the
// results are those of the oracles.
func FuzzQuant(f *testing.F) {
	bits := math.Float32bits
	f.Add(bits(-262144), bits(262144), uint32(8), uint64(4194304), bits(1), bits(-0.5), bits(0), bits(0.25))
	f.Add(bits(0), bits(math.Nextafter32(1<<64, 0)), uint32(1), uint64(math.MaxUint64), bits(1<<63), bits(1), bits(1), bits(1))
	f.Add(bits(0), bits(1<<32), uint32(math.MaxUint32), uint64(1<<63), uint32(0x7f800000), uint32(0xff800001), uint32(1), uint32(0x80000000))
	f.Add(bits(0), bits(0.4), uint32(1), uint64(1), bits(0.4), bits(1e-6), bits(0), bits(0))
	f.Add(uint32(0x7fc00000), bits(-math.MaxFloat32), uint32(0), uint64(1<<52), uint32(0xffffffff), bits(math.MaxFloat32), bits(-1), bits(1))
	f.Fuzz(func(t *testing.T, lo, hi, perUnit uint32, code uint64, x, y, z, w uint32) {
		q := [4]float32{math.Float32frombits(x), math.Float32frombits(y), math.Float32frombits(z), math.Float32frombits(w)}
		for _, m := range modes {
			checkQuatOracle(t, m, q)
			checkQuatDecode(t, m, code&(1<<m.Bits()-1))
		}

		least, most := math.Float32frombits(lo), math.Float32frombits(hi)
		s, err := quant.NewScalar(least, most, perUnit)
		if err != nil {
			require.ErrorIs(t, err, quant.ErrInvalidSpec)
			return
		}
		o := newScalarOracle(least, most, perUnit)
		require.Equal(t, o.steps.Uint64(), s.MaxCode())
		for _, v := range q {
			got, err := s.Encode(v)
			if v != v {
				require.ErrorIs(t, err, quant.ErrNotANumber)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, o.encode(v), got)
			require.LessOrEqual(t, got, s.MaxCode())
		}
		got, err := s.Decode(code)
		if code > s.MaxCode() {
			require.ErrorIs(t, err, quant.ErrInvalidCode)
			return
		}
		require.NoError(t, err)
		require.Equal(t, math.Float32bits(o.decode(code)), math.Float32bits(got))
		require.False(t, math.IsInf(float64(got), 0))
	})
}
