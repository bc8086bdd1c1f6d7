package server

import (
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

type stateVector struct {
	Position     []*float64    `json:"position"` // readable only
	PositionBits vectors.Vec3  `json:"position_bits"`
	Rotation     []*float64    `json:"rotation"` // readable only
	RotationBits *vectors.Quat `json:"rotation_bits"`
	Velocity     []*float64    `json:"velocity"` // readable only
	VelocityBits *vectors.Vec3 `json:"velocity_bits"`
}

func (v *stateVector) value() tsync.State {
	s := tsync.State{Position: v.PositionBits.Floats(), Rotation: identity}
	if v.RotationBits != nil {
		s.Rotation = v.RotationBits.Floats()
	}
	if v.VelocityBits != nil {
		s.Velocity = v.VelocityBits.Floats()
	}
	return s
}

type boundsVector struct {
	Min           []float64    `json:"min"` // readable only
	MinBits       vectors.Vec3 `json:"min_bits"`
	Max           []float64    `json:"max"` // readable only
	MaxBits       vectors.Vec3 `json:"max_bits"`
	ValuesPerUnit uint32       `json:"values_per_unit"`
}

func (b *boundsVector) value() tsync.Bounds {
	return tsync.Bounds{Min: b.MinBits.Floats(), Max: b.MaxBits.Floats(), PerUnit: b.ValuesPerUnit}
}

type helloVector struct {
	ID       int          `json:"id"`
	Position boundsVector `json:"position_bounds"`
	Velocity boundsVector `json:"velocity_bounds"`
	QuatMode uint8        `json:"quat_mode"`
	SendRate uint8        `json:"send_rate_hz"`
	SimRate  uint8        `json:"sim_rate_hz"`
	Body     vectors.Hex  `json:"body_hex"`
}

func (h *helloVector) value() tsync.Hello {
	return tsync.Hello{
		Position: h.Position.value(), Velocity: h.Velocity.value(), Quat: quant.QuatMode(h.QuatMode),
		SendRate: h.SendRate, SimRate: h.SimRate,
	}
}

// opVector is what is done to a world. After an operation there may be what object 1 has become.
type opVector struct {
	Op string `json:"op"`
	ID uint32 `json:"id"`

	Role              tsync.RoleKind `json:"role"`
	Owner             vectors.U64    `json:"owner"`
	GenEpoch          uint16         `json:"gen_epoch"`
	ReplicateVelocity bool           `json:"replicate_velocity"`
	Priority          *float64       `json:"priority"` // readable only
	PriorityBits      vectors.F32    `json:"priority_bits"`
	State             stateVector    `json:"state"`
	GenEpochAfter     uint16         `json:"gen_epoch_after"`

	Participant    vectors.U64 `json:"participant"`
	OwnershipEpoch *uint32     `json:"ownership_epoch"`

	Sender           vectors.U64  `json:"sender"`
	InputSeq         uint32       `json:"input_seq"`
	DT               *float64     `json:"dt"` // readable only
	DTBits           vectors.F32  `json:"dt_bits"`
	MoveVelocity     []*float64   `json:"move_velocity"` // readable only
	MoveVelocityBits vectors.Vec3 `json:"move_velocity_bits"`
	Released         []uint32     `json:"released"`

	Client       int          `json:"client"`
	Position     []*float64   `json:"position"` // readable only
	PositionBits vectors.Vec3 `json:"position_bits"`

	Object1 *struct {
		InputSeq     uint32       `json:"last_input_seq"`
		Position     []float64    `json:"position"` // readable only
		PositionBits vectors.Vec3 `json:"position_bits"`
		Velocity     []float64    `json:"velocity"` // readable only
		VelocityBits vectors.Vec3 `json:"velocity_bits"`
	} `json:"object_1_after"`
}

type snapshotFile struct {
	Family string          `json:"family"`
	Set    string          `json:"set"`
	Seed   string          `json:"seed"`
	Source string          `json:"source"`
	Hellos []helloVector   `json:"hellos"`
	Traces []snapshotTrace `json:"traces"`
	Quirks []any           `json:"quirks"`
}

type snapshotTrace struct {
	ID           string      `json:"id"`
	Kind         string      `json:"kind"`
	CellSize     float64     `json:"cell_size"` // readable only
	CellSizeBits vectors.F32 `json:"cell_size_bits"`
	DT           float64     `json:"dt"` // readable only
	DTBits       vectors.F32 `json:"dt_bits"`
	Clients      []struct {
		Participant vectors.U64 `json:"participant"`
		Inner       float64     `json:"inner"` // readable only
		InnerBits   vectors.F32 `json:"inner_bits"`
		Outer       float64     `json:"outer"` // readable only
		OuterBits   vectors.F32 `json:"outer_bits"`
	} `json:"clients"`
	Ticks []struct {
		Ops    []opVector `json:"ops"`
		Tick   uint64     `json:"tick"`
		Builds []struct {
			Client        int       `json:"client"`
			Budget        int       `json:"budget"`
			SendRate      uint8     `json:"send_rate_hz"`
			Snapshot      uint32    `json:"snapshot_id"`
			Base          uint32    `json:"base_snapshot_id"`
			Bodies        []*string `json:"bodies_hex"`
			ConfirmedBase uint32    `json:"confirmed_base"`
		} `json:"builds"`
		Acks []struct {
			Client        int    `json:"client"`
			Acked         uint32 `json:"acked_snapshot_id"`
			History       uint32 `json:"history"`
			ConfirmedBase uint32 `json:"confirmed_base"`
		} `json:"acks"`
	} `json:"ticks"`
	FinalLatestAcked []uint32 `json:"final_latest_acked"`
	FinalObjects     []struct {
		ID       uint32      `json:"id"`
		GenEpoch uint16      `json:"gen_epoch"`
		InputSeq uint32      `json:"last_input_seq"`
		State    stateVector `json:"state"`
	} `json:"final_objects"`
}

func TestConformanceSnapshotServer(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "snapshot_server.json", func(t *testing.T, f snapshotFile) {
		for i := range f.Hellos {
			h := &f.Hellos[i]
			require.Equal(t, []byte(h.Body), tsync.AppendHello(nil, h.value()))
			for j := range f.Traces {
				tr := &f.Traces[j]
				t.Run(fmt.Sprintf("%s/hello-%d", tr.ID, h.ID), func(t *testing.T) { runTrace(t, tr, i, h.value()) })
			}
		}
	})
}

