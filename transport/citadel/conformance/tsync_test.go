package conformance

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// tsyncFile is tsync.json.
type tsyncFile struct {
	source
	Hellos         []helloVector       `json:"hellos"`
	HelloExtra     []helloVector       `json:"hello_extra"`
	HelloDecode    []helloDecodeVector `json:"hello_decode"`
	Snapshots      []snapshotVector    `json:"snapshots"`
	SnapshotErrors []snapshotVector    `json:"snapshot_encode_errors"`
	Acks           []ackVector         `json:"acks"`
	Roles          []roleVector        `json:"roles"`
	Inputs         []inputVector       `json:"inputs"`
	Rewinds        []rewindVector      `json:"rewinds"`
}

type helloDecodeVector struct {
	ID        string      `json:"id"`
	Note      string      `json:"note"`
	Body      vectors.Hex `json:"body_hex"`
	OK        bool        `json:"ok"`
	Error     string      `json:"error"`
	Reencoded vectors.Hex `json:"reencoded_hex"`
}

func TestConformanceTsync(t *testing.T) {
	vectors.EachFile(t, "citadel", "tsync.json", func(t *testing.T, f tsyncFile) {
		t.Run("hellos", func(t *testing.T) { checkHellos(t, f) })
		for _, v := range f.Snapshots {
			t.Run(v.ID, func(t *testing.T) { checkSnapshot(t, at(t, f.Hellos, v.Hello).codec(t), v) })
		}
		for _, v := range f.SnapshotErrors {
			t.Run(v.ID, func(t *testing.T) {
				_, err := v.snapshot(at(t, f.Hellos, v.Hello).codec(t))
				require.True(t, errorIs(err, v.Error), "%v is not %s", err, v.Error)
			})
		}
		for _, v := range f.Inputs {
			t.Run(v.ID, func(t *testing.T) { checkInput(t, v) })
		}
		t.Run("fixed", func(t *testing.T) { checkFixedBodies(t, f) })
	})
}

func checkHellos(t *testing.T, f tsyncFile) {
	for _, v := range append(f.Hellos, f.HelloExtra...) {
		checkHello(t, v)
		require.NotNil(t, v.Codec)
		c, err := tsync.NewCodec(v.hello())
		if !v.Codec.OK {
			require.True(t, errorIs(err, v.Codec.Error), "%v: %v is not %s", v.ID, err, v.Codec.Error)
			continue
		}
		require.NoError(t, err, v.ID)
		require.Equal(t, v.Codec.PositionBits, axisBits(c.Position()), v.ID)
		require.Equal(t, v.Codec.VelocityBits, axisBits(c.Velocity()), v.ID)
		require.Equal(t, v.Codec.QuatBits, c.RotationBits(), v.ID)
		require.Equal(t, sum(v.Codec.PositionBits), c.PositionBits(), v.ID)
		require.Equal(t, sum(v.Codec.VelocityBits), c.VelocityBits(), v.ID)
		require.Equal(t, v.hello(), c.Hello())
	}
	for _, v := range f.HelloDecode {
		h, err := tsync.ParseHello(v.Body)
		if !v.OK {
			require.True(t, errorIs(err, v.Error), "%s: %v is not %s", v.Note, err, v.Error)
			require.Zero(t, h)
			continue
		}
		require.NoError(t, err, v.Note)
		require.Equal(t, []byte(v.Reencoded), tsync.AppendHello(nil, h), v.Note)
	}
}

func checkHello(t *testing.T, v helloVector) {
	require.Equal(t, []byte(v.Body), tsync.AppendHello(nil, v.hello()), v.ID)
	h, err := tsync.ParseHello(v.Body)
	require.NoError(t, err, v.ID)
	require.Equal(t, bits(t, v.hello()), bits(t, h), v.ID)
}

func axisBits(v quant.Vector) [3]uint { return [3]uint{v[0].Bits(), v[1].Bits(), v[2].Bits()} }

func sum(n [3]uint) uint { return n[0] + n[1] + n[2] }

