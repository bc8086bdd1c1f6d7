package rewind_test

import (
	"math"
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
	Op       string      `json:"op"`
	Tick     *float64    `json:"tick"` // exact for a record
	TickBits vectors.F64 `json:"tick_bits"`
	State    *stateCase  `json:"state"`
	Len      int         `json:"len"`
	Oldest   *uint64     `json:"oldest"`
	Newest   *uint64     `json:"newest"`
}

// stateCase is readable, and exact by its bits.
type stateCase struct {
	Position     []*float64    `json:"position"`
	PositionBits vectors.Vec3  `json:"position_bits"`
	Rotation     []*float64    `json:"rotation"`
	RotationBits *vectors.Quat `json:"rotation_bits"`
	Velocity     []*float64    `json:"velocity"`
	VelocityBits vectors.Vec3  `json:"velocity_bits"`
}

type computeCase struct {
	ID                string      `json:"id"`
	Now               uint64      `json:"current_tick"`
	OneWay            *float64    `json:"owd_ticks"`
	OneWayBits        vectors.F64 `json:"owd_ticks_bits"`
	Interpolation     *float64    `json:"interp_delay_ticks"`
	InterpolationBits vectors.F64 `json:"interp_delay_ticks_bits"`
	RTT               *float64    `json:"rtt_ms"`
	RTTBits           vectors.F64 `json:"rtt_ms_bits"`
	MaxUnlag          *float64    `json:"max_unlag_ticks"`
	MaxUnlagBits      vectors.F64 `json:"max_unlag_ticks_bits"`
	MaxRTT            *float64    `json:"rtt_cutoff_ms"`
	MaxRTTBits        vectors.F64 `json:"rtt_cutoff_ms_bits"`
	Tick              *float64    `json:"rewind_tick"`
	TickBits          vectors.F64 `json:"rewind_tick_bits"`
	Compensated       bool        `json:"lag_comp_enabled"`
}

type hitCase struct {
	ID            string       `json:"id"`
	Kind          string       `json:"kind"`
	Origin        []*float64   `json:"origin"`
	OriginBits    vectors.Vec3 `json:"origin_bits"`
	Direction     []*float64   `json:"direction"`
	DirectionBits vectors.Vec3 `json:"direction_bits"`
	Targets       []targetCase `json:"targets"`
	Hit           *struct {
		Object       uint32       `json:"object_id"`
		Distance     *float64     `json:"distance"`
		DistanceBits vectors.F32  `json:"distance_bits"`
		Point        []*float64   `json:"point"`
		PointBits    vectors.Vec3 `json:"point_bits"`
	} `json:"hit"`
}

type targetCase struct {
	Object     uint32       `json:"object_id"`
	Center     []*float64   `json:"center"`
	CenterBits vectors.Vec3 `json:"center_bits"`
	Radius     *float64     `json:"radius"`
	RadiusBits vectors.F32  `json:"radius_bits"`
}

func (s *stateCase) state() tsync.State {
	state := tsync.State{Position: s.PositionBits.Floats(), Rotation: [4]float32{0, 0, 0, 1}, Velocity: s.VelocityBits.Floats()}
	if s.RotationBits != nil {
		state.Rotation = s.RotationBits.Floats()
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
			require.Equal(t, op.State != nil, b.Sample(op.TickBits.Float(), &got), "op %d", i)
			if op.State == nil {
				continue
			}
			want := op.State.state()
			require.Equal(t, vectors.Bits3(want.Position), vectors.Bits3(got.Position), "op %d", i)
			require.Equal(t, vectors.Bits3(want.Velocity), vectors.Bits3(got.Velocity), "op %d", i)
			require.Equal(t, vectors.Bits4(want.Rotation), vectors.Bits4(got.Rotation), "op %d", i)
		default:
			t.Fatalf("op %d is %q", i, op.Op)
		}
	}
}

func (c computeCase) run(t *testing.T) {
	limits := rewind.Limits{MaxUnlag: c.MaxUnlagBits.Float(), MaxRTT: c.MaxRTTBits.Float()}
	lag := rewind.Lag{OneWay: c.OneWayBits.Float(), Interpolation: c.InterpolationBits.Float(), RTT: c.RTTBits.Float()}
	require.Equal(t, c.TickBits, vectors.Bits64(limits.Tick(c.Now, lag)))
	require.Equal(t, c.Compensated, limits.Compensates(lag.RTT))
	tick, compensated := limits.Target(c.Now, lag)
	require.Equal(t, c.Compensated, compensated)
	if compensated {
		require.Equal(t, c.TickBits, vectors.Bits64(tick))
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
	shot := rewind.Shot{Origin: c.OriginBits.Floats(), Direction: c.DirectionBits.Floats(), Reference: true}
	var targets []rewind.Target
	for _, v := range c.Targets {
		targets = append(targets, rewind.Target{Object: v.Object, Center: v.CenterBits.Floats(), Radius: v.RadiusBits.Float()})
	}
	got, ok := rewind.Nearest(shot, targets)
	require.Equal(t, c.Hit != nil, ok)
	if ok {
		require.Equal(t, c.Hit.Object, got.Object)
		require.Equal(t, c.Hit.DistanceBits, vectors.Bits32(float32(got.Distance)))
		require.Equal(t, c.Hit.PointBits, vectors.Bits3(got.Point))
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
