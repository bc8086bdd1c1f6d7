package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

type naFile struct {
	source
	Presence   []naVector     `json:"presence"`
	Spawn      []naVector     `json:"spawn"`
	SpawnBatch []batchVector  `json:"spawn_batch"`
	Despawn    []naVector     `json:"despawn"`
	State      []naVector     `json:"state"`
	Decode     []decodeVector `json:"decode"`
}

// naVector has the fields of all bodies of actors; each uses some.
type naVector struct {
	ID        string          `json:"id"`
	Object    uint32          `json:"object_id"`
	Archetype uint16          `json:"archetype_id"`
	Owner     vectors.U64     `json:"owner"`
	Transform transformVector `json:"transform"`
	Body      vectors.Hex     `json:"body_hex"`
}

type batchVector struct {
	ID     string      `json:"id"`
	Spawns []naVector  `json:"spawns"`
	Body   vectors.Hex `json:"body_hex"`
}

type transformVector struct {
	Position     json.RawMessage `json:"position"` // by their bits instead
	Rotation     json.RawMessage `json:"rotation"`
	Velocity     json.RawMessage `json:"velocity"`
	PositionBits [3]float        `json:"position_bits"`
	RotationBits [4]float        `json:"rotation_bits"`
	VelocityBits [3]float        `json:"velocity_bits"`
}

func (v *transformVector) transform() (t wire.Transform) {
	for i, f := range v.PositionBits {
		t.Position[i] = float32(f)
	}
	for i, f := range v.RotationBits {
		t.Rotation[i] = float32(f)
	}
	for i, f := range v.VelocityBits {
		t.Velocity[i] = float32(f)
	}
	return t
}

func (v *naVector) spawn() wire.Spawn {
	return wire.Spawn{Object: v.Object, Archetype: v.Archetype, Owner: uint64(v.Owner), Transform: v.Transform.transform()}
}

// transformBits makes transforms comparable.
func transformBits(t wire.Transform) (out []uint32) {
	out = append(out, bits(t.Position[:]...)...)
	out = append(out, bits(t.Rotation[:]...)...)
	return append(out, bits(t.Velocity[:]...)...)
}

// decodeVector is a body as it may arrive.
type decodeVector struct {
	ID        string      `json:"id"`
	Decoder   string      `json:"decoder"`
	Note      string      `json:"note"`
	Body      vectors.Hex `json:"body_hex"`
	OK        bool        `json:"ok"`
	Error     string      `json:"error"`
	Reencoded vectors.Hex `json:"reencoded_hex"`
}

// checkDecode runs a file's list of bodies, which must have some for each of the decoders.
func checkDecode(t *testing.T, list []decodeVector, decoders ...string) {
	met := map[string]bool{}
	eachOf(t, list, func(v decodeVector) string { return v.ID }, func(t *testing.T, v decodeVector) {
		met[v.Decoder] = true
		require.Contains(t, decoders, v.Decoder)
		again, _, err := bodyNamed(t, v.Decoder).decode(v.Body)
		requireVerdict(t, v.OK, v.Error, err)
		if v.OK {
			require.Equal(t, []byte(v.Reencoded), again, v.Note)
		}
	})
	require.Len(t, met, len(decoders))
}

func TestConformanceNetworkedActors(t *testing.T) {
	vectors.EachFile(t, "citadel", "na.json", func(t *testing.T, f naFile) {
		id := func(v naVector) string { return v.ID }
		eachOf(t, f.Presence, id, func(t *testing.T, v naVector) {
			body := wire.AppendPresence(nil, wire.Presence{Archetype: v.Archetype, Transform: v.Transform.transform()})
			require.Equal(t, []byte(v.Body), body)
			p, err := wire.ParsePresence(body)
			require.NoError(t, err)
			require.Equal(t, v.Archetype, p.Archetype)
			require.Equal(t, transformBits(v.Transform.transform()), transformBits(p.Transform))
		})
		eachOf(t, f.Spawn, id, func(t *testing.T, v naVector) {
			body := wire.AppendSpawn(nil, v.spawn())
			require.Equal(t, []byte(v.Body), body)
			s, err := wire.ParseSpawn(body)
			require.NoError(t, err)
			checkSpawn(t, v, s)
		})
		eachOf(t, f.SpawnBatch, func(v batchVector) string { return v.ID }, func(t *testing.T, v batchVector) {
			var spawns []wire.Spawn
			for _, s := range v.Spawns {
				spawns = append(spawns, s.spawn())
			}
			body := wire.AppendSpawnBatch(nil, spawns)
			require.Equal(t, []byte(v.Body), body)
			batch, err := wire.ParseSpawnBatch(body)
			require.NoError(t, err)
			require.Len(t, v.Spawns, batch.Len())
			for i, s := range v.Spawns {
				checkSpawn(t, s, batch.At(i))
			}
		})
		eachOf(t, f.Despawn, id, func(t *testing.T, v naVector) {
			body := wire.AppendDespawn(nil, wire.Despawn{Object: v.Object})
			require.Equal(t, []byte(v.Body), body)
			d, err := wire.ParseDespawn(body)
			require.NoError(t, err)
			require.Equal(t, v.Object, d.Object)
		})
		eachOf(t, f.State, id, func(t *testing.T, v naVector) {
			body := wire.AppendState(nil, wire.State{Object: v.Object, Transform: v.Transform.transform()})
			require.Equal(t, []byte(v.Body), body)
			s, err := wire.ParseState(body)
			require.NoError(t, err)
			require.Equal(t, v.Object, s.Object)
			require.Equal(t, transformBits(v.Transform.transform()), transformBits(s.Transform))
		})
		checkDecode(t, f.Decode, "na_presence", "na_spawn", "na_spawn_batch", "na_despawn", "na_state")
	})
}

