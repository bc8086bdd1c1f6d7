package main

import (
	"context"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// transport is what connections are made of. The rest of the program is the same over any of them.
type transport string

const (
	overQUIC transport = "quic"
	overWS   transport = "ws" // WebSocket
	overWT   transport = "wt" // WebTransport
)

var transports = []transport{overQUIC, overWS, overWT}

// String implements flag.Value.
func (t *transport) String() string { return string(*t) }

// Set implements flag.Value.
func (t *transport) Set(text string) error {
	for _, known := range transports {
		if text == string(known) {
			*t = known
			return nil
		}
	}
	return fmt.Errorf("want one of %v", transports)
}

// route leads to a server.
type route struct {
	by   transport
	addr string // host and port
	pin  string // of the server's certificate
}

// session returns the id of the game at the end of the route.
func (r route) session() (netcode.SessionID, error) { return gameOf(r.pin) }

// dial connects.
func (r route) dial(ctx context.Context, cfg citadel.DialConfig) (*citadel.Conn, error) {
	switch r.by {
	case overWS:
		// There is no TLS, hence no certificate. Outside of one's own machine it needs a proxy that adds TLS,
		// and wss here.
		return ws.Dial(ctx, "ws://"+r.addr+"/", cfg)
	case overWT:
		cfg.Pin = r.pin
		return wt.Dial(ctx, "https://"+r.addr+"/", cfg)
	default:
		cfg.Pin = r.pin
		return citadel.Dial(ctx, r.addr, cfg)
	}
}
