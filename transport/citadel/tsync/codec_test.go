package tsync_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// wideHello has the widest axes that there are: positions of 64, 63 and 2 bits.
func wideHello() tsync.Hello {
	h := tsync.DefaultHello()
	h.Position = tsync.Bounds{
		Min:     [3]float32{-0x1p31, 0, 0},
		Max:     [3]float32{0x1p30, 0x1p31, 0x1p-31},
		PerUnit: math.MaxUint32,
	}
	h.Velocity = tsync.Bounds{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 100, 0x1p31}, PerUnit: 1}
	h.Quat = quant.Quat15
	return h
}

// hellos are the shapes of codecs that the tests go through: positions and velocities that fit one write, two, and
// neither.
func hellos() map[string]tsync.Hello {
	nine := tsync.DefaultHello()
	nine.Quat = quant.Quat9
	nine.Velocity, nine.Velocity.PerUnit = nine.Position, 9
	return map[string]tsync.Hello{
		"default": tsync.DefaultHello(), "compact": compactHello(), "wide": wideHello(), "nine": nine,
	}
}

func axisBits(v quant.Vector) [3]uint { return [3]uint{v[0].Bits(), v[1].Bits(), v[2].Bits()} }

func TestCodecWidths(t *testing.T) {
	for name, want := range map[string]struct {
		position, velocity [3]uint
		rotation, all      uint
	}{
		"default": {[3]uint{23, 23, 20}, [3]uint{19, 19, 19}, 32, 52 + 66 + 57 + 32 + 32},
		"compact": {[3]uint{18, 18, 18}, [3]uint{19, 19, 19}, 32, 52 + 54 + 57 + 32 + 32},
		"wide":    {[3]uint{64, 63, 2}, [3]uint{1, 7, 32}, 47, 52 + 129 + 40 + 47 + 32},
	} {
		t.Run(name, func(t *testing.T) {
			h := hellos()[name]
			c := newCodec(t, h)
			require.Equal(t, h, c.Hello())
			require.Equal(t, want.position, axisBits(c.Position()))
			require.Equal(t, want.velocity, axisBits(c.Velocity()))
			require.Equal(t, want.rotation, c.RotationBits())
			require.Equal(t, want.all, c.UpdateBits(tsync.StateFields|tsync.FieldInputSeq))
			require.Equal(t, uint(52), c.UpdateBits(0))
			require.Equal(t, 52+c.PositionBits(), c.UpdateBits(tsync.FieldPosition))
			require.Equal(t, 52+c.RotationBits(), c.UpdateBits(tsync.FieldRotation))
			require.Equal(t, 52+c.VelocityBits(), c.UpdateBits(tsync.FieldVelocity))
			require.Equal(t, uint(84), c.UpdateBits(tsync.FieldInputSeq))
		})
	}
}

func TestNewCodecRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(h *tsync.Hello){
		"position NaN":       func(h *tsync.Hello) { h.Position.Min[2] = nan },
		"position infinite":  func(h *tsync.Hello) { h.Position.Max[0] = inf },
		"position reversed":  func(h *tsync.Hello) { h.Position.Min, h.Position.Max = h.Position.Max, h.Position.Min },
		"position undivided": func(h *tsync.Hello) { h.Position.PerUnit = 0 },
		"position too fine": func(h *tsync.Hello) {
			h.Position.Max[1], h.Position.PerUnit = math.MaxFloat32, math.MaxUint32
		},
		"velocity empty":     func(h *tsync.Hello) { h.Velocity.Max[1] = h.Velocity.Min[1] },
		"velocity undivided": func(h *tsync.Hello) { h.Velocity.PerUnit = 0 },
		"quaternion of 11":   func(h *tsync.Hello) { h.Quat = 11 },
		"nothing":            func(h *tsync.Hello) { *h = tsync.Hello{} },
	} {
		t.Run(name, func(t *testing.T) {
			h := tsync.DefaultHello()
			change(&h)
			c, err := tsync.NewCodec(h)
			require.ErrorIs(t, err, quant.ErrInvalidSpec)
			require.Nil(t, c)
		})
	}
}

// TestQuantizeError holds what comes back to half a step of what went in, and codes to what comes back.
func TestQuantizeError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"default", "compact", "nine"} {
		t.Run(name, func(t *testing.T) {
			h := hellos()[name]
			c := newCodec(t, h)
			for range 2000 {
				s := randomState(rng, h)
				var codes, again tsync.Codes
				var got tsync.State
				require.NoError(t, c.Quantize(&s, tsync.StateFields, &codes))
				c.Dequantize(&codes, tsync.StateFields, &got)
				requireNear(t, h.Position, s.Position, got.Position)
				requireNear(t, h.Velocity, s.Velocity, got.Velocity)
				requireSameRotation(t, h.Quat, s.Rotation, got.Rotation)

				require.NoError(t, c.Quantize(&got, tsync.StateFields, &again))
				require.Zero(t, again.Changed(&codes)&^tsync.FieldRotation, "%v", s)
			}
		})
	}
}

