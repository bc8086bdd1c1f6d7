package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

// Floats come twice: by their bits, which count, and as numbers for readers.
type loud = any

// stateVector is a state; without a rotation it is the identity's, without a velocity it is at rest.
type stateVector struct {
	Position     loud          `json:"position"`
	PositionBits vectors.Vec3  `json:"position_bits"`
	Rotation     loud          `json:"rotation"`
	RotationBits *vectors.Quat `json:"rotation_bits"`
	Velocity     loud          `json:"velocity"`
	VelocityBits *vectors.Vec3 `json:"velocity_bits"`
}

func (v *stateVector) value(t *testing.T) tsync.State {
	t.Helper()
	s := tsync.State{Position: v.PositionBits.Floats(), Rotation: [4]float32{3: 1}}
	if v.RotationBits != nil {
		s.Rotation = v.RotationBits.Floats()
	}
	if v.VelocityBits != nil {
		s.Velocity = v.VelocityBits.Floats()
	}
	return s
}

type boundsVector struct {
	Min     loud         `json:"min"`
	MinBits vectors.Vec3 `json:"min_bits"`
	Max     loud         `json:"max"`
	MaxBits vectors.Vec3 `json:"max_bits"`
	PerUnit uint32       `json:"values_per_unit"`
}

func (v *boundsVector) value(t *testing.T) tsync.Bounds {
	t.Helper()
	return tsync.Bounds{Min: v.MinBits.Floats(), Max: v.MaxBits.Floats(), PerUnit: v.PerUnit}
}

type helloVector struct {
	ID       int          `json:"id"`
	Position boundsVector `json:"position_bounds"`
	Velocity boundsVector `json:"velocity_bounds"`
	Quat     uint8        `json:"quat_mode"`
	SendRate uint8        `json:"send_rate_hz"`
	SimRate  uint8        `json:"sim_rate_hz"`
	Body     vectors.Hex  `json:"body_hex"`
}

func (v *helloVector) value(t *testing.T) tsync.Hello {
	t.Helper()
	h := tsync.Hello{
		Position: v.Position.value(t), Velocity: v.Velocity.value(t),
		Quat: quant.QuatMode(v.Quat), SendRate: v.SendRate, SimRate: v.SimRate,
	}
	parsed, err := tsync.ParseHello(v.Body)
	require.NoError(t, err)
	require.Equal(t, parsed, h)
	return h
}

type worldViewFile struct {
	Family        string                `json:"family"`
	Set           string                `json:"set"`
	Seed          string                `json:"seed"`
	Source        string                `json:"source"`
	Hellos        []helloVector         `json:"hellos"`
	Traces        []viewTrace           `json:"traces"`
	Interpolation []interpolationVector `json:"interpolation"`
	Quirks        []viewQuirk           `json:"quirks"`
}

type viewTrace struct {
	ID                  string       `json:"id"`
	Kind                string       `json:"kind"`
	Hello               int          `json:"hello"`
	SimRate             uint8        `json:"sim_rate_hz"`
	SendRate            uint8        `json:"send_rate_hz"`
	Events              []viewEvent  `json:"events"`
	FinalDelayTicks     loud         `json:"final_buffer_delay_ticks"`
	FinalDelayTicksBits vectors.F64  `json:"final_buffer_delay_ticks_bits"`
	FinalObjects        []viewObject `json:"final_objects"`
}

type viewObject struct {
	ID       uint32  `json:"id"`
	Gen      uint16  `json:"gen_epoch"`
	OwnerAck *uint32 `json:"owner_ack"`
	stateVector
}

type viewEvent struct {
	Op                   string        `json:"op"`
	Body                 vectors.Hex   `json:"body_hex"`
	Applied              *bool         `json:"applied"`
	Outcome              string        `json:"outcome"`
	DiscardedMissingBase uint64        `json:"discarded_missing_base"`
	DiscardedStale       uint64        `json:"discarded_stale"`
	Ack                  *ackVector    `json:"ack"`
	Multiplier           loud          `json:"multiplier"`
	MultiplierBits       vectors.F64   `json:"multiplier_bits"`
	RenderTick           loud          `json:"render_tick"`
	RenderTickBits       *vectors.F64  `json:"render_tick_bits"`
	ObjectIDs            *[]uint32     `json:"object_ids"`
	Objects              *[]viewObject `json:"objects"`

	Epoch      vectors.U64 `json:"epoch"`
	OK         *bool       `json:"ok"`
	ClockEpoch vectors.U64 `json:"clock_epoch"`

	ID    uint32       `json:"id"`
	State *stateVector `json:"state"`
}

