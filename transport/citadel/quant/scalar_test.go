package quant_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// The oracle computes with big floats of 53 bits, one rounding to each operation: so it cannot fuse two of them, and
// knows no machine.
func num(x float64) *big.Float { return new(big.Float).SetPrec(53).SetFloat64(x) }

func binary(op func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
	return op(new(big.Float).SetPrec(53), x, y)
}

func add(x, y *big.Float) *big.Float { return binary((*big.Float).Add, x, y) }
func sub(x, y *big.Float) *big.Float { return binary((*big.Float).Sub, x, y) }
func mul(x, y *big.Float) *big.Float { return binary((*big.Float).Mul, x, y) }
func quo(x, y *big.Float) *big.Float { return binary((*big.Float).Quo, x, y) }

// roundBig is floor(x + 0.5) for an x that is not negative.
func roundBig(x *big.Float) *big.Int {
	n, _ := add(x, num(0.5)).Int(nil)
	return n
}

func minBig(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// scalarOracle is the format's definition of a scalar.
type scalarOracle struct {
	min, max, perUnit float64
	steps             *big.Int
}

func newScalarOracle(min, max float32, perUnit uint32) scalarOracle {
	o := scalarOracle{min: float64(min), max: float64(max), perUnit: float64(perUnit)}
	o.steps = roundBig(mul(sub(num(o.max), num(o.min)), num(o.perUnit)))
	if o.steps.Sign() == 0 {
		o.steps.SetInt64(1)
	}
	return o
}

func (o scalarOracle) encode(v float32) uint64 {
	x := math.Max(o.min, math.Min(o.max, float64(v)))
	return minBig(o.steps, roundBig(mul(sub(num(x), num(o.min)), num(o.perUnit)))).Uint64()
}

func (o scalarOracle) decode(code uint64) float32 {
	c := new(big.Float).SetPrec(53).SetInt(new(big.Int).SetUint64(code))
	x, _ := add(num(o.min), quo(c, num(o.perUnit))).Float64()
	return float32(x)
}

// randomSpec returns bounds of all magnitudes, small ranges far from zero among them.
func randomSpec(rng *rand.Rand) (lo, hi float32, perUnit uint32) {
	for {
		scale := math.Ldexp(1, rng.IntN(50)-20)
		lo = float32((rng.Float64() - 0.5) * scale)
		hi = lo + float32(rng.Float64()*scale*math.Ldexp(1, -rng.IntN(20)))
		perUnit = uint32(rng.Uint64() >> (32 + rng.IntN(32)))
		if lo < hi && perUnit > 0 {
			return lo, hi, perUnit
		}
	}
}

func TestScalarAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	widths := map[uint]bool{}
	for range 600 {
		lo, hi, perUnit := randomSpec(rng)
		o := newScalarOracle(lo, hi, perUnit)
		s, err := quant.NewScalar(lo, hi, perUnit)
		if o.steps.BitLen() > 64 {
			require.ErrorIs(t, err, quant.ErrInvalidSpec)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, o.steps.Uint64(), s.MaxCode())
		require.Equal(t, uint(o.steps.BitLen()), s.Bits())
		widths[s.Bits()] = true
		values := []float32{lo, hi, math.Nextafter32(lo, hi), math.Nextafter32(hi, lo), lo + (hi-lo)/2}
		for range 10 {
			values = append(values, lo+float32(rng.Float64())*(hi-lo), lo+float32(rng.NormFloat64())*(hi-lo))
		}
		for _, v := range values {
			code, err := s.Encode(v)
			require.NoError(t, err)
			require.Equal(t, o.encode(v), code, "%g in [%g, %g] at %d", v, lo, hi, perUnit)
		}
		for _, code := range []uint64{0, 1, s.MaxCode(), s.MaxCode() - 1, rng.Uint64() % s.MaxCode(), rng.Uint64() % s.MaxCode()} {
			v, err := s.Decode(code)
			require.NoError(t, err)
			require.Equal(t, math.Float32bits(o.decode(code)), math.Float32bits(v), "%d of [%g, %g] at %d", code, lo, hi, perUnit)
		}
	}
	require.Greater(t, len(widths), 40, "specs of many widths: %v", widths)
}