func randomState(rng *rand.Rand, h tsync.Hello) (s tsync.State) {
	in := func(b tsync.Bounds, i int) float32 { return b.Min[i] + rng.Float32()*(b.Max[i]-b.Min[i]) }
	for i := range 3 {
		s.Position[i], s.Velocity[i] = in(h.Position, i), in(h.Velocity, i)
	}
	for i := range s.Rotation {
		s.Rotation[i] = float32(rng.NormFloat64())
	}
	return s
}

// requireNear allows half a step, and what a float32 loses.
func requireNear(t *testing.T, b tsync.Bounds, want, got [3]float32) {
	for i := range want {
		slack := 0.5/float64(b.PerUnit) + math.Abs(float64(want[i]))*0x1p-23
		require.InDelta(t, want[i], got[i], slack, i)
	}
}

// requireSameRotation allows three components to be off by half a step each.
func requireSameRotation(t *testing.T, m quant.QuatMode, want, got [4]float32) {
	var dot, norm float64
	for i := range want {
		dot += float64(want[i]) * float64(got[i])
		norm += float64(want[i]) * float64(want[i])
	}
	step := math.Sqrt2 / float64(uint(1)<<m-1)
	require.InDelta(t, 1, math.Abs(dot)/math.Sqrt(norm), 3*step*step)
}

func TestQuantizeFields(t *testing.T) {
	c := newCodec(t, tsync.DefaultHello())
	state := tsync.State{Position: [3]float32{1, 2, 3}, Rotation: [4]float32{1, 0, 0, 0}, Velocity: [3]float32{4, 5, 6}}
	var all tsync.Codes
	require.NoError(t, c.Quantize(&state, tsync.StateFields, &all))
	require.Equal(t, [3]uint64{(262144 + 1) * 8, (262144 + 2) * 8, (32768 + 3) * 8}, all.Position)
	require.Equal(t, [3]uint64{(32768 + 4) * 4, (32768 + 5) * 4, (32768 + 6) * 4}, all.Velocity)
	for f := range tsync.Fields(16) {
		var want tsync.Codes
		want.Merge(&all, f)
		got := tsync.Codes{Position: [3]uint64{1, 2, 3}, Rotation: 4, Velocity: [3]uint64{5, 6, 7}}
		require.NoError(t, c.Quantize(&state, f, &got))
		require.Equal(t, want, got, "what was there is overwritten")
		require.Equal(t, f&tsync.StateFields, got.Changed(&tsync.Codes{}))
		require.Equal(t, ^f&tsync.StateFields, got.Changed(&all))

		back := tsync.State{Position: [3]float32{9, 9, 9}, Rotation: [4]float32{9, 9, 9, 9}, Velocity: [3]float32{9, 9, 9}}
		c.Dequantize(&all, f, &back)
		require.Equal(t, f&tsync.FieldPosition != 0, back.Position == state.Position)
		require.Equal(t, f&tsync.FieldRotation == 0, back.Rotation == [4]float32{})
		require.Equal(t, f&tsync.FieldVelocity != 0, back.Velocity == state.Velocity)
	}
}

func TestQuantizeHostileFloats(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := newCodec(t, tsync.DefaultHello())
	position, velocity := c.Position(), c.Velocity()

	var codes tsync.Codes
	require.NoError(t, c.Quantize(&tsync.State{
		Position: [3]float32{inf, -inf, 1e9}, Rotation: [4]float32{nan, 0, 0, 1}, Velocity: [3]float32{-1e9, inf, -inf},
	}, tsync.StateFields, &codes))
	require.Equal(t, [3]uint64{position[0].MaxCode(), 0, position[2].MaxCode()}, codes.Position)
	require.Equal(t, [3]uint64{0, velocity[1].MaxCode(), 0}, codes.Velocity)
	require.Equal(t, quant.Quat10.Encode([4]float32{0, 0, 0, 1}), codes.Rotation)

	for _, f := range []tsync.Fields{tsync.FieldPosition, tsync.FieldVelocity} {
		for axis := range 3 {
			s := tsync.State{Position: [3]float32{1, 2, 3}, Rotation: [4]float32{1, 2, 3, 4}, Velocity: [3]float32{1, 2, 3}}
			bad := &s.Position
			if f == tsync.FieldVelocity {
				bad = &s.Velocity
			}
			bad[axis] = nan
			require.ErrorIs(t, c.Quantize(&s, tsync.StateFields, &codes), quant.ErrNotANumber)
			require.Zero(t, codes, "nothing of a bad state is encoded")
			require.NoError(t, c.Quantize(&s, tsync.StateFields&^f, &codes), "fields that are not asked for do not count")
		}
	}
}

func TestDequantizeSaturates(t *testing.T) {
	for name, h := range hellos() {
		c := newCodec(t, h)
		top := tsync.Codes{Rotation: 1<<c.RotationBits() - 1}
		position, velocity := c.Position(), c.Velocity()
		for i := range 3 {
			top.Position[i], top.Velocity[i] = position[i].MaxCode(), velocity[i].MaxCode()
		}
		const most = math.MaxUint64
		above := tsync.Codes{Position: [3]uint64{most, most, most}, Rotation: most, Velocity: [3]uint64{most, most, most}}
		var want, got tsync.State
		c.Dequantize(&top, tsync.StateFields, &want)
		c.Dequantize(&above, tsync.StateFields, &got)
		require.Equal(t, want, got, name)
	}
}
