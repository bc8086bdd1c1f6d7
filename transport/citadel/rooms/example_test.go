package rooms_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A server and a player in one process, whose loops this one loop stands for.
func Example() {
	server, err := rooms.New(rooms.Config{
		Create: func(_ rooms.Peer, params []byte) (rooms.Settings, error) {
			if string(params) == "palace" {
				return rooms.Settings{}, rooms.Deny("the king sleeps")
			}
			return rooms.Settings{Map: "labyrinth", Mode: "hunt", MaxMembers: 14}, nil
		},
		Hooks: rooms.Hooks{
			Ready:   func(m rooms.Room, p rooms.Peer) { fmt.Printf("server: %d of %d ready\n", m.Ready, m.Members) },
			Spawned: func(_ wire.RoomID, a wire.Spawn) { fmt.Println("server: actor", a.Object) },
			Closed:  func(m rooms.Room) { fmt.Println("server: no more", m.Params) },
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Pin: pin})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()

	over := false
	var player *rooms.Client
	player = rooms.NewClient(conn, rooms.ClientConfig{
		Joined: func(j rooms.Joined) {
			fmt.Printf("player: loading %s for %s\n", j.Map, j.Mode)
			_ = player.MapReady() // errors come again as the end of the connection
			_ = player.Announce(7, wire.Transform{Rotation: [4]float32{0, 0, 0, 1}})
		},
		Rejected: func(_ wire.Kind, reason string) {
			fmt.Println("player: rejected:", reason)
			_ = player.Create([]byte("crete"))
		},
		Spawned: func(a wire.Spawn, own bool) {
			fmt.Printf("player: actor %d, own %v\n", a.Object, own)
			_ = player.Leave()
		},
		Left: func(wire.RoomID) { over = true },
	})
	_ = player.Create([]byte("palace"))

	for !over && ctx.Err() == nil {
		ln.Inbox().Drain(func(e citadel.Event) { server.Receive(e) })
		conn.Inbox().Drain(func(e citadel.Event) { player.Receive(e) })
		time.Sleep(time.Millisecond)
	}
	// Output:
	// player: rejected: the king sleeps
	// player: loading labyrinth for hunt
	// server: 1 of 1 ready
	// server: actor 1
	// player: actor 1, own true
	// server: no more crete
}
