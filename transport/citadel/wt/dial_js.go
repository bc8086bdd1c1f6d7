package wt

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"syscall/js"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// connect opens a session.
func connect(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (citadel.Link, error) {
	options := map[string]any{"congestionControl": "low-latency"}
	if cfg.Pin != "" {
		pin, err := citadel.ParsePin(cfg.Pin)
		if err != nil {
			return nil, err
		}
		options["serverCertificateHashes"] = []any{map[string]any{"algorithm": "sha-256", "value": toJS(pin[:])}}
	}
	v, err := construct(u.String(), options)
	if err != nil {
		return nil, err
	}
	l, err := newLink(v, u.Host)
	if err != nil {
		return nil, err
	}
	if _, err := await(ctx, v.Get("ready")); err != nil {
		l.Close(citadel.CodeNone, "")
		return nil, err
	}
	return l, nil
}

func construct(u string, options map[string]any) (v js.Value, err error) {
	defer catch(&err)
	class := js.Global().Get("WebTransport")
	if class.IsUndefined() {
		return v, fmt.Errorf("no WebTransport here: %w", errors.ErrUnsupported)
	}
	return class.New(u, options), nil
}
