package conformance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/valuevectors"
	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// vec and rotation are floats by their bits; rounded is what the same floats look like in decimal, for human readers.
type (
	vec      [3]valuevectors.Float32
	rotation [4]valuevectors.Float32
	rounded  []*float64
)

func (v vec) floats() [3]float32 { return valuevectors.Vector3(v).Floats() }

func (r rotation) floats() [4]float32 {
	return [4]float32{float32(r[0]), float32(r[1]), float32(r[2]), float32(r[3])}
}

type boundsVector struct {
	Min     rounded `json:"min"`
	MinBits vec     `json:"min_bits"`
	Max     rounded `json:"max"`
	MaxBits vec     `json:"max_bits"`
	PerUnit uint32  `json:"values_per_unit"`
}

func (b boundsVector) bounds() tsync.Bounds {
	return tsync.Bounds{Min: b.MinBits.floats(), Max: b.MaxBits.floats(), PerUnit: b.PerUnit}
}

// helloVector is an element of a table of hellos.
type helloVector struct {
	ID       any          `json:"id"`
	Position boundsVector `json:"position_bounds"`
	Velocity boundsVector `json:"velocity_bounds"`
	Quat     uint8        `json:"quat_mode"`
	SendRate uint8        `json:"send_rate_hz"`
	SimRate  uint8        `json:"sim_rate_hz"`
	Body     vectors.Hex  `json:"body_hex"`
	Codec    *struct {
		OK           bool    `json:"ok"`
		Error        string  `json:"error"`
		PositionBits [3]uint `json:"position_axis_bits"`
		VelocityBits [3]uint `json:"velocity_axis_bits"`
		QuatBits     uint    `json:"quat_bits"`
	} `json:"codec"`
}

func (v helloVector) hello() tsync.Hello {
	return tsync.Hello{
		Position: v.Position.bounds(), Velocity: v.Velocity.bounds(),
		Quat: quant.QuatMode(v.Quat), SendRate: v.SendRate, SimRate: v.SimRate,
	}
}

// codec returns the codec of a hello that has one.
func (v helloVector) codec(t *testing.T) *tsync.Codec {
	c, err := tsync.NewCodec(v.hello())
	require.NoError(t, err)
	return c
}

type updateVector struct {
	Object       uint32       `json:"object_id"`
	Gen          uint16       `json:"gen_epoch"`
	Mask         tsync.Fields `json:"changed_mask"`
	Position     rounded      `json:"position"`
	PositionBits vec          `json:"position_bits"`
	Rotation     rounded      `json:"rotation"`
	RotationBits rotation     `json:"rotation_bits"`
	Velocity     rounded      `json:"velocity"`
	VelocityBits vec          `json:"velocity_bits"`
	InputSeq     uint32       `json:"last_input_seq"`
}

type decodedUpdate struct {
	Position *vec      `json:"position_bits"`
	Rotation *rotation `json:"rotation_bits"`
	Velocity *vec      `json:"velocity_bits"`
}

// state returns the fields that are there, and the values of all.
func (d decodedUpdate) state() (s tsync.State, f tsync.Fields) {
	if d.Position != nil {
		s.Position, f = d.Position.floats(), f|tsync.FieldPosition
	}
	if d.Rotation != nil {
		s.Rotation, f = d.Rotation.floats(), f|tsync.FieldRotation
	}
	if d.Velocity != nil {
		s.Velocity, f = d.Velocity.floats(), f|tsync.FieldVelocity
	}
	return s, f
}

type snapshotVector struct {
	ID            string          `json:"id"`
	Hello         int             `json:"hello"`
	Tick          uint32          `json:"server_tick"`
	SnapshotID    uint32          `json:"snapshot_id"`
	Base          uint32          `json:"base_snapshot_id"`
	SendRate      uint8           `json:"send_rate_hz"`
	Removed       []uint32        `json:"removed"`
	Updates       []updateVector  `json:"updates"`
	Body          vectors.Hex     `json:"body_hex"`
	Decoded       []decodedUpdate `json:"decoded_updates"`
	ReencodesSame bool            `json:"reencodes_same"` // not in version 2
	Error         string          `json:"error"`
}

// snapshot quantises what v describes.
func (v snapshotVector) snapshot(c *tsync.Codec) (*tsync.Snapshot, error) {
	s := &tsync.Snapshot{Tick: v.Tick, ID: v.SnapshotID, Base: v.Base, SendRate: v.SendRate, Removed: v.Removed}
	for _, u := range v.Updates {
		state := tsync.State{
			Position: u.PositionBits.floats(), Rotation: u.RotationBits.floats(), Velocity: u.VelocityBits.floats(),
		}
		var codes tsync.Codes
		if err := c.Quantize(&state, u.Mask, &codes); err != nil {
			return nil, err
		}
		s.Updates = append(s.Updates, tsync.Update{
			Object: u.Object, Gen: u.Gen, Fields: u.Mask, InputSeq: u.InputSeq, Codes: codes,
		})
	}
	return s, nil
}