// bits returns the bits of a value of fixed size, in which NaN equals NaN.
func bits(t *testing.T, v any) []byte {
	b, err := binary.Append(nil, binary.BigEndian, v)
	require.NoError(t, err)
	return b
}

func checkSnapshot(t *testing.T, c *tsync.Codec, v snapshotVector) {
	s, err := v.snapshot(c)
	require.NoError(t, err)
	body, err := c.AppendSnapshot(nil, s)
	require.NoError(t, err)
	require.Equal(t, []byte(v.Body), body)
	require.Equal(t, len(body), c.SnapshotBytes(s))

	var w tsync.SnapshotWriter
	w.Begin(c, nil, tsync.SnapshotHeader{Tick: s.Tick, ID: s.ID, Base: s.Base, SendRate: s.SendRate})
	for _, id := range s.Removed {
		require.NoError(t, w.Remove(id))
	}
	for i := range s.Updates {
		require.NoError(t, w.Add(&s.Updates[i]))
	}
	require.Equal(t, c.SnapshotBits(s), w.Bits())
	require.Equal(t, []byte(v.Body), w.Bytes())

	h, err := tsync.ParseSnapshotHeader(v.Body)
	require.NoError(t, err)
	require.Equal(t, tsync.SnapshotHeader{
		Tick: v.Tick, ID: v.SnapshotID, Base: v.Base, SendRate: v.SendRate,
		Removed: uint16(len(v.Removed)), Updates: uint16(len(v.Updates)),
	}, h)

	var got tsync.Snapshot
	require.NoError(t, c.ParseSnapshot(v.Body, &got))
	v.requireDecoded(t, c, s, &got)
	again, err := c.AppendSnapshot(nil, throughFloats(t, c, got))
	require.NoError(t, err)
	require.Equal(t, v.ReencodesSame, string(again) == string(v.Body))
}

func checkInput(t *testing.T, v inputVector) {
	in := v.input()
	require.Equal(t, []byte(v.Body), tsync.AppendInput(nil, &in))
	require.Equal(t, len(v.Body), tsync.InputBytes(&in))
	var got tsync.Input
	require.NoError(t, tsync.ParseInput(v.Body, &got))
	in.Frames = in.Frames[:v.WireFrames]
	requireSameInput(t, in, got)
}

func requireSameInput(t *testing.T, want, got tsync.Input) {
	require.Equal(t, [2]uint32{want.Acked, want.LastSeen}, [2]uint32{got.Acked, got.LastSeen})
	require.Len(t, got.Frames, len(want.Frames))
	for i := range want.Frames {
		require.Equal(t, bits(t, unpaid(want.Frames[i])), bits(t, unpaid(got.Frames[i])), i)
		require.Equal(t, string(want.Frames[i].Payload), string(got.Frames[i].Payload), i)
	}
}

// unpaid returns a frame without its payload.
func unpaid(f tsync.InputFrame) any {
	return struct {
		Numbers [4]uint32
		Floats  [10]float32
		Fire    bool
	}{
		[4]uint32{f.Seq, f.SimTick, f.Object, f.OwnershipEpoch},
		[10]float32{
			f.DT, f.Move[0], f.Move[1], f.Move[2], f.Origin[0], f.Origin[1], f.Origin[2],
			f.Direction[0], f.Direction[1], f.Direction[2],
		},
		f.Fire,
	}
}