// TestWideCodes is about codes from 2^52 on, where adding a half rounds to even, and about those above 2^63, which
// no signed integer holds.
func TestWideCodes(t *testing.T) {
	for _, c := range []struct {
		lo, hi  float32
		perUnit uint32
		bits    uint
	}{
		{0, 1 << 20, math.MaxUint32, 52},
		{0, 1<<20 + 1, math.MaxUint32, 53},
		{-1 << 20, 1 << 20, math.MaxUint32, 53},
		{0, 1 << 31, math.MaxUint32, 63},
		{0, 1 << 31, 1 << 31, 63},
		{0, 1 << 32, 1 << 31, 64},
		{-1 << 31, 1 << 31, math.MaxUint32, 64},
		{0, 1 << 32, math.MaxUint32, 64},
		{0, math.Nextafter32(1<<33, 0), 1 << 31, 64},
		{0, math.Nextafter32(1<<64, 0), 1, 64},
	} {
		o := newScalarOracle(c.lo, c.hi, c.perUnit)
		s, err := quant.NewScalar(c.lo, c.hi, c.perUnit)
		require.NoError(t, err)
		require.Equal(t, c.bits, s.Bits(), "%v", c)
		v := c.hi
		for range 500 {
			code, err := s.Encode(v)
			require.NoError(t, err)
			require.Equal(t, o.encode(v), code)
			require.LessOrEqual(t, code, s.MaxCode())
			back, err := s.Decode(code)
			require.NoError(t, err)
			require.Equal(t, o.decode(code), back)
			v = math.Nextafter32(v, c.lo)
		}
		for near := range uint64(500) {
			for _, code := range []uint64{s.MaxCode() - near, s.MaxCode()/2 - near, 1<<52 + near} {
				if code > s.MaxCode() {
					continue
				}
				back, err := s.Decode(code)
				require.NoError(t, err)
				require.Equal(t, o.decode(code), back)
			}
		}
		_, err = s.Decode(s.MaxCode() + 1)
		require.ErrorIs(t, err, quant.ErrInvalidCode)
		_, err = s.Decode(math.MaxUint64)
		require.ErrorIs(t, err, quant.ErrInvalidCode)
	}
}

func TestNewScalarRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		lo, hi  float32
		perUnit uint32
	}{
		{0, 0, 1}, {1, 1, 1}, {1, 0, 1}, {0, float32(math.Copysign(0, -1)), 1}, {0, 1, 0},
		{nan, 1, 1}, {0, nan, 1}, {nan, nan, 1}, {-inf, 1, 1}, {0, inf, 1}, {-inf, inf, 1}, {inf, inf, 1}, {inf, -inf, 1},
		// From 2^64-1 steps on. No float lies between 2^64-2048 and 2^64.
		{0, 1 << 64, 1},
		{-1 << 63, 1 << 63, 1},
		{0, 1 << 33, 1 << 31},
		{0, math.Nextafter32(1<<33, 1<<34), 1 << 31},
		{0, math.Nextafter32(1<<32, 1<<33), math.MaxUint32},
		{-math.MaxFloat32, math.MaxFloat32, 1},
		{-math.MaxFloat32, math.MaxFloat32, math.MaxUint32},
	} {
		s, err := quant.NewScalar(c.lo, c.hi, c.perUnit)
		require.ErrorIs(t, err, quant.ErrInvalidSpec, "%v", c)
		require.Zero(t, s)
		_, err = quant.NewVector([3]float32{0, 0, c.lo}, [3]float32{1e4, 1e4, c.hi}, c.perUnit)
		require.ErrorIs(t, err, quant.ErrInvalidSpec, "%v", c)
	}

	_, err := quant.NewVector([3]float32{0, 2, 0}, [3]float32{1, 1, 1}, 8)
	require.ErrorContains(t, err, "axis y")
}

// TestTopOfRange is about the greatest number of a range, which must have the largest code and not the one after it.
func TestTopOfRange(t *testing.T) {
	for width := uint(1); width <= 32; width++ {
		for _, steps := range []uint64{1<<width - 1, 1 << (width - 1), 1<<(width-1) + 1, 1<<width - 2} {
			if steps == 0 || steps >= 1<<width || steps < 1<<(width-1) {
				continue
			}
			for _, perUnit := range []uint32{1, 3, 10, 128, 1000, 1<<24 - 1, 1<<24 + 1, math.MaxUint32} {
				hi := float32(float64(steps) / float64(perUnit)) // may be a little off a whole number of steps, up or down
				for _, lo := range []float32{0, -hi, -hi / 3} {
					checkTop(t, lo, hi, perUnit)
				}
			}
		}
	}
	// Step counts around the largest float32 that has the next one beside it, odd ones among them.
	for d := range uint32(9) {
		steps := float32(1<<24 - 4 + d)
		checkTop(t, 0, steps, 1)
		checkTop(t, -1, steps-1, 1)
		checkTop(t, 0, steps/1024, 1024)
		checkTop(t, -steps/2, steps/2, 1)
	}
}