// referenceWorld returns a world that does as the reference does, with its default limits.
func referenceWorld(t *testing.T, config Config, dt float32) *World {
	config.Reference = true
	config.Limits = motion.DefaultLimits()
	w, err := New(config)
	require.NoError(t, err)
	w.dt = dt
	return w
}

func runTrace(t *testing.T, tr *snapshotTrace, hello int, h tsync.Hello) {
	w := referenceWorld(t, Config{Hello: h, CellSize: tr.CellSizeBits.Float()}, tr.DTBits.Float())
	clients := make([]*Client, len(tr.Clients))
	for i, v := range tr.Clients {
		c, err := w.Join(uint64(v.Participant), nil)
		require.NoError(t, err)
		require.NoError(t, c.SetRadius(interest.Radius{Enter: v.InnerBits.Float(), Leave: v.OuterBits.Float()}))
		clients[i] = c
	}
	for _, tick := range tr.Ticks {
		for i := range tick.Ops {
			op := &tick.Ops[i]
			if op.Op == "viewer" {
				require.NoError(t, clients[op.Client].Look(op.PositionBits.Floats()))
				continue
			}
			runOp(t, w, op)
		}
		w.Tick()
		require.Equal(t, tick.Tick, w.Now())
		for i, b := range tick.Builds {
			c := clients[b.Client]
			c.rate, c.budget = b.SendRate, b.Budget
			if b.Budget == 0 {
				c.budget = -1
			}
			body, err := c.AppendSnapshot(nil)
			require.NoError(t, err)
			if want := b.Bodies; want == nil || want[hello] == nil {
				require.Empty(t, body, "tick %d, build %d", tick.Tick, i)
			} else {
				require.Equal(t, *want[hello], hex.EncodeToString(body), "tick %d, build %d", tick.Tick, i)
				require.Equal(t, b.Snapshot, c.ids.Last)
			}
			require.Equal(t, b.ConfirmedBase, c.states.base)
		}
		for _, a := range tick.Acks {
			c := clients[a.Client]
			_ = c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: a.Acked, History: a.History})) // what is refused is in the data
			require.Equal(t, a.ConfirmedBase, c.states.base, "tick %d", tick.Tick)
		}
	}
	for i, c := range clients {
		require.Equal(t, tr.FinalLatestAcked[i], c.newestAck)
	}
	require.Equal(t, len(tr.FinalObjects), w.Len())
	for _, want := range tr.FinalObjects {
		o, ok := w.Object(want.ID)
		require.True(t, ok)
		require.Equal(t, want.GenEpoch, o.Gen)
		require.Equal(t, want.InputSeq, o.InputSeq)
		requireSameState(t, want.State.value(), o.State)
	}
}

