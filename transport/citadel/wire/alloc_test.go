package wire_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// allocatedBytes returns how many bytes a function allocates on average.
func allocatedBytes(runs int, fn func()) int {
	fn()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		fn()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / runs
}

// Encoding into a buffer that is there and decoding allocate nothing.
func TestBodiesAllocateNothing(t *testing.T) {
	dst := make([]byte, 0, 4096)
	text := []byte("a map or a method")
	spawns := make([]wire.Spawn, 10)
	var sink uint64
	for name, run := range map[string]func() error{
		"envelope": func() error {
			b, _ := wire.AppendFramed(dst, wire.KindNAState, text)
			_, _, err := wire.ParseFramed(b)
			return err
		},
		"datagram": func() error {
			_, err := wire.ParseDatagram(wire.AppendDatagram(dst, wire.KindNAState, text))
			return err
		},
		"position": func() error {
			p, err := wire.ParsePosition(wire.AppendPosition(dst, wire.Position{X: 1}))
			sink += uint64(p.X)
			return err
		},
		"tagged": func() error {
			_, err := wire.ParseTagged(wire.AppendTagged(dst, wire.Tagged{Payload: text}))
			return err
		},
		"rpc request": func() error {
			_, err := wire.ParseRPCRequest(wire.AppendRPCRequest(dst, wire.RPCRequest{Method: text, Payload: text}))
			return err
		},
		"rpc response": func() error {
			_, err := wire.ParseRPCResponse(wire.AppendRPCResponse(dst, wire.RPCResponse{Payload: text}))
			return err
		},
		"auth": func() error {
			_, err := wire.ParseAuth(wire.AppendAuth(dst, wire.Auth{Token: text}))
			return err
		},
		"auth result": func() error {
			_, err := wire.ParseAuthResult(wire.AppendAuthResult(dst, wire.AuthResult{UserID: text}))
			return err
		},
		"presence": func() error {
			_, err := wire.ParsePresence(wire.AppendPresence(dst, wire.Presence{}))
			return err
		},
		"spawn": func() error {
			_, err := wire.ParseSpawn(wire.AppendSpawn(dst, spawns[0]))
			return err
		},
		"spawn batch": func() error {
			batch, err := wire.ParseSpawnBatch(wire.AppendSpawnBatch(dst, spawns))
			for i := range batch.Len() {
				sink += batch.At(i).Owner
			}
			return err
		},
		"despawn": func() error {
			_, err := wire.ParseDespawn(wire.AppendDespawn(dst, wire.Despawn{}))
			return err
		},
		"state": func() error {
			_, err := wire.ParseState(wire.AppendState(dst, wire.State{}))
			return err
		},
		"room create": func() error {
			_, err := wire.ParseRoomCreate(wire.AppendRoomCreate(dst, wire.RoomCreate{Params: text}))
			return err
		},
		"room id": func() error {
			_, err := wire.ParseRoomID(wire.AppendRoomID(dst, 1))
			return err
		},
		"room joined": func() error {
			_, err := wire.ParseRoomJoined(wire.AppendRoomJoined(dst, wire.RoomJoined{Map: text, Mode: text}))
			return err
		},
		"match closed": func() error {
			_, err := wire.ParseMatchClosed(wire.AppendMatchClosed(dst, wire.MatchClosed{Requeue: true}))
			return err
		},
		"room reject": func() error {
			_, err := wire.ParseRoomReject(wire.AppendRoomReject(dst, wire.RoomReject{Reason: text}))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				if err := run(); err != nil {
					t.Fatal(err)
				}
			}))
		})
	}
}
