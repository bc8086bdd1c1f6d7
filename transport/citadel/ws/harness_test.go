//go:build !js

package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// patience bounds every wait of the tests. A test that is right never needs it.
const patience = 20 * time.Second

// server is a listener that only WebSockets reach.
type server struct {
	ln  *citadel.Listener
	url string
}

// serve starts a server that is closed with the test.
func serve(t testing.TB, cfg citadel.ListenConfig, o ws.Options) *server {
	t.Helper()
	ln, err := citadel.NewListener(cfg)
	require.NoError(t, err)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	hs := ws.NewServer(ln, o)
	served := make(chan error, 1)
	go func() { served <- hs.Serve(tcp) }()
	t.Cleanup(func() {
		require.NoError(t, hs.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
		require.NoError(t, ln.Close())
	})
	return &server{ln: ln, url: "ws://" + tcp.Addr().String() + "/"}
}

func (s *server) addr() string { return strings.TrimSuffix(strings.TrimPrefix(s.url, "ws://"), "/") }

// dial connects to a server; the connection is closed with the test.
func dial(t testing.TB, url string, cfg citadel.DialConfig) *citadel.Conn {
	t.Helper()
	conn, err := ws.Dial(within(t), url, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// event is a [citadel.Event] that owns its body.
type event struct {
	kind citadel.EventKind
	conn *citadel.Conn
	env  wire.Kind
	body []byte
	err  error
}

// reader is the game loop of a test.
type reader struct {
	t     testing.TB
	inbox *citadel.Inbox
	queue []event
}

func read(t testing.TB, inbox *citadel.Inbox) *reader { return &reader{t: t, inbox: inbox} }

// next returns the next event, whatever it is, but for the progress of large frames.
func (r *reader) next() event {
	r.t.Helper()
	ctx := within(r.t)
	for len(r.queue) == 0 {
		require.NoError(r.t, r.inbox.Wait(ctx), "no event came")
		r.inbox.Drain(func(e citadel.Event) {
			if e.Kind == citadel.Progress {
				return
			}
			r.queue = append(r.queue, event{e.Kind, e.Conn, e.Envelope.Kind, bytes.Clone(e.Envelope.Body), e.Err})
		})
	}
	e := r.queue[0]
	r.queue = r.queue[1:]
	return e
}

// expect returns the next event, which must be of this kind.
func (r *reader) expect(kind citadel.EventKind) event {
	r.t.Helper()
	e := r.next()
	require.Equal(r.t, kind, e.kind, "got a %v event with envelope %#x, %d bytes and error %v", e.kind, e.env, len(e.body), e.err)
	return e
}

// expectClosed returns why a connection has ended.
func (r *reader) expectClosed() *citadel.CloseError {
	r.t.Helper()
	var e *citadel.CloseError
	require.ErrorAs(r.t, r.expect(citadel.Closed).err, &e)
	return e
}

// pair is a server with one connection, seen from both ends.
type pair struct {
	*server
	there, here        *citadel.Conn // the server's end and the client's
	atServer, atClient *reader
}

func connect(t testing.TB, sc citadel.ListenConfig, cc citadel.DialConfig) *pair {
	t.Helper()
	p := &pair{server: serve(t, sc, ws.Options{})}
	p.here = dial(t, p.url, cc)
	p.atServer, p.atClient = read(t, p.ln.Inbox()), read(t, p.here.Inbox())
	p.there = p.atServer.expect(citadel.Opened).conn
	require.Same(t, p.here, p.atClient.expect(citadel.Opened).conn)
	return p
}

// eventually polls a condition.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		require.True(t, time.Now().Before(deadline), "never happened: %s", what)
		time.Sleep(2 * time.Millisecond)
	}
}

// rawDial opens a WebSocket without our client.
func rawDial(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(within(t), url, nil)
	require.NoError(t, err)
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// rawGuest opens a WebSocket and gets in.
func rawGuest(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	conn := rawDial(t, url)
	rawSend(t, conn, frame(t, wire.KindAuth, nil))
	require.Equal(t, wire.AuthGuest, rawResult(t, conn).Status)
	return conn
}

func rawSend(t testing.TB, conn *websocket.Conn, b []byte) {
	t.Helper()
	require.NoError(t, conn.Write(within(t), websocket.MessageBinary, b))
}

// rawEnvelopes reads the next message.
func rawEnvelopes(t testing.TB, conn *websocket.Conn) (all []wire.Envelope) {
	t.Helper()
	typ, b, err := conn.Read(within(t))
	require.NoError(t, err)
	require.Equal(t, websocket.MessageBinary, typ)
	for len(b) > 0 {
		e, n, err := wire.ParseFramed(b)
		require.NoError(t, err)
		require.NotZero(t, n, "an envelope is cut off")
		all = append(all, e)
		b = b[n:]
	}
	return all
}

// rawResult reads the server's answer to a handshake.
func rawResult(t testing.TB, conn *websocket.Conn) wire.AuthResult {
	t.Helper()
	all := rawEnvelopes(t, conn)
	require.NotEmpty(t, all)
	require.Equal(t, wire.KindAuthResult, all[0].Kind)
	r, err := wire.ParseAuthResult(all[0].Body)
	require.NoError(t, err)
	return r
}

// rawClosed reads until the WebSocket is closed and returns how.
func rawClosed(t testing.TB, conn *websocket.Conn) websocket.CloseError {
	t.Helper()
	ctx := within(t)
	for {
		_, _, err := conn.Read(ctx)
		if err != nil {
			var e websocket.CloseError
			require.ErrorAs(t, err, &e)
			return e
		}
	}
}

// upgrade opens a WebSocket by hand, and leaves the rest to the caller.
func upgrade(t testing.TB, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = c.Write([]byte("GET / HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	require.NoError(t, err)
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	return c, r
}

func frame(t testing.TB, kind wire.Kind, body []byte) []byte {
	t.Helper()
	b, err := wire.AppendFramed(nil, kind, body)
	require.NoError(t, err)
	return b
}

// pattern returns n bytes that are not alike.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}
