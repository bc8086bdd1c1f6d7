package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

var modes = []quant.QuatMode{quant.Quat9, quant.Quat10, quant.Quat15}

const sqrtHalf = math.Sqrt2 / 2

// encodeOracle is the format's definition, word for word: all four divisions first, and floors and clamps.
func encodeOracle(m quant.QuatMode, q [4]float32) (index uint8, codes [3]uint32) {
	var c [4]float64
	sum := 0.0
	for i, v := range q {
		c[i] = float64(v)
		sum += float64(c[i] * c[i])
	}
	norm := math.Sqrt(sum)
	if math.IsNaN(norm) || math.IsInf(norm, 0) || norm < 1e-6 {
		c, norm = [4]float64{0, 0, 0, 1}, 1
	}
	for i := range c {
		c[i] /= norm
		if math.Abs(c[i]) > math.Abs(c[index]) {
			index = uint8(i)
		}
	}
	negative := c[index] < 0
	top := math.Exp2(float64(m)) - 1
	kept := codes[:0]
	for i, v := range c {
		if i == int(index) {
			continue
		}
		if negative {
			v = -v
		}
		scaled := (v + sqrtHalf) / (2 * sqrtHalf)
		scaled *= top
		kept = append(kept, uint32(max(0, min(top, math.Floor(scaled+0.5)))))
	}
	return index, codes
}

func decodeOracle(m quant.QuatMode, index uint8, codes [3]uint32) [4]float32 {
	top := math.Exp2(float64(m)) - 1
	var c [4]float64
	sum := 0.0
	k := 0
	for i := range c {
		if i == int(index) {
			continue
		}
		v := float64(codes[k]) / top
		v *= 2 * sqrtHalf
		c[i] = v - sqrtHalf
		sum += float64(c[i] * c[i])
		k++
	}
	c[index] = math.Sqrt(max(0, 1-sum))
	sum = 0
	for _, v := range c {
		sum += float64(v * v)
	}
	var q [4]float32
	for i, v := range c {
		q[i] = float32(v / math.Sqrt(sum))
	}
	return q
}

func bits4(q [4]float32) (b [4]uint32) {
	for i, v := range q {
		b[i] = math.Float32bits(v)
	}
	return b
}

// checkQuatOracle compares every way into and out of the codes of a mode.
func checkQuatOracle(t *testing.T, m quant.QuatMode, q [4]float32) (code uint64) {
	t.Helper()
	wantIndex, wantCodes := encodeOracle(m, q)
	index, codes := m.EncodeComponents(q)
	require.Equal(t, wantIndex, index, "%v in mode %d", q, m)
	require.Equal(t, wantCodes, codes, "%v in mode %d", q, m)
	code = m.Encode(q)
	require.Equal(t, uint64(index)<<(3*m)|uint64(codes[0])<<(2*m)|uint64(codes[1])<<m|uint64(codes[2]), code)
	require.Zero(t, code>>m.Bits())
	checkQuatDecode(t, m, code)
	return code
}

func checkQuatDecode(t *testing.T, m quant.QuatMode, code uint64) [4]float32 {
	t.Helper()
	top := uint64(1)<<m - 1
	index := uint8(code >> (3 * m) & 3)
	codes := [3]uint32{uint32(code >> (2 * m) & top), uint32(code >> m & top), uint32(code & top)}
	want := decodeOracle(m, index, codes)
	got := m.Decode(code)
	require.Equal(t, bits4(want), bits4(got), "code %x of mode %d", code, m)
	apart, err := m.DecodeComponents(index, codes)
	require.NoError(t, err)
	require.Equal(t, bits4(got), bits4(apart))
	require.InDelta(t, 1, length(got), 1e-6, "code %x of mode %d", code, m)
	return got
}

