//go:build !js

package ws

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// pingable says that this end can send pings, and sees the answers.
const pingable = true

// nativeSocket is a WebSocket on a connection that we can see.
type nativeSocket struct {
	conn *websocket.Conn
	nc   *netConn
	out  frameWriter
	in   messageReader

	mu    sync.Mutex
	pings uint64    // how many were sent
	since time.Time // when the last one was
}

var _ socket = (*nativeSocket)(nil)

// opening is a WebSocket that is being opened: the library wants to know what to do about pings before there is a
// socket to ask.
type opening struct{ l *link }

func (o *opening) ping(_ context.Context, payload []byte) (answer bool) {
	o.l.sock.(*nativeSocket).out.answerTo(payload)
	return false
}

func (o *opening) pong(_ context.Context, payload []byte) {
	if rtt, ok := o.l.sock.(*nativeSocket).hearPong(payload); ok {
		o.l.life.measured(rtt)
	}
}

// done makes a link of the WebSocket.
func (o *opening) done(conn *websocket.Conn, nc *netConn, cfg *citadel.Config, server bool, remote net.Addr) *link {
	conn.SetReadLimit(readLimit(cfg.MaxEnvelope))
	s := &nativeSocket{conn: conn, nc: nc, out: frameWriter{nc: nc, masked: !server}}
	o.l = newLink(s, cfg, server, nc.LocalAddr(), remote)
	nc.listen = o.l.life.listen
	return o.l
}

// Contexts that end tear a WebSocket down before it can say why. So none is given to it; what waits is woken
// through the network connection.

func (s *nativeSocket) next() (bool, io.Reader, error) {
	typ, r, err := s.conn.Reader(context.Background())
	if err != nil {
		return false, nil, s.explain(err)
	}
	s.in = messageReader{s, r}
	return typ == websocket.MessageText, &s.in, nil
}

// messageReader reads one message.
type messageReader struct {
	s *nativeSocket
	r io.Reader
}

func (m *messageReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = m.s.explain(err)
	}
	return n, err
}

// explain says why reading has failed: the peer has closed the WebSocket, or the network has failed, or else
// the peer breaks the protocol.
func (s *nativeSocket) explain(err error) error {
	if e, ok := errors.AsType[websocket.CloseError](err); ok {
		return &closedError{int(e.Code), e.Reason}
	}
	if cause := s.nc.failure(); cause != nil {
		if cause == io.EOF {
			cause = io.ErrUnexpectedEOF // the end of messages is announced
		}
		return cause
	}
	if errors.Is(err, net.ErrClosed) {
		return err
	}
	return violation("malformed message", err)
}

func (s *nativeSocket) send(p []byte) error { return s.out.send(p) }

// ping sends a ping with a number. Behind a message that the peer does not take it would tell nothing to it, nor
// to this end, so then there is none.
func (s *nativeSocket) ping() {
	s.mu.Lock()
	s.pings++
	s.since = time.Now()
	payload := binary.BigEndian.AppendUint64(nil, s.pings)
	s.mu.Unlock()
	s.out.ping(payload)
}

// hearPong returns the round-trip time if this is the answer to the last ping.
func (s *nativeSocket) hearPong(payload []byte) (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(payload) != 8 || binary.BigEndian.Uint64(payload) != s.pings {
		return 0, false
	}
	return time.Since(s.since), true
}

func (s *nativeSocket) close(status int, reason string) {
	s.nc.interrupt()
	// With nobody to read the answer, it does not wait for one.
	_ = s.conn.Close(websocket.StatusCode(status), reason)
}

func (s *nativeSocket) counts() (sent, received uint64) {
	return s.nc.sent.Load(), s.nc.received.Load()
}