func checkTop(t *testing.T, lo, hi float32, perUnit uint32) {
	t.Helper()
	s, err := quant.NewScalar(lo, hi, perUnit)
	require.NoError(t, err)
	o := newScalarOracle(lo, hi, perUnit)
	inf := float32(math.Inf(1))
	for _, v := range []float32{hi, math.Nextafter32(hi, lo), math.Nextafter32(hi, inf), hi + 1, math.MaxFloat32, inf} {
		code, err := s.Encode(v)
		require.NoError(t, err)
		require.Equal(t, o.encode(v), code)
		require.LessOrEqual(t, code, s.MaxCode(), "%g in [%g, %g] at %d", v, lo, hi, perUnit)
		if v >= hi && (float64(hi)-float64(lo))*float64(perUnit) >= 0.5 {
			require.Equal(t, s.MaxCode(), code, "%g in [%g, %g] at %d", v, lo, hi, perUnit)
		}
		_, err = s.Decode(code)
		require.NoError(t, err)
	}
	for _, v := range []float32{lo, math.Nextafter32(lo, -inf), -math.MaxFloat32, -inf} {
		code, err := s.Encode(v)
		require.NoError(t, err)
		require.Zero(t, code)
	}
	least, err := s.Decode(0)
	require.NoError(t, err)
	require.Equal(t, lo, least)
}

// TestForcedStep is a range smaller than a step: the one step reaches beyond it.
func TestForcedStep(t *testing.T) {
	s, err := quant.NewScalar(0, 0.4, 1)
	require.NoError(t, err)
	require.Equal(t, uint(1), s.Bits())
	require.Equal(t, uint64(1), s.MaxCode())
	v, err := s.Decode(1)
	require.NoError(t, err)
	require.Equal(t, float32(1), v)
	for _, v := range []float32{0, 0.2, 0.4, 1, float32(math.Inf(1))} {
		code, err := s.Encode(v)
		require.NoError(t, err)
		require.Zero(t, code)
	}
}

func TestNotANumber(t *testing.T) {
	v, err := quant.NewVector([3]float32{-1, -1, -1}, [3]float32{1, 1, 1}, 100)
	require.NoError(t, err)
	for _, bits := range []uint32{0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff} {
		nan := math.Float32frombits(bits)
		code, err := v[0].Encode(nan)
		require.ErrorIs(t, err, quant.ErrNotANumber)
		require.Zero(t, code)
		for axis := range 3 {
			p := [3]float32{1, 1, 1}
			p[axis] = nan
			codes, err := v.Encode(p)
			require.ErrorIs(t, err, quant.ErrNotANumber)
			require.Zero(t, codes, "nothing of a bad point is encoded")
		}
	}
	for axis := range 3 {
		codes := [3]uint64{1, 1, 1}
		codes[axis] = v[axis].MaxCode() + 1
		p, err := v.Decode(codes)
		require.ErrorIs(t, err, quant.ErrInvalidCode)
		require.Zero(t, p)
	}
}

// TestScalarError bounds the error: half a step, and what float32 cannot hold of it.
func TestScalarError(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	worst := 0.0
	for range 500 {
		lo, hi, perUnit := randomSpec(rng)
		s, err := quant.NewScalar(lo, hi, perUnit)
		steps := (float64(hi) - float64(lo)) * float64(perUnit)
		if err != nil || steps < 1 {
			continue
		}
		largest := float32(max(math.Abs(float64(lo)), math.Abs(float64(hi))))
		narrowing := float64(math.Nextafter32(largest, float32(math.Inf(1)))-largest) / 2
		half := 0.5 / float64(perUnit)
		previous := uint64(0)
		for i := range 20 {
			v := lo + float32(float64(i)/19*(float64(hi)-float64(lo)))
			v = min(max(v, lo), hi)
			code, err := s.Encode(v)
			require.NoError(t, err)
			require.GreaterOrEqual(t, code, previous, "larger numbers have larger codes")
			previous = code
			got, err := s.Decode(code)
			require.NoError(t, err)
			off := math.Abs(float64(got) - float64(v))
			require.LessOrEqual(t, off, (half+narrowing)*(1+1e-6), "%g in [%g, %g] at %d", v, lo, hi, perUnit)
			worst = max(worst, off/(half+narrowing))

			// A code that float32 is fine enough for comes back.
			if narrowing < half/2 {
				again, err := s.Encode(got)
				require.NoError(t, err)
				require.Equal(t, code, again, "%g in [%g, %g] at %d", v, lo, hi, perUnit)
			}
		}
	}
	require.Greater(t, worst, 0.9, "the bound is tight")
}

func TestZeroScalar(t *testing.T) {
	var s quant.Scalar
	require.Zero(t, s.Bits())
	require.Zero(t, s.MaxCode())
	for _, v := range []float32{0, 1, -1, float32(math.Inf(1)), float32(math.Inf(-1))} {
		code, err := s.Encode(v)
		require.NoError(t, err)
		require.Zero(t, code)
	}
	for _, code := range []uint64{0, 1, math.MaxUint64} {
		_, err := s.Decode(code)
		require.ErrorIs(t, err, quant.ErrInvalidCode)
	}
}
