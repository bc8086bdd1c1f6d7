//go:build !js

package ws_test

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

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
	conn, err := ws.Dial(citadeltest.Within(t), url, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// pair is a server with one connection, seen from both ends.
type pair struct {
	*server
	*citadeltest.Pair
}

func connect(t testing.TB, sc citadel.ListenConfig, cc citadel.DialConfig) *pair {
	t.Helper()
	s := serve(t, sc, ws.Options{})
	return &pair{s, citadeltest.NewPair(t, s.ln, dial(t, s.url, cc))}
}

// over is how the tests that all links have to pass connect.
var over citadeltest.Connect = func(t testing.TB, sc citadel.ListenConfig, cc citadel.DialConfig) *citadeltest.Pair {
	return connect(t, sc, cc).Pair
}

// rawDial opens a WebSocket without our client.
func rawDial(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(citadeltest.Within(t), url, nil)
	require.NoError(t, err)
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// rawGuest opens a WebSocket and gets in.
func rawGuest(t testing.TB, url string) *websocket.Conn {
	t.Helper()
	conn := rawDial(t, url)
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	require.Equal(t, wire.AuthGuest, rawResult(t, conn).Status)
	return conn
}

func rawSend(t testing.TB, conn *websocket.Conn, b []byte) {
	t.Helper()
	require.NoError(t, conn.Write(citadeltest.Within(t), websocket.MessageBinary, b))
}

// rawEnvelopes reads the next message.
func rawEnvelopes(t testing.TB, conn *websocket.Conn) (all []wire.Envelope) {
	t.Helper()
	typ, b, err := conn.Read(citadeltest.Within(t))
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
	ctx := citadeltest.Within(t)
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
	require.NoError(t, c.SetDeadline(time.Now().Add(citadeltest.Patience)))
	_, err = c.Write([]byte("GET / HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	require.NoError(t, err)
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSwitchingProtocols, resp.StatusCode)
	return c, r
}
