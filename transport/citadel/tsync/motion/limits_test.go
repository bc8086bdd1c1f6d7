package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

func TestDefaultLimitsAreValid(t *testing.T) {
	l := motion.DefaultLimits()
	require.NoError(t, l.Validate())
	require.Equal(t, motion.Limits{
		MaxSpeed: 2000, MaxDT: 0.1,
		World: motion.Box{Min: [3]float32{-262144, -262144, -32768}, Max: [3]float32{262144, 262144, 32768}},
	}, l)
}

// TestValidateRefuses is about limits that would stop a clamp with an error, or let everything through.
func TestValidateRefuses(t *testing.T) {
	for name, spoil := range map[string]func(l *motion.Limits){
		"MaxSpeed is NaN":                func(l *motion.Limits) { l.MaxSpeed = nan },
		"MaxSpeed is -1":                 func(l *motion.Limits) { l.MaxSpeed = -1 },
		"MaxSpeed is +Inf":               func(l *motion.Limits) { l.MaxSpeed = inf },
		"MaxDT is NaN":                   func(l *motion.Limits) { l.MaxDT = nan },
		"MaxDT is -0.1":                  func(l *motion.Limits) { l.MaxDT = -0.1 },
		"MaxDT is +Inf":                  func(l *motion.Limits) { l.MaxDT = inf },
		"World on axis 0 is from 1 to 0": func(l *motion.Limits) { l.World.Min[0], l.World.Max[0] = 1, 0 },
		"World on axis 1 is from NaN":    func(l *motion.Limits) { l.World.Min[1] = nan },
		"World on axis 2 is from -Inf":   func(l *motion.Limits) { l.World.Min[2] = -inf },
	} {
		l := motion.DefaultLimits()
		spoil(&l)
		err := l.Validate()
		require.ErrorIs(t, err, motion.ErrLimits, name)
		require.ErrorContains(t, err, name)

		// Whoever does not ask is not stopped by them either.
		s := tsync.State{Position: [3]float32{1, 2, 3}}
		motion.Integrate(&s, [3]float32{1, 2, 3}, 0.1, &l)
	}
	l := motion.Limits{}
	require.NoError(t, l.Validate(), "a world of one point in which nothing moves")
}

// TestForgedInputsDoNotTeleport is about an owner who forges the time or the velocity of an input.
func TestForgedInputsDoNotTeleport(t *testing.T) {
	l := motion.DefaultLimits()
	farthest := float64(l.MaxSpeed) * float64(l.MaxDT) * (1 + 1e-6)
	numbers := []float32{0, 1, -1, 1999, -2001, 1e9, -1e18, 1e19, 1e20, math.MaxFloat32, nan, inf, -inf, 1e-40}
	for _, x := range numbers {
		for _, y := range numbers {
			for _, dt := range append(numbers, 0.1, 0.0166, 0.2) {
				s := tsync.State{Position: [3]float32{100, -100, 0}}
				motion.Integrate(&s, [3]float32{x, y, x}, dt, &l)
				require.True(t, motion.Finite(&s))
				dx, dy, dz := float64(s.Position[0])-100, float64(s.Position[1])+100, float64(s.Position[2])
				require.LessOrEqual(t, math.Sqrt(dx*dx+dy*dy+dz*dz), farthest, "velocity %v, %v for %v", x, y, dt)
			}
		}
	}
}

func TestIntegrateKeepsDirectionAndWorld(t *testing.T) {
	l := motion.Limits{MaxSpeed: 100, MaxDT: 1, World: motion.Box{Min: [3]float32{-10, -1000, 0}, Max: [3]float32{10, 1000, 0}}}
	s := tsync.State{Rotation: [4]float32{0, 0, 0, 1}}
	motion.Integrate(&s, [3]float32{300, 400, 0}, 5, &l)
	require.Equal(t, tsync.State{
		Position: [3]float32{10, 80, 0}, Rotation: [4]float32{0, 0, 0, 1}, Velocity: [3]float32{60, 80, 0},
	}, s)
}

func TestSanitise(t *testing.T) {
	good := tsync.State{Position: [3]float32{1, 2, 3}, Rotation: [4]float32{0, 0, 0, 2}, Velocity: [3]float32{4, 5, 6}}
	s := good
	require.True(t, motion.Sanitise(&s))
	require.Equal(t, [4]float32{0, 0, 0, 1}, s.Rotation)
	require.Equal(t, good.Position, s.Position)
	require.Equal(t, good.Velocity, s.Velocity)

	for name, rotation := range map[string][4]float32{
		"huge":    {math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, 0},
		"not one": {0.1, 0.2, 0.3, 0.4},
		"small":   {1.1e-6, 0, 0, 0},
	} {
		s := good
		s.Rotation = rotation
		require.True(t, motion.Sanitise(&s), name)
		norm := 0.0
		for _, f := range s.Rotation {
			norm += float64(f) * float64(f)
		}
		require.InDelta(t, 1, norm, 1e-6, name)
	}

	spoils := map[string]func(s *tsync.State){
		"no rotation":       func(s *tsync.State) { s.Rotation = [4]float32{} },
		"too short a one":   func(s *tsync.State) { s.Rotation = [4]float32{1e-6, 0, 0, 0} },
		"infinite rotation": func(s *tsync.State) { s.Rotation[0] = inf },
	}
	for i := range 3 {
		spoils["position "+string(rune('x'+i))] = func(s *tsync.State) { s.Position[i] = nan }
		spoils["velocity "+string(rune('x'+i))] = func(s *tsync.State) { s.Velocity[i] = -inf }
	}
	for name, spoil := range spoils {
		s := good
		spoil(&s)
		before := stateBits(&s)
		require.False(t, motion.Sanitise(&s), name)
		require.Equal(t, before, stateBits(&s), name)
	}
}

func stateBits(s *tsync.State) (b [10]uint32) {
	for i, f := range append(append(s.Position[:len(s.Position):len(s.Position)], s.Rotation[:]...), s.Velocity[:]...) {
		b[i] = math.Float32bits(f)
	}
	return b
}