func length(q [4]float32) float64 {
	sum := 0.0
	for _, v := range q {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// angle returns the angle between two rotations, in radians. The quaternions need not be of length one.
func angle(p, q [4]float32) float64 {
	lp, lq := length(p), length(q)
	near, far := 0.0, 0.0
	for i := range p {
		a, b := float64(p[i])/lp, float64(q[i])/lq
		near += (a - b) * (a - b)
		far += (a + b) * (a + b)
	}
	return 4 * math.Asin(math.Sqrt(min(near, far, 2))/2)
}

func randomQuat(rng *rand.Rand) (q [4]float32) {
	for i := range q {
		q[i] = float32(rng.NormFloat64())
	}
	return q
}

func TestQuatAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1500 {
		q := randomQuat(rng)
		switch rng.IntN(4) {
		case 0: // of any length
			for i := range q {
				q[i] *= float32(math.Ldexp(1, rng.IntN(100)-50))
			}
		case 1: // any floats at all
			for i := range q {
				q[i] = math.Float32frombits(rng.Uint32())
			}
		case 2: // nearly equal components
			for i := range q {
				q[i] = math.Float32frombits(math.Float32bits(0.5)+uint32(rng.IntN(3))) * float32(rng.IntN(2)*2-1)
			}
		}
		for _, m := range modes {
			checkQuatOracle(t, m, q)
			checkQuatDecode(t, m, rng.Uint64()&(1<<m.Bits()-1))
		}
	}
}

// TestQuatNextToTies is about components that are next to where the code changes, or where a decoded float32 does:
// what is computed with less precision than the format's must not be believed there.
func TestQuatNextToTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, m := range modes {
		top := uint64(1)<<m - 1
		for i := range 6000 {
			// One component is in the middle between two codes and one has any value; what they leave is the others'.
			var q [4]float64
			at := rng.IntN(4)
			q[at] = ((float64(rng.Uint64()%top)+0.5)/float64(top)*2 - 1) * sqrtHalf
			left := 1 - q[at]*q[at]
			q[(at+1)%4] = (2*rng.Float64() - 1) * math.Sqrt(left/2) * float64(i%2)
			left -= q[(at+1)%4] * q[(at+1)%4]
			angle := rng.Float64() * 2 * math.Pi
			q[(at+2)%4], q[(at+3)%4] = math.Sqrt(left)*math.Cos(angle), math.Sqrt(left)*math.Sin(angle)
			scale := []float64{1, -1, 1.5, 30, 0.04}[i%5]
			var p [4]float32
			for k := range p {
				p[k] = float32(q[k] * scale)
			}
			for range 3 {
				index, codes := encodeOracle(m, p)
				gotIndex, gotCodes := m.EncodeComponents(p)
				if index != gotIndex || codes != gotCodes {
					require.Equal(t, codes, gotCodes, "%v in mode %d", p, m)
				}
				p[at] = math.Nextafter32(p[at], 2*p[at])
			}
		}
		for range 20000 {
			code := rng.Uint64() & (1<<m.Bits() - 1)
			index, codes := uint8(code>>(3*m)), [3]uint32{uint32(code >> (2 * m) & top), uint32(code >> m & top), uint32(code & top)}
			if want, got := decodeOracle(m, index, codes), m.Decode(code); bits4(want) != bits4(got) {
				require.Equal(t, want, got, "code %x of mode %d", code, m)
			}
		}
	}
}

// TestQuatError bounds the angle between a rotation and what comes of it. With d half a step of a component,
// sqrt(1/2)/top, an error of d in all three kept components does most harm where all four are equal: it is then
// twice as long as the error of the kept ones, 2*sqrt(3)*d, and the angle is twice that.
func TestQuatError(t *testing.T) {
	bounds := map[quant.QuatMode]float64{quant.Quat9: 0.55, quant.Quat10: 0.275, quant.Quat15: 0.0087} // degrees
	rng := rand.New(rand.NewPCG(2, 2))
	for _, m := range modes {
		bound := 4 * math.Sqrt(3) * sqrtHalf / (math.Exp2(float64(m)) - 1)
		require.InEpsilon(t, bounds[m]*math.Pi/180, bound, 0.02, "the bound that the documentation gives")
		worst := 0.0
		for i := range 50000 {
			q := randomQuat(rng)
			if i%2 == 0 {
				for k := range q {
					q[k] = float32(0.5*float64(rng.IntN(2)*2-1) + 0.01*rng.NormFloat64())
				}
			}
			worst = max(worst, angle(q, m.Decode(m.Encode(q))))
		}
		require.LessOrEqual(t, worst, bound+1e-6, "mode %d", m)
		require.Greater(t, worst, 0.8*bound, "mode %d: the bound is tight", m)
	}
}

