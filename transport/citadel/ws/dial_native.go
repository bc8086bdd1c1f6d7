//go:build !js

package ws

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// pinnable says that this end can check a server's certificate itself.
const pinnable = true

// connect opens a WebSocket.
func connect(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (*link, error) {
	conf, err := cfg.ClientTLS("http/1.1")
	if err != nil {
		return nil, err
	}
	rt := &roundTripper{tr: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSClientConfig:        conf,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}}
	rt.tr.DialContext = rt.dial
	defer rt.tr.CloseIdleConnections() // there is one only if no WebSocket came of it
	var o opening
	conn, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{
		HTTPClient: &http.Client{
			Transport:     rt,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		CompressionMode: websocket.CompressionDisabled,
		OnPingReceived:  o.ping,
		OnPongReceived:  o.pong,
	})
	if err != nil {
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close()
		}
		return nil, err
	}
	return o.done(conn, rt.nc, &cfg.Config, false, rt.nc.RemoteAddr()), nil
}

// roundTripper makes one request and gets hold of the network connection that becomes a WebSocket.
type roundTripper struct {
	tr  *http.Transport
	raw net.Conn // to the server or a proxy
	nc  *netConn // what remains when the request has succeeded
}

func (rt *roundTripper) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	rt.raw = conn
	return conn, err
}

// RoundTrip implements [http.RoundTripper].
func (rt *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := rt.tr.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if rw, ok := resp.Body.(io.ReadWriter); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		rt.nc = &netConn{Conn: rt.raw, rw: rw}
		resp.Body = rt.nc
	}
	return resp, nil
}
