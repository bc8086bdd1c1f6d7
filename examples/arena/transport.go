package main

import (
	"context"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// transport is what connections are made of. The rest of the program is the same over any of them.
type transport string

const (
	overQUIC transport = "quic"
	overWS   transport = "ws" // WebSocket, without TLS
	overWT   transport = "wt" // WebTransport
)

// String implements flag.Value.
func (t *transport) String() string { return string(*t) }

// Set implements flag.Value.
func (t *transport) Set(text string) error {
	switch known := transport(text); known {
	case overQUIC, overWS, overWT:
		*t = known
		return nil
	}
	return fmt.Errorf("want one of %v", []transport{overQUIC, overWS, overWT})
}

// dial connects to a server.
func dial(ctx context.Context, by transport, addr, pin string) (*citadel.Conn, error) {
	cfg := citadel.DialConfig{Config: citadel.Config{ManualFlush: true}, Pin: pin}
	switch by {
	case overWS:
		cfg.Pin = "" // there is no TLS, hence no certificate
		return ws.Dial(ctx, "ws://"+addr+"/", cfg)
	case overWT:
		return wt.Dial(ctx, "https://"+addr+"/", cfg)
	default:
		return citadel.Dial(ctx, addr, cfg)
	}
}
