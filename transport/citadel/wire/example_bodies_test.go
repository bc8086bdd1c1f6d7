package wire_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func ExampleKind_Info() {
	for _, kind := range []wire.Kind{wire.KindNAState, wire.KindRoomLeave, 99, 100} {
		info, ok := kind.Info()
		fmt.Println(kind, ok, "-", info.Direction, "-", info.Delivery)
	}
	// Output:
	// na_state true - client to server - unreliable
	// room_leave true - both ways - reliable
	// kind(99) false - unspecified - unspecified
	// kind(100) false - unspecified - unspecified
}

func ExampleDecoder_Frames() {
	message, _ := wire.AppendFramed(nil, wire.KindRoomJoin, wire.AppendRoomID(nil, 7))
	message, _ = wire.AppendFramed(message, wire.KindDiagServerTime, []byte("?"))

	var dec wire.Decoder
	for e, err := range dec.Frames(message) {
		if err != nil {
			fmt.Println(err) // the stream is of no use any more
			return
		}
		switch e.Kind {
		case wire.KindRoomJoin:
			room, err := wire.ParseRoomID(e.Body)
			fmt.Println("join", room, err)
		default:
			fmt.Println("ignored:", e.Kind)
		}
	}
	// Output:
	// join 7 <nil>
	// ignored: diag_server_time
}

func ExampleParseSpawnBatch() {
	body := wire.AppendSpawnBatch(nil, []wire.Spawn{
		{Object: 1, Archetype: 10, Owner: 500, Transform: wire.Transform{Rotation: [4]float32{3: 1}}},
		{Object: 2, Archetype: 11, Transform: wire.Transform{Position: [3]float32{100, 0, 50}, Rotation: [4]float32{3: 1}}},
	})
	batch, err := wire.ParseSpawnBatch(body)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range batch.Len() {
		s := batch.At(i)
		fmt.Println(s.Object, s.Archetype, s.Owner, s.Transform.Position)
	}
	_, err = wire.ParseSpawnBatch(body[:60])
	fmt.Println(err)
	// Output:
	// 1 10 500 [0 0 0]
	// 2 11 0 [100 0 50]
	// wire: body ends early: spawn batch
}

func ExampleParseRPCRequest() {
	body := wire.AppendRPCRequest(nil, wire.RPCRequest{ID: 1, Method: []byte("ping"), Payload: []byte{0xca, 0xfe}})
	fmt.Printf("%x\n", body)
	r, err := wire.ParseRPCRequest(body)
	fmt.Printf("%d %s %x %v\n", r.ID, r.Method, r.Payload, err)
	fmt.Printf("%x\n", wire.AppendRPCResponse(nil, wire.RPCResponse{ID: r.ID, Status: wire.RPCError, Payload: []byte("no")}))
	// Output:
	// 0000000000000001000470696e67cafe
	// 1 ping cafe <nil>
	// 0000000000000001016e6f
}

// Changes of messages are delivered at least once; the ids tell what has been seen.
func ExampleParseChatEvent() {
	type key struct{ channel, event wire.ID }
	seen := map[key]bool{}
	for _, body := range []string{
		`{"version":1,"type":"message.create","channel_id":"general","event_id":9007199254740993,"message":{"text":"hi"}}`,
		`{"version":1,"type":"message.create","channel_id":"general","event_id":9007199254740993,"message":{"text":"hi"}}`,
		`{"version":1,"type":"typing","channel_id":"general","presence":{"user":"a"},"typing":true,"expires_at":1735689630000}`,
		`{"version":1,"type":"typing","channel_id":"general","presence":{"user":"a"},"typing":true,"expires_at":1,"mood":2}`,
	} {
		e, err := wire.ParseChatEvent([]byte(body))
		switch {
		case err != nil:
			fmt.Println(err)
		case e.Type.Durable() && seen[key{e.Channel, e.Event}]:
			fmt.Println("seen", e.Event)
		case e.Type.Durable():
			seen[key{e.Channel, e.Event}] = true
			fmt.Println(e.Type, e.Event, string(e.Message))
		default:
			fmt.Println(e.Type, e.Typing, e.ExpiresAt)
		}
	}
	// Output:
	// message.create 9007199254740993 {"text":"hi"}
	// seen 9007199254740993
	// typing true 1735689630000
	// wire: JSON member missing, not allowed, or of the wrong type: "mood"
}

func ExampleNotification_Member() {
	n, err := wire.ParseNotification([]byte(`{"id": 18446744073709551615, "subject": "welcome"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	raw, ok := n.Member("id")
	id, err := wire.ParseID(raw)
	fmt.Println(id, ok, err)
	// Output:
	// 18446744073709551615 true <nil>
}