// requireSameState compares the bits.
func requireSameState(t *testing.T, want, got tsync.State) {
	require.Equal(t, vectors.Bits3(want.Position), vectors.Bits3(got.Position), "want %v, got %v", want, got)
	require.Equal(t, vectors.Bits4(want.Rotation), vectors.Bits4(got.Rotation), "want %v, got %v", want, got)
	require.Equal(t, vectors.Bits3(want.Velocity), vectors.Bits3(got.Velocity), "want %v, got %v", want, got)
}

// runOp does something to a world and checks what comes of it.
func runOp(t *testing.T, w *World, op *opVector) {
	switch op.Op {
	case "spawn":
		gen, err := w.Spawn(Object{
			ID: op.ID, Role: op.Role, Owner: uint64(op.Owner), Gen: op.GenEpoch,
			ReplicateVelocity: op.ReplicateVelocity, Priority: validPriority(op), State: op.State.value(),
		})
		require.NoError(t, err)
		require.Equal(t, op.GenEpochAfter, gen)
	case "despawn":
		w.Despawn(op.ID)
	case "set_transform":
		require.NoError(t, w.SetState(op.ID, op.State.value()))
	case "set_priority":
		if err := w.SetPriority(op.ID, validPriority(op)); err != nil {
			require.ErrorIs(t, err, ErrObject)
		}
	case "assign_owner":
		epoch, err := w.AssignOwner(op.ID, uint64(op.Participant))
		if op.OwnershipEpoch == nil {
			require.ErrorIs(t, err, ErrObject)
			break
		}
		require.NoError(t, err)
		require.Equal(t, *op.OwnershipEpoch, epoch)
	case "owner_input":
		require.Equal(t, append([]uint32{}, op.Released...), inputOf(w, op))
	case "advance":
		w.dt = op.DTBits.Float()
		w.Tick()
	default:
		t.Fatalf("unknown operation %q", op.Op)
	}
}

// inputOf gives a world an input, perhaps of somebody who has not joined, and returns the inputs that then count.
func inputOf(w *World, op *opVector) []uint32 {
	released := []uint32{}
	w.config.OnInput = func(_ *Client, f *tsync.InputFrame) { released = append(released, f.Seq) }
	sender := &Client{world: w, participant: uint64(op.Sender), tokens: 1}
	sender.take(&tsync.Input{Frames: []tsync.InputFrame{{
		Seq: op.InputSeq, Object: op.ID, OwnershipEpoch: *op.OwnershipEpoch,
		DT: op.DTBits.Float(), Move: op.MoveVelocityBits.Floats(),
	}}})
	return released
}

// validPriority returns what comes to the same as a priority of the data that a world refuses: NaN counts as nothing
// there, and infinity as more than anything else. 0 is nothing, too.
func validPriority(op *opVector) float32 {
	p := op.PriorityBits.Float()
	switch {
	case p == 0, p != p:
		return -1
	case p > math.MaxFloat32:
		return math.MaxFloat32
	}
	return p
}

type inputFile struct {
	Family      string `json:"family"`
	Set         string `json:"set"`
	Seed        string `json:"seed"`
	Source      string `json:"source"`
	MaxAheadGap int    `json:"max_ahead_gap"`
	Queues      []any  `json:"queues"`    // for package motion
	Integrate   []any  `json:"integrate"` // for package motion
	Worlds      []struct {
		ID  string     `json:"id"`
		Ops []opVector `json:"ops"`
	} `json:"worlds"`
}

func TestConformanceOwnerInput(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "owner_input.json", func(t *testing.T, f inputFile) {
		for _, v := range f.Worlds {
			t.Run(v.ID, func(t *testing.T) {
				w := referenceWorld(t, Config{}, 0)
				for i := range v.Ops {
					op := &v.Ops[i]
					runOp(t, w, op)
					want := op.Object1
					if want == nil {
						continue
					}
					o, ok := w.Object(1)
					require.True(t, ok)
					require.Equal(t, want.InputSeq, o.InputSeq, "operation %d", i)
					requireSameState(t, tsync.State{
						Position: want.PositionBits.Floats(), Rotation: o.State.Rotation, Velocity: want.VelocityBits.Floats(),
					}, o.State)
				}
			})
		}
	})
}
