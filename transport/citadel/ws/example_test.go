//go:build !js

package ws_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// A server that only WebSockets reach, and a client that says hello.
func Example() {
	ln, err := citadel.NewListener(citadel.ListenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	hs := ws.NewServer(ln, ws.Options{})
	go func() { _ = hs.Serve(tcp) }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := ws.Dial(ctx, "ws://"+tcp.Addr().String(), citadel.DialConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Nothing travels unreliably here, but arrives nevertheless.
	_ = conn.SendDatagram(100, []byte("hello"))
	conn.Disconnect(citadel.CodeNone, "that is all")

	for open := true; open && ln.Inbox().Wait(ctx) == nil; {
		ln.Inbox().Drain(func(e citadel.Event) {
			switch e.Kind {
			case citadel.Opened:
				fmt.Println("opened, guest:", e.Conn.Identity().Guest)
			case citadel.Frame:
				fmt.Printf("kind %d: %s\n", e.Envelope.Kind, e.Envelope.Body)
			case citadel.Closed:
				fmt.Println(e.Err)
				open = false
			}
		})
	}
	<-conn.Done()
	_ = hs.Close()
	_ = ln.Close()
	// Output:
	// opened, guest: true
	// kind 100: hello
	// citadel: connection closed by the peer (done): that is all
}
