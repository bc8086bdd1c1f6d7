package netem_test

import (
	"fmt"
	"net"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

func ExampleListen() {
	// A server that echoes.
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(buf[:n], from)
		}
	}()

	// A network that adds 40 ms to the round trip.
	relay, err := netem.Listen(server.LocalAddr().String(), netem.Config{Lag: 40 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer relay.Close()

	conn, err := net.Dial("udp", relay.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	start := time.Now()
	_, _ = conn.Write([]byte("hello"))
	buf := make([]byte, 1500)
	n, err := conn.Read(buf)
	fmt.Printf("%s %v %v\n", buf[:n], err, time.Since(start) >= 40*time.Millisecond)

	// Now it is dead.
	_ = relay.Update(netem.Config{Loss: 1})
	_, _ = conn.Write([]byte("anybody there?"))
	_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	_, err = conn.Read(buf)
	fmt.Println(err != nil, relay.Stats().Lost)
	// Output:
	// hello <nil> true
	// true 1
}