type ackVector struct {
	ID      uint32 `json:"acked_snapshot_id"`
	History uint32 `json:"history"`
}

type interpolationVector struct {
	ID       string         `json:"id"`
	Hello    int            `json:"hello"`
	SimRate  uint8          `json:"sim_rate_hz"`
	SendRate uint8          `json:"send_rate_hz"`
	Object   uint32         `json:"object"`
	Bodies   []vectors.Hex  `json:"bodies_hex"`
	Samples  []sampleVector `json:"samples"`
}

type sampleVector struct {
	RenderTick     loud         `json:"render_tick"`
	RenderTickBits vectors.F64  `json:"render_tick_bits"`
	State          *stateVector `json:"state"`
}

// viewQuirk is what the reference does and need not be done.
type viewQuirk struct {
	ID     string        `json:"id"`
	What   string        `json:"what"`
	Events []viewEvent   `json:"events"`
	Sample *quirkSampleV `json:"sample"`
}

type quirkSampleV struct {
	ID uint32 `json:"id"`
	sampleVector
}

// newView returns a view of a hello with other rates.
func newView(t *testing.T, hellos []helloVector, hello int, simRate, sendRate uint8, cfg client.ViewConfig) *client.View {
	t.Helper()
	h := hellos[hello].value(t)
	h.SimRate, h.SendRate = simRate, sendRate
	codec, err := tsync.NewCodec(h)
	require.NoError(t, err)
	v, err := client.NewView(codec, cfg)
	require.NoError(t, err)
	return v
}

func TestConformanceWorldView(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "world_view.json", func(t *testing.T, f worldViewFile) {
		for _, v := range f.Traces {
			t.Run(v.ID, func(t *testing.T) {
				runViewTrace(t, f.Hellos, &v, client.ViewConfig{Reference: true})
				if !beginsAnotherLife(t, f.Hellos, &v) {
					runViewTrace(t, f.Hellos, &v, client.ViewConfig{})
				}
			})
		}
		for _, v := range f.Interpolation {
			t.Run(v.ID, func(t *testing.T) {
				view := newView(t, f.Hellos, v.Hello, v.SimRate, v.SendRate, client.ViewConfig{})
				for _, body := range v.Bodies {
					require.NoError(t, view.Apply(body))
				}
				for i, s := range v.Samples {
					requireSample(t, s.State, view, v.Object, s.RenderTickBits.Float(), i)
				}
			})
		}
	})
}

func runViewTrace(t *testing.T, hellos []helloVector, v *viewTrace, cfg client.ViewConfig) {
	t.Helper()
	view := newView(t, hellos, v.Hello, v.SimRate, v.SendRate, cfg)
	for i := range v.Events {
		runViewEvent(t, view, i, &v.Events[i])
	}
	require.Equal(t, v.FinalDelayTicksBits.Float(), view.DelayTicks())
	requireObjects(t, v.FinalObjects, view)
}

// beginsAnotherLife reports whether an id has two generations in the snapshots of a trace: all that the reference and the
// default disagree about.
func beginsAnotherLife(t *testing.T, hellos []helloVector, v *viewTrace) bool {
	t.Helper()
	codec := newCodec(t, hellos[v.Hello].value(t))
	lives := map[uint32]uint16{}
	for i := range v.Events {
		var s tsync.SnapshotV2
		var err error
		switch v.Events[i].Op {
		case "deliver":
			err = codec.ParseSnapshot(v.Events[i].Body, &s.Snapshot)
		case "deliver_v2":
			err = codec.ParseSnapshotV2(v.Events[i].Body, &s)
		}
		if err != nil {
			continue // the trace says malformed
		}
		for _, u := range s.Snapshot.Updates {
			if gen, ok := lives[u.Object]; ok && gen != u.Gen {
				return true
			}
			lives[u.Object] = u.Gen
		}
	}
	return false
}