// TestQuatSign: a rotation keeps its sense whichever component is dropped and whatever its sign, and both quaternions
// of a rotation have one code.
func TestQuatSign(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	met := map[[2]int]bool{}
	for range 1500 {
		q := randomQuat(rng)
		minus := [4]float32{-q[0], -q[1], -q[2], -q[3]}
		index, _ := quant.Quat15.EncodeComponents(q)
		negative := 0
		if q[index] < 0 {
			negative = 1
		}
		met[[2]int{int(index), negative}] = true
		for _, m := range modes {
			code := checkQuatOracle(t, m, q)
			require.Equal(t, code, m.Encode(minus))
			got := m.Decode(code)
			require.Greater(t, got[index], float32(0), "the dropped component is positive")
			require.Less(t, angle(q, got), 0.01)
		}
	}
	require.Len(t, met, 8, "each component was dropped with both signs")
}

// TestQuatTies: of several largest components the first is dropped, whatever their signs.
func TestQuatTies(t *testing.T) {
	for tied := 1; tied < 16; tied++ {
		for signs := range 16 {
			for _, size := range []float32{1e-38, 0.5, 1e30} {
				var q [4]float32
				first := -1
				for i := range q {
					q[i] = size / 2
					if tied>>i&1 == 1 {
						q[i] = size
						if first < 0 {
							first = i
						}
					}
					if signs>>i&1 == 1 {
						q[i] = -q[i]
					}
				}
				if size < 1e-6 {
					first = 3 // too short: the identity
				}
				for _, m := range modes {
					index, _ := m.EncodeComponents(q)
					require.Equal(t, uint8(first), index, "%v", q)
					checkQuatOracle(t, m, q)
				}
				// One float away from a tie there is none.
				for i := range q {
					q[i] = math.Nextafter32(q[i], 0)
					for _, m := range modes {
						checkQuatOracle(t, m, q)
					}
				}
			}
		}
	}
}

// TestQuatTooLong: three components whose squares sum to more than one leave nothing for the dropped one, and the
// result is still of length one.
func TestQuatTooLong(t *testing.T) {
	for _, m := range modes {
		top := uint64(1)<<m - 1
		for index := range uint64(4) {
			for _, a := range []uint64{0, 1, top - 1, top} {
				for _, b := range []uint64{0, 1, top - 1, top} {
					for _, c := range []uint64{0, 1, top - 1, top} {
						code := index<<(3*m) | a<<(2*m) | b<<m | c
						q := checkQuatDecode(t, m, code)
						require.Zero(t, q[index])
						require.Less(t, angle(q, m.Decode(m.Encode(q))), 0.01)
					}
				}
			}
		}
	}
}

func TestQuatWithoutDirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	minus0 := float32(math.Copysign(0, -1))
	tiny := math.Float32frombits(1)
	for _, q := range [][4]float32{
		{}, {minus0, minus0, minus0, minus0}, {tiny, tiny, tiny, tiny}, {-tiny, 0, 0, 0},
		{1e-6, 0, 0, 0}, // as a float32 it is a little less
		{0, math.Nextafter32(1e-6, 0), 0, 0},
		{nan, 0, 0, 1}, {0, 0, 0, nan}, {nan, nan, nan, nan}, {nan, inf, 0, 0}, {math.Float32frombits(0xffc00001), 1, 1, 1},
		{inf, 0, 0, 0}, {0, 0, 0, -inf}, {inf, -inf, 1, 0}, {inf, inf, inf, inf},
	} {
		for _, m := range modes {
			require.Equal(t, m.Encode([4]float32{0, 0, 0, 1}), m.Encode(q), "%v", q)
			checkQuatOracle(t, m, q)
		}
	}
	// What has a direction keeps it, however short or long it is.
	for _, v := range []float32{math.Nextafter32(1e-6, 1), 1e-5, 1e20, math.MaxFloat32} {
		for i := range 4 {
			var q [4]float32
			q[i] = v
			for _, m := range modes {
				index, _ := m.EncodeComponents(q)
				require.Equal(t, uint8(i), index, "%v", q)
				checkQuatOracle(t, m, q)
				checkQuatOracle(t, m, [4]float32{v, v, v, v})
				checkQuatOracle(t, m, [4]float32{v, -tiny, minus0, tiny})
			}
		}
	}
}

