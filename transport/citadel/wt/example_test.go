//go:build !js

package wt_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// A server that speaks QUIC and WebTransport on one port, and a client of the latter.
func Example() {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS:  &tls.Config{Certificates: []tls.Certificate{cert}},
		ALPN: wt.NewServer(wt.Options{Path: "/realtime"}).ALPN(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := wt.Dial(ctx, "https://"+ln.Addr().String()+"/realtime", citadel.DialConfig{Pin: pin})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = conn.SendDatagram(100, []byte("hello"))
	for open := true; open && ln.Inbox().Wait(ctx) == nil; {
		ln.Inbox().Drain(func(e citadel.Event) {
			switch e.Kind {
			case citadel.Opened:
				fmt.Println("opened, guest:", e.Conn.Identity().Guest)
			case citadel.Datagram:
				fmt.Printf("kind %d: %s\n", e.Envelope.Kind, e.Envelope.Body)
				conn.Disconnect(citadel.CodeNone, "that is all")
			case citadel.Closed:
				fmt.Println(e.Err)
				open = false
			}
		})
	}
	<-conn.Done()
	_ = ln.Close()
	// Output:
	// opened, guest: true
	// kind 100: hello
	// citadel: connection closed by the peer (done): that is all
}