func runViewEvent(t *testing.T, view *client.View, i int, e *viewEvent) {
	t.Helper()
	switch e.Op {
	case "deliver", "deliver_v2":
		apply := view.Apply
		if e.Op == "deliver_v2" {
			apply = view.ApplyV2
		}
		requireOutcome(t, e, apply(e.Body), i)
	case "reset_v2_epoch":
		err := view.ResetEpoch(uint64(e.Epoch))
		if *e.OK {
			require.NoError(t, err, i)
		} else {
			require.ErrorIs(t, err, client.ErrEpoch, i)
		}
		require.Equal(t, uint64(e.ClockEpoch), view.Epoch(), i)
	case "sample":
		requireSample(t, e.State, view, e.ID, e.RenderTickBits.Float(), i)
		return
	default:
		t.Fatalf("event %d is %q", i, e.Op)
	}
	requireView(t, e, view, i)
}

func requireOutcome(t *testing.T, e *viewEvent, err error, i int) {
	t.Helper()
	require.Equal(t, *e.Applied, err == nil, "%d: %v", i, err)
	switch e.Outcome {
	case "applied":
		require.NoError(t, err, i)
	case "stale":
		require.ErrorIs(t, err, client.ErrStale, i)
	case "missing_base":
		require.ErrorIs(t, err, client.ErrMissingBase, i)
	case "malformed":
		require.Error(t, err, i)
		require.NotErrorIs(t, err, client.ErrStale, i)
		require.NotErrorIs(t, err, client.ErrMissingBase, i)
	default:
		t.Fatalf("outcome %q", e.Outcome)
	}
}

func requireView(t *testing.T, e *viewEvent, view *client.View, i int) {
	t.Helper()
	require.Equal(t, e.DiscardedMissingBase, view.Stats().MissingBase, i)
	require.Equal(t, e.DiscardedStale, view.Stats().Stale, i)
	require.Equal(t, tsync.Ack(*e.Ack), view.Ack(), i)
	require.Equal(t, e.MultiplierBits.Float(), view.Multiplier(), i)
	tick, ok := view.RenderTick()
	require.Equal(t, e.RenderTickBits != nil, ok, i)
	if ok {
		require.Equal(t, e.RenderTickBits.Float(), tick, i)
	}
	if e.ObjectIDs != nil {
		ids := []uint32{}
		for o := range view.Objects() {
			ids = append(ids, o.ID)
		}
		require.Equal(t, *e.ObjectIDs, ids, i)
	}
	if e.Objects != nil {
		requireObjects(t, *e.Objects, view)
	}
}

func requireObjects(t *testing.T, want []viewObject, view *client.View) {
	t.Helper()
	require.Equal(t, len(want), view.Len())
	n := 0
	for o := range view.Objects() {
		w := &want[n]
		require.Equal(t, w.ID, o.ID)
		require.Equal(t, w.Gen, o.Gen)
		require.Equal(t, w.OwnerAck != nil, o.Acked)
		if w.OwnerAck != nil {
			require.Equal(t, *w.OwnerAck, o.InputAck)
		}
		requireState(t, w.value(t), o.State, 0)
		n++
	}
}

func requireSample(t *testing.T, want *stateVector, view *client.View, id uint32, tick float64, i int) {
	t.Helper()
	got, ok := view.Sample(id, tick)
	require.Equal(t, want != nil, ok, i)
	if ok {
		requireState(t, want.value(t), got, tolerance)
	}
}

// tolerance is what a component of a sampled rotation may be off by: arc cosine and sine come from libraries.
const tolerance = 1e-6

func requireState(t *testing.T, want, got tsync.State, tolerance float64) {
	t.Helper()
	require.Equal(t, vectors.Bits3(want.Position), vectors.Bits3(got.Position))
	require.Equal(t, vectors.Bits3(want.Velocity), vectors.Bits3(got.Velocity))
	if tolerance == 0 {
		require.Equal(t, vectors.Bits4(want.Rotation), vectors.Bits4(got.Rotation))
		return
	}
	for i := range want.Rotation {
		require.InDelta(t, want.Rotation[i], got.Rotation[i], tolerance)
	}
}