// requireDecoded compares a decoded snapshot with what v says of it.
func (v snapshotVector) requireDecoded(t *testing.T, c *tsync.Codec, want, got *tsync.Snapshot) {
	require.Equal(t, [3]uint32{want.Tick, want.ID, want.Base}, [3]uint32{got.Tick, got.ID, got.Base})
	require.Equal(t, want.SendRate, got.SendRate)
	require.True(t, slices.Equal(want.Removed, got.Removed))
	require.True(t, slices.Equal(want.Updates, got.Updates))
	require.Len(t, v.Decoded, len(got.Updates))
	for i, u := range got.Updates {
		state, fields := v.Decoded[i].state()
		require.Equal(t, fields, u.Fields&tsync.StateFields)
		var got tsync.State
		c.Dequantize(&u.Codes, u.Fields, &got)
		require.Equal(t, state, got)
	}
}

// throughFloats returns s as if its floats had been decoded and encoded again, as the reference does.
func throughFloats(t *testing.T, c *tsync.Codec, s tsync.Snapshot) *tsync.Snapshot {
	for i := range s.Updates {
		u := &s.Updates[i]
		var state tsync.State
		c.Dequantize(&u.Codes, u.Fields, &state)
		require.NoError(t, c.Quantize(&state, u.Fields, &u.Codes))
	}
	return &s
}

type ackVector struct {
	ID      string      `json:"id"`
	Acked   uint32      `json:"acked_snapshot_id"`
	History uint32      `json:"history"`
	Body    vectors.Hex `json:"body_hex"`
}

type roleVector struct {
	ID             string          `json:"id"`
	Object         uint32          `json:"object_id"`
	Role           tsync.RoleKind  `json:"role"`
	Owner          vectors.U64     `json:"owner"`
	OwnershipEpoch uint32          `json:"ownership_epoch"`
	Gen            uint16          `json:"gen_epoch"`
	Event          tsync.RoleEvent `json:"event"`
	Body           vectors.Hex     `json:"body_hex"`
}

type frameVector struct {
	Seq            uint32               `json:"input_seq"`
	SimTick        uint32               `json:"sim_tick"`
	DT             *float64             `json:"dt"`
	DTBits         valuevectors.Float32 `json:"dt_bits"`
	Object         uint32               `json:"object_id"`
	OwnershipEpoch uint32               `json:"ownership_epoch"`
	Move           rounded              `json:"move_velocity"`
	MoveBits       vec                  `json:"move_velocity_bits"`
	Payload        vectors.Hex          `json:"payload_hex"`
	Fire           *struct {
		Origin        rounded `json:"origin"`
		OriginBits    vec     `json:"origin_bits"`
		Direction     rounded `json:"direction"`
		DirectionBits vec     `json:"direction_bits"`
	} `json:"fire"`
}

type inputVector struct {
	ID         string        `json:"id"`
	Note       string        `json:"note"`
	Acked      uint32        `json:"acked_snapshot_id"`
	LastSeen   uint32        `json:"last_seen_snapshot_id"`
	Frames     []frameVector `json:"frames"`
	WireFrames int           `json:"wire_frame_count"`
	Body       vectors.Hex   `json:"body_hex"`
}

func (v inputVector) input() tsync.Input {
	in := tsync.Input{Acked: v.Acked, LastSeen: v.LastSeen}
	for _, f := range v.Frames {
		frame := tsync.InputFrame{
			Seq: f.Seq, SimTick: f.SimTick, DT: float32(f.DTBits), Object: f.Object, OwnershipEpoch: f.OwnershipEpoch,
			Move: f.MoveBits.floats(), Payload: f.Payload,
		}
		if f.Fire != nil {
			frame.Fire, frame.Origin, frame.Direction = true, f.Fire.OriginBits.floats(), f.Fire.DirectionBits.floats()
		}
		in.Frames = append(in.Frames, frame)
	}
	return in
}

type rewindVector struct {
	ID           string      `json:"id"`
	InputSeq     uint32      `json:"input_seq"`
	Hit          bool        `json:"hit"`
	Object       uint32      `json:"object_id"`
	HitPoint     rounded     `json:"hit_point"`
	HitPointBits vec         `json:"hit_point_bits"`
	RewindTick   uint32      `json:"rewind_tick"`
	Body         vectors.Hex `json:"body_hex"`
}
