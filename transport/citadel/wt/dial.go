package wt

import (
	"context"
	"fmt"
	"net/url"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// Dial connects to a server at a URL such as "https://play.example.com:7350/" and authenticates. It returns when
// the server has accepted; the [citadel.Opened] event is then in the inbox. The context ends the attempt, not
// the connection. Errors are those of [citadel.Dial].
func Dial(ctx context.Context, rawURL string, cfg citadel.DialConfig) (*citadel.Conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("wt: dial: %w", err)
	}
	c, err := dial(ctx, u, cfg)
	if err != nil {
		// The query may hold secrets.
		return nil, fmt.Errorf("wt: dial %s://%s%s: %w", u.Scheme, u.Host, u.EscapedPath(), err)
	}
	return c, nil
}

func dial(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (*citadel.Conn, error) {
	if u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not the URL of an https server", u.Redacted())
	}
	var err error
	if cfg.Config, err = cfg.WithDefaults(); err != nil {
		return nil, err
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
