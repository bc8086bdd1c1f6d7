package client_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A client walks for a second, at a server that answers at once.
func Example() {
	world, err := server.New(server.Config{PlayerSlots: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New(client.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var peer *server.Client
	toServer := func(f client.Frame) {
		switch f.Kind {
		case wire.KindTsyncHello:
			peer, err = world.Join(9, f.Body)
		case wire.KindTsyncInput:
			err = peer.Input(f.Body)
		case wire.KindTsyncAck:
			err = peer.Ack(f.Body)
		}
	}
	toClient := func(kind wire.Kind, body []byte) {
		ev, refused := c.Receive(kind, body)
		if refused != nil {
			fmt.Println(refused)
		}
		switch ev := ev.(type) {
		case client.Welcome:
			fmt.Println("snapshots a second:", ev.Hello.SendRate)
		case client.RoleChanged:
			fmt.Println("object", ev.Object, "mine:", ev.Mine)
		}
	}
	for _, f := range c.Flush() {
		toServer(f)
	}
	toClient(wire.KindTsyncHello, peer.AppendHello(nil))

	o, _ := world.Object(1)
	start := o.State.Position
	var poses []client.Pose
	for range 60 {
		for _, object := range c.AppendOwned(nil) {
			_, _ = c.Push(object, &client.Input{Move: [3]float32{300, 0, 0}, DT: 1.0 / 60}) // refused until it is in view
		}
		c.Advance(1.0 / 60)
		poses = c.AppendPoses(poses[:0]) // to be drawn
		for _, f := range c.Flush() {
			toServer(f)
		}

		world.Tick()
		if peer.Due() {
			body, _ := peer.AppendSnapshot(nil)
			toClient(peer.SnapshotKind(), body)
		}
		for _, r := range peer.Roles() {
			toClient(wire.KindTsyncRole, tsync.AppendRole(nil, r))
		}
	}
	state, _, _ := c.Predicted(1)
	o, _ = world.Object(1)
	fmt.Printf("walked %.0f cm, the server agrees: %v\n", state.Position[0]-start[0], state.Position == o.State.Position)
	fmt.Println(len(poses), "object drawn, predicted:", poses[0].Predicted)
	// Output:
	// snapshots a second: 20
	// object 1 mine: true
	// walked 285 cm, the server agrees: true
	// 1 object drawn, predicted: true
}
