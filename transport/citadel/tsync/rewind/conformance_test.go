package rewind_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

type rewindFile struct {
	Family  string        `json:"family"`
	Set     string        `json:"set"`
	Seed    string        `json:"seed"`
	Source  string        `json:"source"`
	Buffers []bufferCase  `json:"buffers"`
	Compute []computeCase `json:"compute"`
	Hits    []hitCase     `json:"hits"`
}

type bufferCase struct {
	ID       string     `json:"id"`
	Capacity int        `json:"capacity_ticks"`
	Ops      []bufferOp `json:"ops"`
}

type bufferOp struct {
	Op       string     `json:"op"`
	Tick     *float64   `json:"tick"` // exact for a record
	TickBits doubleBits `json:"tick_bits"`
	State    *stateCase `json:"state"`
	Len      int        `json:"len"`
	Oldest   *uint64    `json:"oldest"`
	Newest   *uint64    `json:"newest"`
}

// stateCase is readable, and exact by its bits.
type stateCase struct {
	Position     []*float64 `json:"position"`
	PositionBits [3]bits    `json:"position_bits"`
	Rotation     []*float64 `json:"rotation"`
	RotationBits *[4]bits   `json:"rotation_bits"`
	Velocity     []*float64 `json:"velocity"`
	VelocityBits [3]bits    `json:"velocity_bits"`
}

type computeCase struct {
	ID                string     `json:"id"`
	Now               uint64     `json:"current_tick"`
	OneWay            *float64   `json:"owd_ticks"`
	OneWayBits        doubleBits `json:"owd_ticks_bits"`
	Interpolation     *float64   `json:"interp_delay_ticks"`
	InterpolationBits doubleBits `json:"interp_delay_ticks_bits"`
	RTT               *float64   `json:"rtt_ms"`
	RTTBits           doubleBits `json:"rtt_ms_bits"`
	MaxUnlag          *float64   `json:"max_unlag_ticks"`
	MaxUnlagBits      doubleBits `json:"max_unlag_ticks_bits"`
	MaxRTT            *float64   `json:"rtt_cutoff_ms"`
	MaxRTTBits        doubleBits `json:"rtt_cutoff_ms_bits"`
	Tick              *float64   `json:"rewind_tick"`
	TickBits          doubleBits `json:"rewind_tick_bits"`
	Compensated       bool       `json:"lag_comp_enabled"`
}

type hitCase struct {
	ID            string       `json:"id"`
	Kind          string       `json:"kind"`
	Origin        []*float64   `json:"origin"`
	OriginBits    [3]bits      `json:"origin_bits"`
	Direction     []*float64   `json:"direction"`
	DirectionBits [3]bits      `json:"direction_bits"`
	Targets       []targetCase `json:"targets"`
	Hit           *struct {
		Object       uint32     `json:"object_id"`
		Distance     *float64   `json:"distance"`
		DistanceBits bits       `json:"distance_bits"`
		Point        []*float64 `json:"point"`
		PointBits    [3]bits    `json:"point_bits"`
	} `json:"hit"`
}

type targetCase struct {
	Object     uint32     `json:"object_id"`
	Center     []*float64 `json:"center"`
	CenterBits [3]bits    `json:"center_bits"`
	Radius     *float64   `json:"radius"`
	RadiusBits bits       `json:"radius_bits"`
}

// bits and doubleBits are a float32 and a float64 by their bits.
type (
	bits       uint32
	doubleBits uint64
)

func (b *bits) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 32)
	*b = bits(n)
	return err
}

func (b *doubleBits) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	*b = doubleBits(n)
	return err
}

func (b bits) float() float32       { return math.Float32frombits(uint32(b)) }
func (b doubleBits) float() float64 { return math.Float64frombits(uint64(b)) }
func floats(v [3]bits) [3]float32   { return [3]float32{v[0].float(), v[1].float(), v[2].float()} }
func bitsOf(v [3]float32) (b [3]bits) {
	for i, f := range v {
		b[i] = bits(math.Float32bits(f))
	}
	return b
}

func (s *stateCase) state() tsync.State {
	state := tsync.State{Position: floats(s.PositionBits), Rotation: [4]float32{0, 0, 0, 1}, Velocity: floats(s.VelocityBits)}
	if s.RotationBits != nil {
		for i, b := range s.RotationBits {
			state.Rotation[i] = b.float()
		}
	}
	return state
}

