package bridge_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
)

// A server and a client in one process, over real sockets. In a game each has a loop of its own.
func Example() {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: citadel.Tokens(map[string]string{"secret": "ann"}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()

	authority, err := newPeer(netcode.Server, 0, game, protocol)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := bridge.NewServer(listener, func(c *citadel.Conn) (netcode.SessionID, netcode.AuthorID, error) {
		return game, 1, nil // everybody who got in is ann
	})
	if err := server.Router().Add(authority.host); err != nil {
		fmt.Println(err)
		return
	}

	ann, err := newPeer(netcode.Client, 1, game, protocol)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := bridge.NewClient(ann.host, func(ctx context.Context) (*citadel.Conn, error) {
		return citadel.Dial(ctx, listener.Addr().String(), citadel.DialConfig{Token: []byte("secret"), Pin: pin})
	}, bridge.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	sent := false
	for authority.host.Stats().Commands == 0 {
		server.Pump()
		if err := client.Pump(); err != nil {
			fmt.Println(err)
			return
		}
		if client.Session().State() == session.Ready && !sent {
			if _, err := ann.adds.Send(add{N: 5}, 0); err != nil {
				fmt.Println(err)
				return
			}
			sent = true
		}
		time.Sleep(time.Millisecond)
	}
	if err := authority.host.Tick(0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the authority's total is", authority.sum.total)
	// Output: the authority's total is 5
}
