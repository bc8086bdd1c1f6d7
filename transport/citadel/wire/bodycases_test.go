package wire_test

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// bodyCase is what the tests need to know of one binary body.
type bodyCase struct {
	name string

	// decode returns what encoding the decoded value gives, and for an error whether the value is zero.
	decode func(b []byte) (again []byte, zero bool, err error)

	// sample returns a valid body and how many of its bytes must be there: what follows is payload.
	sample func(r *rand.Rand) (b []byte, need int)

	// short is the error for a body that ends before that; nil stands for ErrTooShort.
	short error

	// loose is set for bodies of which several spell the same value.
	loose bool
}

var bodyCases = []bodyCase{
	{
		name:   "datagram",
		decode: codec(wire.ParseDatagram, func(dst []byte, e wire.Envelope) []byte { return wire.AppendDatagram(dst, e.Kind, e.Body) }),
		sample: payload(2),
		short:  wire.ErrDatagramTooSmall,
	},
	{name: "position", decode: codec(wire.ParsePosition, wire.AppendPosition), sample: fixed(8)},
	{name: "sender", decode: codec(wire.ParseTagged, wire.AppendTagged), sample: payload(8)},
	{
		name:   "rpc_request",
		decode: codec(wire.ParseRPCRequest, wire.AppendRPCRequest),
		sample: func(r *rand.Rand) ([]byte, int) {
			b := appendSampleText(random(r, 8), r)
			need := len(b)
			return append(b, random(r, r.IntN(10))...), need
		},
	},
	{name: "rpc_response", decode: codec(wire.ParseRPCResponse, wire.AppendRPCResponse), sample: payload(9)},
	{
		name:   "auth",
		decode: codec(wire.ParseAuth, wire.AppendAuth),
		sample: func(r *rand.Rand) ([]byte, int) { return random(r, 5, 'a'), 0 },
	},
	{
		name:   "auth_result",
		decode: codec(wire.ParseAuthResult, wire.AppendAuthResult),
		sample: func(r *rand.Rand) ([]byte, int) { return append([]byte{byte(r.IntN(3))}, random(r, 5, 'a')...), 1 },
		loose:  true, // a rejection with and without the reason 0
	},

	{name: "transform", decode: codec(wire.ParseTransform, wire.AppendTransform), sample: fixed(40)},
	{name: "na_presence", decode: codec(wire.ParsePresence, wire.AppendPresence), sample: fixed(42)},
	{name: "na_spawn", decode: codec(wire.ParseSpawn, wire.AppendSpawn), sample: fixed(54)},
	{
		name:   "na_spawn_batch",
		decode: codec(wire.ParseSpawnBatch, appendBatch),
		sample: func(r *rand.Rand) ([]byte, int) {
			n := r.IntN(5)
			b := append([]byte{0, byte(n)}, random(r, 54*n)...)
			return b, len(b)
		},
	},
	{name: "na_despawn", decode: codec(wire.ParseDespawn, wire.AppendDespawn), sample: fixed(4)},
	{name: "na_state", decode: codec(wire.ParseState, wire.AppendState), sample: fixed(44)},

	{
		name:   "room_create",
		decode: codec(wire.ParseRoomCreate, wire.AppendRoomCreate),
		sample: func(r *rand.Rand) ([]byte, int) { b := appendSampleText(nil, r); return b, len(b) },
	},
	{name: "room_join", decode: codec(wire.ParseRoomID, wire.AppendRoomID), sample: fixed(8)},
	{
		name:   "room_joined",
		decode: codec(wire.ParseRoomJoined, wire.AppendRoomJoined),
		sample: func(r *rand.Rand) ([]byte, int) {
			b := appendSampleText(appendSampleText(random(r, 8), r), r)
			return b, len(b)
		},
	},
	{
		name:   "match_closed",
		decode: codec(wire.ParseMatchClosed, wire.AppendMatchClosed),
		sample: func(r *rand.Rand) ([]byte, int) { return append(random(r, 9), byte(r.IntN(2))), 10 },
		loose:  true, // any nonzero requeue byte is a one
	},
	{
		name:   "room_reject",
		decode: codec(wire.ParseRoomReject, wire.AppendRoomReject),
		sample: func(r *rand.Rand) ([]byte, int) { b := appendSampleText(random(r, 2), r); return b, len(b) },
	},

	{
		name:   "session_part",
		decode: codec(wire.ParsePart, wire.AppendPart),
		sample: func(r *rand.Rand) ([]byte, int) { return random(r, 13+r.IntN(10)), 13 },
		short:  wire.ErrPartTooSmall,
	},
	{name: "goodbye", decode: codec(wire.ParseGoodbye, wire.AppendGoodbye), sample: payload(4), short: wire.ErrGoodbyeTooSmall},
}

// bodyNamed returns the case of that name. Three kinds of the protocol have the same body.
func bodyNamed(t testing.TB, name string) bodyCase {
	if name == "room_leave" || name == "room_map_ready" {
		name = "room_join"
	}
	for _, c := range bodyCases {
		if c.name == name {
			return c
		}
	}
	require.Fail(t, "no such body", name)
	return bodyCase{}
}

func codec[T any](parse func([]byte) (T, error), encode func([]byte, T) []byte) func([]byte) ([]byte, bool, error) {
	return func(b []byte) ([]byte, bool, error) {
		v, err := parse(b)
		if err != nil {
			return nil, reflect.ValueOf(v).IsZero(), err
		}
		return encode(nil, v), false, nil
	}
}

func appendBatch(dst []byte, batch wire.SpawnBatch) []byte {
	var spawns []wire.Spawn
	for i := range batch.Len() {
		spawns = append(spawns, batch.At(i))
	}
	return wire.AppendSpawnBatch(dst, spawns)
}

// random returns n random bytes, or letters from a start on.
func random(r *rand.Rand, n int, start ...byte) []byte {
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(r.Uint32()); start != nil {
			b[i] = start[0] + b[i]%26
		}
	}
	return b
}

// appendSampleText appends a string with its length, with characters of all sizes.
func appendSampleText(dst []byte, r *rand.Rand) []byte {
	var s []byte
	for range r.IntN(6) {
		s = append(s, []string{"a", "é", "中", "🙂", "\x00"}[r.IntN(5)]...)
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(s)))
	return append(dst, s...)
}

func fixed(n int) func(*rand.Rand) ([]byte, int) {
	return func(r *rand.Rand) ([]byte, int) { return random(r, n), n }
}

func payload(header int) func(*rand.Rand) ([]byte, int) {
	return func(r *rand.Rand) ([]byte, int) { return random(r, header+r.IntN(10)), header }
}