func checkSpawn(t *testing.T, v naVector, s wire.Spawn) {
	require.Equal(t, v.Object, s.Object)
	require.Equal(t, v.Archetype, s.Archetype)
	require.Equal(t, uint64(v.Owner), s.Owner)
	require.Equal(t, transformBits(v.Transform.transform()), transformBits(s.Transform))
}

type roomFile struct {
	source
	Create      []roomVector   `json:"create"`
	Join        []roomVector   `json:"join"`
	Joined      []roomVector   `json:"joined"`
	Leave       []roomVector   `json:"leave"`
	MapReady    []roomVector   `json:"map_ready"`
	MatchClosed []roomVector   `json:"match_closed"`
	Reject      []rejectVector `json:"reject"`
	Decode      []decodeVector `json:"decode"`
}

// roomVector has the fields of the bodies of rooms; each uses some.
type roomVector struct {
	ID       string      `json:"id"`
	Params   vectors.Hex `json:"params_hex"`
	Room     vectors.U64 `json:"room_id"`
	Map      string      `json:"map"`
	MapUTF8  vectors.Hex `json:"map_utf8_hex"`
	Mode     string      `json:"mode"`
	ModeUTF8 vectors.Hex `json:"mode_utf8_hex"`
	Reason   uint8       `json:"reason"`
	Requeue  bool        `json:"requeue_hint"`
	Body     vectors.Hex `json:"body_hex"`
}

type rejectVector struct {
	ID         string      `json:"id"`
	Note       string      `json:"note"`
	Request    wire.Kind   `json:"request_kind"`
	Reason     string      `json:"reason"`
	ReasonUTF8 vectors.Hex `json:"reason_utf8_hex"`
	Repeat     *repeated   `json:"reason_repeat"`
	Body       vectors.Hex `json:"body_hex"`
	BodyLen    *int        `json:"body_len"`
	Decodes    *bool       `json:"decodes"`
	Error      string      `json:"error"`
}

func TestConformanceRooms(t *testing.T) {
	vectors.EachFile(t, "citadel", "room.json", func(t *testing.T, f roomFile) {
		id := func(v roomVector) string { return v.ID }
		eachOf(t, f.Create, id, func(t *testing.T, v roomVector) {
			body := wire.AppendRoomCreate(nil, wire.RoomCreate{Params: v.Params})
			require.Equal(t, []byte(v.Body), body)
			r, err := wire.ParseRoomCreate(body)
			require.NoError(t, err)
			require.Equal(t, []byte(v.Params), r.Params)
		})
		for _, section := range [][]roomVector{f.Join, f.Leave, f.MapReady} {
			eachOf(t, section, id, func(t *testing.T, v roomVector) {
				body := wire.AppendRoomID(nil, wire.RoomID(v.Room))
				require.Equal(t, []byte(v.Body), body)
				room, err := wire.ParseRoomID(body)
				require.NoError(t, err)
				require.Equal(t, wire.RoomID(v.Room), room)
			})
		}
		eachOf(t, f.Joined, id, func(t *testing.T, v roomVector) {
			want := wire.RoomJoined{Room: wire.RoomID(v.Room), Map: v.MapUTF8, Mode: v.ModeUTF8}
			body := wire.AppendRoomJoined(nil, want)
			require.Equal(t, []byte(v.Body), body)
			got, err := wire.ParseRoomJoined(body)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, v.Map+"/"+v.Mode, string(got.Map)+"/"+string(got.Mode))
		})
		eachOf(t, f.MatchClosed, id, func(t *testing.T, v roomVector) {
			want := wire.MatchClosed{Room: wire.RoomID(v.Room), Reason: v.Reason, Requeue: v.Requeue}
			body := wire.AppendMatchClosed(nil, want)
			require.Equal(t, []byte(v.Body), body)
			got, err := wire.ParseMatchClosed(body)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
		eachOf(t, f.Reject, func(v rejectVector) string { return v.ID }, checkReject)
		checkDecode(t, f.Decode, "room_create", "room_join", "room_joined", "room_leave", "room_map_ready",
			"room_reject", "match_closed")
	})
}

func checkReject(t *testing.T, v rejectVector) {
	reason := v.Repeat.text(v.ReasonUTF8)
	body := wire.AppendRoomReject(nil, wire.RoomReject{Request: v.Request, Reason: reason})
	require.Equal(t, []byte(v.Body), body)
	if v.BodyLen != nil {
		require.Len(t, body, *v.BodyLen)
	}
	got, err := wire.ParseRoomReject(body)
	requireVerdict(t, v.Decodes == nil || *v.Decodes, v.Error, err)
	if err == nil {
		require.Equal(t, wire.RoomReject{Request: v.Request, Reason: reason}, got)
		require.Equal(t, v.Reason, string(got.Reason))
	}
}