// TestQuatReencoding: a decoded quaternion has its code again, unless that code dropped a component that is not the
// largest; and the code that it has then is one that comes back.
func TestQuatReencoding(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, m := range modes {
		same, other := 0, 0
		for range 4000 {
			code := rng.Uint64() & (1<<m.Bits() - 1)
			q := m.Decode(code)
			dropped := uint8(code >> (3 * m))
			index, _ := m.EncodeComponents(q)
			again := m.Encode(q)
			if index == dropped {
				require.Equal(t, code, again, "mode %d", m)
				same++
			} else {
				require.Less(t, angle(q, m.Decode(again)), 0.01)
				other++
			}
		}
		require.Greater(t, same, 1000)
		require.Greater(t, other, 1000)
	}
}

func TestQuatModes(t *testing.T) {
	for i := range 256 {
		m := quant.QuatMode(i)
		if m == quant.Quat9 || m == quant.Quat10 || m == quant.Quat15 {
			require.NoError(t, m.Check())
			require.Equal(t, 2+3*uint(i), m.Bits())
			continue
		}
		require.ErrorIs(t, m.Check(), quant.ErrInvalidSpec)
		require.Zero(t, m.Bits())
		for _, q := range [][4]float32{{}, {1, 2, 3, 4}, {-1, 0, 0, 0}, {float32(math.NaN()), 0, 0, 0}} {
			require.Zero(t, m.Encode(q))
			index, codes := m.EncodeComponents(q)
			require.Zero(t, index)
			require.Zero(t, codes)
		}
		for _, code := range []uint64{0, 1, 0xffffffff, math.MaxUint64} {
			require.Equal(t, [4]float32{0, 0, 0, 1}, m.Decode(code))
		}
		_, err := m.DecodeComponents(0, [3]uint32{})
		require.ErrorIs(t, err, quant.ErrInvalidSpec)
	}
}

func TestQuatInvalidComponents(t *testing.T) {
	for _, m := range modes {
		top := uint32(1)<<m - 1
		_, err := m.DecodeComponents(3, [3]uint32{top, top, top})
		require.NoError(t, err)
		for _, bad := range []uint32{top + 1, 1 << 31, math.MaxUint32} {
			for i := range 3 {
				codes := [3]uint32{1, 1, 1}
				codes[i] = bad
				q, err := m.DecodeComponents(0, codes)
				require.ErrorIs(t, err, quant.ErrInvalidCode)
				require.Zero(t, q)
			}
		}
		_, err = m.DecodeComponents(4, [3]uint32{})
		require.ErrorIs(t, err, quant.ErrInvalidCode)
		_, err = m.DecodeComponents(255, [3]uint32{})
		require.ErrorIs(t, err, quant.ErrInvalidCode)

		// Whoever reads exactly Bits bits has no others; if there are any, they are ignored.
		require.Equal(t, m.Decode(7), m.Decode(7|uint64(math.MaxUint64)<<m.Bits()))
	}
}

// TestQuatNotFused has codes that decode to something else if a product and the sum that it goes into are rounded
// together, as some processors can: the first three if that happens to a component, the others if it happens to the
// squares. They are rare.
func TestQuatNotFused(t *testing.T) {
	for _, c := range []struct {
		codes [3]uint32
		want  [4]uint32
	}{
		{[3]uint32{476, 25100, 30799}, [4]uint32{0xbf2fc294, 0x3ec09d7a, 0x3f1f4670, 0x3b533530}},
		{[3]uint32{30568, 1737, 27388}, [4]uint32{0x3f1cb90d, 0xbf21d3d2, 0x3ef32cc1, 0x3bc390c0}},
		{[3]uint32{31879, 1463, 24992}, [4]uint32{0x3f2b353b, 0xbf24dad6, 0x3ebe3a84, 0x397f017e}},
		{[3]uint32{32086, 22751, 32186}, [4]uint32{0x3f2d7ebb, 0x3e8cb51e, 0x3f2e9995, 0x3b533531}},
		{[3]uint32{29247, 31316, 28565}, [4]uint32{0x3f0e2095, 0x3f24fcc7, 0x3f069789, 0x3927d085}},
		{[3]uint32{111, 29104, 26882}, [4]uint32{0xbf33cafc, 0x3f0c8c1b, 0x3ee7fe4c, 0x3ba8eaf9}},
	} {
		got, err := quant.Quat15.DecodeComponents(3, c.codes)
		require.NoError(t, err)
		require.Equal(t, c.want, bits4(got), "%v", c.codes)
	}
}