func TestConformanceRewind(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "rewind.json", func(t *testing.T, f rewindFile) {
		for _, c := range f.Buffers {
			t.Run(c.ID, c.run)
		}
		for _, c := range f.Compute {
			t.Run(c.ID, c.run)
		}
		for _, c := range f.Hits {
			t.Run(c.ID, c.run)
		}
	})
}

func (c bufferCase) run(t *testing.T) {
	b := rewind.MakeBuffer(c.Capacity)
	for i, op := range c.Ops {
		switch op.Op {
		case "record":
			before, newest, any := b.Span()
			state, tick := op.State.state(), uint64(*op.Tick)
			require.Equal(t, !any || tick > newest, b.Record(tick, &state), "op %d, oldest %d", i, before)
			oldest, newest, ok := b.Span()
			require.True(t, ok)
			require.Equal(t, []uint64{uint64(op.Len), *op.Oldest, *op.Newest}, []uint64{uint64(b.Len()), oldest, newest}, "op %d", i)
		case "sample":
			var got tsync.State
			require.Equal(t, op.State != nil, b.Sample(op.TickBits.float(), &got), "op %d", i)
			if op.State == nil {
				continue
			}
			want := op.State.state()
			require.Equal(t, bitsOf(want.Position), bitsOf(got.Position), "op %d", i)
			require.Equal(t, bitsOf(want.Velocity), bitsOf(got.Velocity), "op %d", i)
			for k := range want.Rotation {
				require.Equal(t, math.Float32bits(want.Rotation[k]), math.Float32bits(got.Rotation[k]), "op %d", i)
			}
		default:
			t.Fatalf("op %d is %q", i, op.Op)
		}
	}
}

func (c computeCase) run(t *testing.T) {
	limits := rewind.Limits{MaxUnlag: c.MaxUnlagBits.float(), MaxRTT: c.MaxRTTBits.float()}
	lag := rewind.Lag{OneWay: c.OneWayBits.float(), Interpolation: c.InterpolationBits.float(), RTT: c.RTTBits.float()}
	require.Equal(t, c.TickBits, doubleBits(math.Float64bits(limits.Tick(c.Now, lag))))
	require.Equal(t, c.Compensated, limits.Compensates(lag.RTT))
	tick, compensated := limits.Target(c.Now, lag)
	require.Equal(t, c.Compensated, compensated)
	if compensated {
		require.Equal(t, c.TickBits, doubleBits(math.Float64bits(tick)))
	} else {
		require.Equal(t, float64(c.Now), tick)
	}
}

// Up to the distance nearby, on each axis, both ways to compute a hit have to agree: in what is hit exactly, in the
// distance with so much of a difference. Both in centimetres.
const (
	nearby     = 2000.0
	difference = 0.01
)

func (c hitCase) run(t *testing.T) {
	shot := rewind.Shot{Origin: floats(c.OriginBits), Direction: floats(c.DirectionBits), Reference: true}
	var targets []rewind.Target
	for _, v := range c.Targets {
		targets = append(targets, rewind.Target{Object: v.Object, Center: floats(v.CenterBits), Radius: v.RadiusBits.float()})
	}
	got, ok := rewind.Nearest(shot, targets)
	require.Equal(t, c.Hit != nil, ok)
	if ok {
		require.Equal(t, c.Hit.Object, got.Object)
		require.Equal(t, c.Hit.DistanceBits, bits(math.Float32bits(float32(got.Distance))))
		require.Equal(t, c.Hit.PointBits, bitsOf(got.Point))
	}

	for _, target := range targets { // what is far is where the reference is wrong
		for i, p := range target.Center {
			if math.Abs(float64(p)-float64(shot.Origin[i])) > nearby {
				return
			}
		}
	}
	shot.Reference = false
	right, ok := rewind.Nearest(shot, targets)
	require.Equal(t, c.Hit != nil, ok, "float64 disagrees")
	if ok {
		require.Equal(t, c.Hit.Object, right.Object, "float64 disagrees")
		require.InDelta(t, got.Distance, right.Distance, difference)
	}
}
