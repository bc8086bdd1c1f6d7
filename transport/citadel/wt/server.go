//go:build !js

package wt

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/internal/web"
)

// Options say which sessions a [Server] accepts. The zero value is useful.
type Options struct {
	// Path is the path of the URL that clients ask for. Empty means "/".
	Path string

	// Origins names the pages that may connect, beside those from the very host and port that they connect
	// to: patterns of [path.Match] that are compared with host and port of the page, or with scheme, host
	// and port if they contain "://". "*" lets every page in. Clients that are no pages are not concerned.
	// A malformed pattern matches nothing.
	Origins []string
}

// Server accepts WebTransport sessions on the QUIC connections that listeners hand to it. It is safe for
// concurrent use, and has nothing that needs closing.
type Server struct {
	options Options
	wt      *webtransport.Server

	mu    sync.Mutex
	conns map[*quic.Conn]*serverConn
}

// serverConn is a QUIC connection that may become a session.
type serverConn struct {
	ln    *citadel.Listener
	qc    *quic.Conn
	taken atomic.Bool // by a session, or by giving it up
}

// maxHeaderBytes is what the headers of a request may have.
const maxHeaderBytes = 16 << 10

// NewServer returns a server, to be used in [citadel.ListenConfig] as [Server.ALPN] says.
func NewServer(o Options) *Server {
	if o.Path == "" {
		o.Path = "/"
	}
	s := &Server{options: o, conns: make(map[*quic.Conn]*serverConn)}
	s.wt = &webtransport.Server{
		H3: &http3.Server{
			Handler:        http.HandlerFunc(s.upgrade),
			ConnContext:    s.connContext,
			MaxHeaderBytes: maxHeaderBytes,
		},
		CheckOrigin: func(r *http.Request) bool { return web.OriginAllowed(r, s.options.Origins) },
	}
	return s
}

// ALPN returns the value for the field of the same name in [citadel.ListenConfig].
func (s *Server) ALPN() map[string]func(*citadel.Listener, *quic.Conn) {
	return map[string]func(*citadel.Listener, *quic.Conn){Protocol: s.Serve}
}

// Serve serves one QUIC connection until it ends. One on which no session begins in the listener's
// HandshakeTimeout is closed; of those no more than the listener's MaxHalfOpen may exist.
func (s *Server) Serve(ln *citadel.Listener, qc *quic.Conn) {
	c := &serverConn{ln: ln, qc: qc}
	cfg := ln.Config()
	if !s.enter(c, cfg.MaxHalfOpen) {
		_ = qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad), "too many handshakes at once")
		return
	}
	defer s.leave(c)
	timeout := time.AfterFunc(cfg.HandshakeTimeout, func() {
		if !c.taken.Swap(true) {
			_ = qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "no session")
		}
	})
	defer timeout.Stop()
	_ = s.wt.ServeQUICConn(qc) // however it ends, it has ended
}

// enter notes a connection unless there are too many that have no session.
func (s *Server) enter(c *serverConn, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := 0
	for _, other := range s.conns {
		if other.ln == c.ln && !other.taken.Load() {
			idle++
		}
	}
	if idle >= most {
		return false
	}
	s.conns[c.qc] = c
	return true
}

func (s *Server) leave(c *serverConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c.qc)
}

type contextKey struct{}

// connContext lets a request find its connection.
func (s *Server) connContext(ctx context.Context, qc *quic.Conn) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return context.WithValue(ctx, contextKey{}, s.conns[qc])
}

// upgrade makes a session of a request.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(contextKey{}).(*serverConn)
	switch {
	case r.URL.Path != s.options.Path:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method != http.MethodConnect:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case !s.wt.CheckOrigin(r):
		w.WriteHeader(http.StatusForbidden)
		return
	case c.taken.Swap(true):
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.Header().Set(ownStreamsHeader, ownStreamsValue)
	sess, err := s.wt.Upgrade(w, r)
	if err != nil {
		_ = c.qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeRequestRejected), "")
		return
	}
	str := w.(http3.HTTPStreamer).HTTPStream()
	_ = c.ln.Admit(newLink(sess, c.qc, str, r.Header, func() {})) // the client has been told if not
}