// checkFixedBodies checks the bodies of fixed size.
func checkFixedBodies(t *testing.T, f tsyncFile) {
	for _, v := range f.Acks {
		a := tsync.Ack{ID: v.Acked, History: v.History}
		require.Equal(t, []byte(v.Body), tsync.AppendAck(nil, a), v.ID)
		got, err := tsync.ParseAck(v.Body)
		require.NoError(t, err, v.ID)
		require.Equal(t, a, got, v.ID)
	}
	for _, v := range f.Roles {
		r := tsync.Role{
			Object: v.Object, Role: v.Role, Owner: uint64(v.Owner),
			OwnershipEpoch: v.OwnershipEpoch, Gen: v.Gen, Event: v.Event,
		}
		require.Equal(t, []byte(v.Body), tsync.AppendRole(nil, r), v.ID)
		got, err := tsync.ParseRole(v.Body)
		require.NoError(t, err, v.ID)
		require.Equal(t, r, got, v.ID)
	}
	for _, v := range f.Rewinds {
		r := tsync.Rewind{
			InputSeq: v.InputSeq, Hit: v.Hit, Object: v.Object,
			HitPoint: v.HitPointBits.floats(), RewindTick: v.RewindTick,
		}
		require.Equal(t, []byte(v.Body), tsync.AppendRewind(nil, r), v.ID)
		got, err := tsync.ParseRewind(v.Body)
		require.NoError(t, err, v.ID)
		require.Equal(t, bits(t, r), bits(t, got), v.ID)
	}
}

var tsyncDecoders = map[string]decodeFunc{
	"tsync_hello":       plain(tsync.ParseHello, tsync.AppendHello),
	"tsync_ack":         plain(tsync.ParseAck, tsync.AppendAck),
	"tsync_role":        plain(tsync.ParseRole, tsync.AppendRole),
	"tsync_rewind":      plain(tsync.ParseRewind, tsync.AppendRewind),
	"tsync_v2_manifest": plain(tsync.ParseManifest, tsync.AppendManifest),

	"tsync_snapshot": func(t *testing.T, c malformedContext, body []byte) ([]byte, error) {
		codec := c.hello.codec(t)
		var s tsync.Snapshot
		if err := codec.ParseSnapshot(body, &s); err != nil {
			requireEmpty(t, s)
			return nil, err
		}
		same, err := codec.AppendSnapshot(nil, &s)
		require.NoError(t, err)
		require.Equal(t, body, same, "codes go through unchanged")
		return codec.AppendSnapshot(nil, throughFloats(t, codec, s))
	},
	"tsync_input": func(t *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		var in tsync.Input
		if err := tsync.ParseInput(body, &in); err != nil {
			require.Empty(t, in.Frames)
			return nil, err
		}
		return tsync.AppendInput(nil, &in), nil
	},
	"tsync_v2_input": func(t *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		var in tsync.InputV2
		if err := tsync.ParseInputV2(body, &in); err != nil {
			require.Empty(t, in.Input.Frames)
			return nil, err
		}
		return tsync.AppendInputV2(nil, &in)
	},
	"tsync_v2_snapshot": func(t *testing.T, c malformedContext, body []byte) ([]byte, error) {
		codec := c.hello.codec(t)
		var s tsync.SnapshotV2
		if err := codec.ParseSnapshotV2(body, &s); err != nil {
			require.Zero(t, s.Clock)
			requireEmpty(t, s.Snapshot)
			return nil, err
		}
		s.Snapshot = *throughFloats(t, codec, s.Snapshot)
		return codec.AppendSnapshotV2(nil, &s)
	},
}

// requireEmpty requires that nothing is left of a snapshot but the room for its lists.
func requireEmpty(t *testing.T, s tsync.Snapshot) {
	require.Empty(t, s.Removed)
	require.Empty(t, s.Updates)
	s.Removed, s.Updates = nil, nil
	require.Zero(t, s)
}

// TestConformanceIdentity is the worked example of the reference page.
func TestConformanceIdentity(t *testing.T) {
	c, err := tsync.NewCodec(tsync.DefaultHello())
	require.NoError(t, err)
	var codes tsync.Codes
	require.NoError(t, c.Quantize(&tsync.State{Rotation: [4]float32{0, 0, 0, 1}}, tsync.FieldRotation, &codes))
	var w bitpack.Writer
	w.WriteBits(codes.Rotation, c.RotationBits())
	require.Equal(t, []byte{0xE0, 0x08, 0x02, 0x00}, w.Bytes())
	require.Equal(t, [3]uint{23, 23, 20}, axisBits(c.Position()))
}
