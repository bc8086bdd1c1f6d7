//go:build !js

package ws

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/internal/web"
)

// Options say which requests a [Handler] accepts. The zero value is useful.
type Options struct {
	// Origins names the pages that may connect, beside those from the very host and port that they connect
	// to: patterns of [path.Match] that are compared with host and port of the page, or with scheme, host
	// and port if they contain "://". "*" lets every page in. Clients that are no pages are not concerned.
	// A malformed pattern matches nothing.
	Origins []string

	// RemoteAddr returns the address that a request counts for, if that is not the one that it comes from,
	// because the server is behind a proxy. Nil, also as a result, means the one that it comes from.
	RemoteAddr func(r *http.Request) net.Addr
}

// Handler returns a handler that makes connections of ln's of the requests to open a WebSocket. ln's limits,
// authenticator and inbox apply to them, and its Shutdown ends them. Which path, host and certificate it is
// reached by is up to the HTTP server; see [NewServer] for what that must look after.
//
// A request that does not ask for a WebSocket gets an HTTP error, and one of a page that may not connect gets
// 403 (Forbidden). A client that cannot be let in for other reasons is told so by how its WebSocket is closed.
func Handler(ln *citadel.Listener, o Options) http.Handler {
	cfg := ln.Config().Config
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !web.OriginAllowed(r, o.Origins) {
			http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
			return
		}
		l, err := accept(w, r, &cfg, o)
		if err != nil {
			return // the client has got an HTTP error
		}
		_ = ln.Admit(l) // the client has been told if not
	})
}

// accept turns a request into a link.
func accept(w http.ResponseWriter, r *http.Request, cfg *citadel.Config, options Options) (*link, error) {
	h := &hijacker{ResponseWriter: w}
	var o opening
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Subprotocol},
		InsecureSkipVerify: true, // the origin has been checked
		CompressionMode:    websocket.CompressionDisabled,
		OnPingReceived:     o.ping,
		OnPongReceived:     o.pong,
	})
	if err != nil {
		return nil, err
	}
	remote := h.nc.RemoteAddr()
	if options.RemoteAddr != nil {
		if addr := options.RemoteAddr(r); addr != nil {
			remote = addr
		}
	}
	return o.done(conn, h.nc, cfg, true, remote), nil
}

// hijacker gets hold of the network connection of a request.
type hijacker struct {
	http.ResponseWriter
	nc *netConn
}

// Hijack implements [http.Hijacker].
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	// The server's deadlines were for the request.
	if err := nc.SetDeadline(time.Time{}); err != nil {
		_ = nc.Close()
		return nil, nil, err
	}
	h.nc = &netConn{Conn: nc, rw: nc}
	rw.Writer.Reset(h.nc)
	return h.nc, rw, nil
}

// maxHeaderBytes is what the headers of a request may have. Browsers with many cookies need a few thousand.
const maxHeaderBytes = 16 << 10

// NewServer returns an HTTP server that has nothing to do but to serve a [Handler], at every path. A client has
// HandshakeTimeout for its request, which may have 16 KiB of headers.
//
// Its address is [DefaultPort] of all interfaces; the caller starts it with ListenAndServe, ListenAndServeTLS
// or the like. Its Close and Shutdown know nothing of WebSockets that are open: those are ended by the
// listener's, which therefore come after them.
func NewServer(ln *citadel.Listener, o Options) *http.Server {
	cfg := ln.Config()
	return &http.Server{
		Addr:              net.JoinHostPort("", DefaultPort),
		Handler:           Handler(ln, o),
		ReadHeaderTimeout: cfg.HandshakeTimeout,
		ReadTimeout:       cfg.HandshakeTimeout,
		WriteTimeout:      cfg.HandshakeTimeout,
		IdleTimeout:       cfg.HandshakeTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
	}
}
