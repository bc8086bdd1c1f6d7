package wire_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Bits that a machine might be tempted to change: NaNs that signal or carry something, zeros with a sign, and
// numbers too small for full precision.
var delicate = []uint32{
	0x7f800001, 0x7fa00000, 0x7fbfffff, 0xff800001, 0xffbfffff, // signalling
	0x7fc00000, 0x7fffffff, 0xffc00001, 0xffffffff, 0x7fd55555, // quiet
	0x7f800000, 0xff800000, 0x80000000, 0x00000000, 0x00000001, 0x807fffff,
}

// TestFloatBitsSurvive takes numbers through every function and assignment that a user would: the bits must
// come out as they went in, on every machine.
func TestFloatBitsSurvive(t *testing.T) {
	for _, n := range delicate {
		var b []byte
		for range 10 {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		transform, err := wire.ParseTransform(b)
		require.NoError(t, err)
		for _, got := range transformBits(transform) {
			require.Equal(t, n, got)
		}
		require.Equal(t, b, wire.AppendTransform(nil, transform))

		// Through struct fields, arrays, slices and single variables.
		x := transform.Position[0]
		rotation := transform.Rotation
		spawns := []wire.Spawn{{Transform: wire.Transform{
			Position: [3]float32{x, x, transform.Position[2]}, Rotation: rotation, Velocity: transform.Velocity,
		}}}
		batch, err := wire.ParseSpawnBatch(wire.AppendSpawnBatch(nil, append(spawns, spawns...)))
		require.NoError(t, err)
		state := wire.AppendState(nil, wire.State{Transform: batch.At(1).Transform})
		require.Equal(t, b, state[4:])
		presence, err := wire.ParsePresence(wire.AppendPresence(nil, wire.Presence{Transform: batch.At(0).Transform}))
		require.NoError(t, err)
		require.Equal(t, b, wire.AppendTransform(nil, presence.Transform))

		little := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), n)
		p, err := wire.ParsePosition(little)
		require.NoError(t, err)
		require.Equal(t, []uint32{n, n}, bits(p.X, p.Y))
		require.Equal(t, little, wire.AppendPosition(nil, wire.Position{X: p.Y, Y: p.X}))
	}
}

// rawSpawn has the layout of a spawn for encoding/binary, the slow and obvious oracle.
type rawSpawn struct {
	Object    uint32
	Archetype uint16
	Owner     uint64
	Transform [10]uint32
}

func rawOf(s wire.Spawn) rawSpawn {
	return rawSpawn{s.Object, s.Archetype, s.Owner, [10]uint32(transformBits(s.Transform))}
}

func TestSpawnAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		body := random(r, wire.SpawnBytes)
		var want rawSpawn
		_, err := binary.Decode(body, binary.BigEndian, &want)
		require.NoError(t, err)
		got, err := wire.ParseSpawn(body)
		require.NoError(t, err)
		require.Equal(t, want, rawOf(got))
		require.Equal(t, body, wire.AppendSpawn(nil, got))

		// The other bodies are parts of it.
		presence, err := wire.ParsePresence(append(body[4:6:6], body[14:]...))
		require.NoError(t, err)
		require.Equal(t, want.Archetype, presence.Archetype)
		require.Equal(t, want.Transform[:], transformBits(presence.Transform))
		state, err := wire.ParseState(append(body[:4:4], body[14:]...))
		require.NoError(t, err)
		require.Equal(t, want.Object, state.Object)
		require.Equal(t, want.Transform[:], transformBits(state.Transform))
	}
}

func TestSpawnBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 20 {
		body := append([]byte{0, byte(n)}, random(r, n*wire.SpawnBytes)...)
		batch, err := wire.ParseSpawnBatch(append(body, 1, 2, 3))
		require.NoError(t, err)
		require.Equal(t, n, batch.Len())
		for i := range n {
			want, err := wire.ParseSpawn(body[2+i*wire.SpawnBytes:])
			require.NoError(t, err)
			require.Equal(t, rawOf(want), rawOf(batch.At(i)))
		}
		require.Panics(t, func() { batch.At(n) })
		require.Equal(t, body, appendBatch(nil, batch))
	}
	var none wire.SpawnBatch
	require.Zero(t, none.Len())
}

// The largest batch is full, and an encoder keeps as many.
func TestLargestSpawnBatch(t *testing.T) {
	spawns := make([]wire.Spawn, wire.MaxSpawnBatch+5)
	for i := range spawns {
		spawns[i] = wire.Spawn{Object: uint32(i), Owner: math.MaxUint64}
	}
	body := wire.AppendSpawnBatch(nil, spawns)
	require.Len(t, body, 2+wire.MaxSpawnBatch*wire.SpawnBytes)
	batch, err := wire.ParseSpawnBatch(body)
	require.NoError(t, err)
	require.Equal(t, wire.MaxSpawnBatch, batch.Len())
	require.Equal(t, spawns[wire.MaxSpawnBatch-1], batch.At(wire.MaxSpawnBatch-1))
	_, err = wire.ParseSpawnBatch(body[:len(body)-1])
	require.ErrorIs(t, err, wire.ErrTooShort)
}

// Encoders append, whatever the slice that they get: without room, and with room that holds something.
func TestEncodersAppend(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 50 {
		s, err := wire.ParseSpawn(random(r, wire.SpawnBytes))
		require.NoError(t, err)
		want := wire.AppendSpawn(nil, s)
		for _, room := range []int{0, 1, 20, wire.SpawnBytes, 100} {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			copy(dst[3:cap(dst)], bytes.Repeat([]byte{0xee}, room))
			require.Equal(t, "abc"+string(want), string(wire.AppendSpawn(dst, s)))
		}
	}
}
