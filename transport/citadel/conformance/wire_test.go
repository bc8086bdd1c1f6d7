package conformance

import (
	"errors"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// errNeedMore stands for what is no error of package wire: there is no whole frame yet.
var errNeedMore = errors.New("no whole frame")

var wireDecoders = map[string]decodeFunc{
	"framed": func(_ *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		e, n, err := wire.ParseFramed(body)
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			return nil, errNeedMore
		}
		return wire.AppendFramed([]byte{}, e.Kind, e.Body)
	},
	"datagram": plain(wire.ParseDatagram, func(dst []byte, e wire.Envelope) []byte {
		return wire.AppendDatagram(dst, e.Kind, e.Body)
	}),
	"auth_result": plain(wire.ParseAuthResult, func(dst []byte, r wire.AuthResult) []byte {
		if r.Status > wire.AuthRejected {
			return nil // the reference cannot write what it does not know
		}
		return wire.AppendAuthResult(dst, r)
	}),
	"rpc_request":  plain(wire.ParseRPCRequest, wire.AppendRPCRequest),
	"rpc_response": plain(wire.ParseRPCResponse, wire.AppendRPCResponse),
	"sender":       plain(wire.ParseTagged, wire.AppendTagged),

	"na_presence": plain(wire.ParsePresence, wire.AppendPresence),
	"na_spawn":    plain(wire.ParseSpawn, wire.AppendSpawn),
	"na_spawn_batch": plain(wire.ParseSpawnBatch, func(dst []byte, batch wire.SpawnBatch) []byte {
		var spawns []wire.Spawn
		for i := range batch.Len() {
			spawns = append(spawns, batch.At(i))
		}
		return wire.AppendSpawnBatch(dst, spawns)
	}),
	"na_despawn": plain(wire.ParseDespawn, wire.AppendDespawn),
	"na_state":   plain(wire.ParseState, wire.AppendState),

	"room_create":    plain(wire.ParseRoomCreate, wire.AppendRoomCreate),
	"room_join":      plain(wire.ParseRoomID, wire.AppendRoomID),
	"room_joined":    plain(wire.ParseRoomJoined, wire.AppendRoomJoined),
	"room_leave":     plain(wire.ParseRoomID, wire.AppendRoomID),
	"room_map_ready": plain(wire.ParseRoomID, wire.AppendRoomID),
	"room_reject":    plain(wire.ParseRoomReject, wire.AppendRoomReject),
	"match_closed":   plain(wire.ParseMatchClosed, wire.AppendMatchClosed),
}

// plain makes a decodeFunc of a body's parser, which needs nothing but the body, and its encoder.
func plain[T any](parse func(b []byte) (T, error), encode func(dst []byte, v T) []byte) decodeFunc {
	return func(_ *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		v, err := parse(body)
		if err != nil {
			return nil, err
		}
		return encode([]byte{}, v), nil
	}
}
