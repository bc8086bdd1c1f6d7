package live_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// A server and a client in one process, over real sockets. In a game each has a loop of its own.
func Example() {
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
	world, err := server.New(server.Config{PlayerSlots: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	there := live.NewServer(listener, world, live.ServerConfig{})

	conn, err := citadel.Dial(context.Background(), listener.Addr().String(), citadel.DialConfig{
		Config: citadel.Config{ManualFlush: true}, Pin: pin,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	sync, err := client.New(client.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	here := live.NewClient(conn, sync)

	var mine uint32
	heard := func(e client.Event) {
		if e, ok := e.(client.RoleChanged); ok && e.Mine {
			mine = e.Object
		}
	}
	steps := 0
	for moved := false; !moved; time.Sleep(time.Millisecond) {
		there.Pump()
		world.Tick()
		there.Send()
		there.Flush()

		if err := here.Pump(heard); err != nil {
			fmt.Println(err)
			return
		}
		sync.Advance(1.0 / 60)
		if _, _, ok := sync.Predicted(mine); ok && steps < 60 {
			steps++
			if _, err := sync.Push(mine, &client.Input{Move: [3]float32{300, 0, 0}, DT: 1.0 / 60}); err != nil {
				fmt.Println(err)
				return
			}
		}
		here.Flush()
		moved = steps == 60 && sync.Pending(mine) == 0
	}
	predicted, _, _ := sync.Predicted(mine)
	object, _ := world.Object(mine)
	fmt.Printf("predicted %.0f cm, on the server %.0f cm\n", predicted.Position[0], object.State.Position[0])
	fmt.Println("corrections:", sync.Stats().Corrections)

	// Output:
	// predicted 500 cm, on the server 500 cm
	// corrections: 0
}
