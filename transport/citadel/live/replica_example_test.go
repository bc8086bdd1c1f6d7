//go:build !js

package live_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// A player proposes an emote; the server lets it, and gives a score of its own.
func ExampleReplicaServer() {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config: citadel.Config{ManualFlush: true},
		TLS:    &tls.Config{Certificates: []tls.Certificate{cert}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	const player, object = replica.PeerID(1), 101
	truth := authority.NewServer(authority.Config{})
	if err := truth.Register(avatar); err != nil {
		fmt.Println(err)
		return
	}
	entity, err := truth.Spawn(authority.Spec{Object: object, Class: avatar.ID(), Match: 1, Owner: player})
	if err != nil {
		fmt.Println(err)
		return
	}
	there := live.NewReplicaServer(truth, live.ReplicaServerConfig{})

	conn, err := citadel.Dial(context.Background(), listener.Addr().String(), citadel.DialConfig{
		Config: citadel.Config{ManualFlush: true}, Pin: pin,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	here := live.NewReplicaClient(conn, replica.NewReceiver(0, avatar))
	author := replica.NewAuthor(avatar, object, 0)

	for scored := false; !scored; time.Sleep(time.Millisecond) {
		listener.Inbox().Drain(func(e citadel.Event) {
			if !there.Handle(e) && e.Kind == citadel.Opened {
				err = there.Join(e.Conn, player, 1, false)
			}
		})
		if emote := entity.State().Int(emoteField); emote > 0 {
			_ = entity.State().SetInt(scoreField, 10*emote)
		}
		if err == nil {
			err = there.Send()
		}
		listener.Flush()
		if err != nil {
			fmt.Println(err)
			return
		}

		conn.Inbox().Drain(func(e citadel.Event) {
			if _, failed := here.Handle(e, func(u replica.Update) { scored = u.State.Int(scoreField) > 0 }); failed != nil {
				err = failed
			}
		})
		if err == nil && here.Receiver().State(object) != nil {
			err = here.Propose(author, &emoting{emote: 3})
		}
		if err == nil {
			err = here.Acknowledge()
		}
		conn.Flush()
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	state := here.Receiver().State(object)
	fmt.Println("emote", state.Int(emoteField), "score", state.Int(scoreField))

	// Output: emote 3 score 30
}
