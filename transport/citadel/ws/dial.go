package ws

import (
	"context"
	"fmt"
	"net/url"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// Dial connects to a server at a URL such as "ws://127.0.0.1:7352/" or "wss://play.example.com/realtime" and
// authenticates. It returns when the server has accepted; the [citadel.Opened] event is then in the inbox. The
// context ends the attempt, not the connection.
//
// The configuration's TLS and Pin are for wss. In a browser they have no meaning, and a pin that nobody checks
// is an error there, as it is for ws. Redirections are not followed. Errors are those of [citadel.Dial].
func Dial(ctx context.Context, rawURL string, cfg citadel.DialConfig) (*citadel.Conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("ws: dial: %w", err)
	}
	c, err := dial(ctx, u, cfg)
	if err != nil {
		// The query may hold secrets.
		return nil, fmt.Errorf("ws: dial %s://%s%s: %w", u.Scheme, u.Host, u.EscapedPath(), err)
	}
	return c, nil
}

func dial(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (*citadel.Conn, error) {
	if u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, fmt.Errorf("scheme %q is not ws or wss", u.Scheme)
	}
	var err error
	if cfg.Config, err = cfg.WithDefaults(); err != nil {
		return nil, err
	}
	if cfg.Pin != "" && (u.Scheme != "wss" || !pinnable) {
		return nil, &citadel.ConfigError{Field: "DialConfig.Pin", Problem: "nobody checks it over " + u.Scheme}
	}
	ready, cancel := context.WithTimeoutCause(ctx, cfg.HandshakeTimeout, citadel.ErrTimeout)
	defer cancel()
	l, err := connect(ready, u, cfg)
	if err != nil {
		if ready.Err() != nil {
			return nil, context.Cause(ready)
		}
		return nil, err
	}
	return citadel.Open(ctx, l, cfg)
}
