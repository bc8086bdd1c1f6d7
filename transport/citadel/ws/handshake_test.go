//go:build !js

package ws_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
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

func TestGuest(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	require.Equal(t, citadel.Identity{Guest: true}, p.There.Identity())
	require.Equal(t, citadel.Identity{Guest: true}, p.Here.Identity())
	require.Equal(t, p.addr(), p.Here.RemoteAddr().String())
	require.Equal(t, p.Here.LocalAddr().String(), p.There.RemoteAddr().String())
	require.Equal(t, p.Here.RemoteAddr().String(), p.There.LocalAddr().String())
	require.Zero(t, p.Here.MaxDatagram())
	require.Zero(t, p.There.MaxDatagram())
}

func TestToken(t *testing.T) {
	p := connect(t,
		citadel.ListenConfig{Authenticator: citadel.Tokens(map[string]string{"s3cret": "ariadne"})},
		citadel.DialConfig{Token: []byte("s3cret")})
	require.Equal(t, citadel.Identity{UserID: "ariadne"}, p.There.Identity())
	require.Equal(t, citadel.Identity{UserID: "ariadne"}, p.Here.Identity())
}

func TestRejected(t *testing.T) {
	s := serve(t, citadel.ListenConfig{
		Authenticator: citadel.Tokens(map[string]string{"s3cret": "ariadne"}), MaxTokenBytes: 100,
	}, ws.Options{})
	for _, c := range []struct {
		token  string
		reason wire.AuthReason
	}{
		{"", wire.ReasonAuthRequired},
		{"guess", wire.ReasonAuthFailed},
		{"\xff", wire.ReasonAuthFailed},
		{strings.Repeat("x", 101), wire.ReasonProtocol},
	} {
		_, err := ws.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Token: []byte(c.token)})
		var auth *citadel.AuthError
		require.ErrorAs(t, err, &auth, "%.10q", c.token)
		require.Equal(t, c.reason, auth.Reason, "%.10q", c.token)
	}
	require.EqualValues(t, 4, s.ln.Stats().Rejected)
}

// What a client that is not ours sees of a rejection.
func TestRejectionSeenByOthers(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Authenticator: citadel.Tokens(nil)}, ws.Options{})
	conn := rawDial(t, s.url)
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, []byte("guess")))
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonAuthFailed}, rawResult(t, conn))
	closed := rawClosed(t, conn)
	require.EqualValues(t, 4000+citadel.CodeAuthFailed, closed.Code)
	require.Equal(t, "authentication failed", closed.Reason)
}

func TestFirstFrameMustBeAuth(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	conn := rawDial(t, s.url)
	rawSend(t, conn, citadeltest.Frame(t, 100, []byte("hello")))
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonProtocol}, rawResult(t, conn))
	require.EqualValues(t, 4000+citadel.CodeAuthProtocol, rawClosed(t, conn).Code)
}

func TestSilentClient(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{HandshakeTimeout: 50 * time.Millisecond}}, ws.Options{})
	conn := rawDial(t, s.url)
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonProtocol}, rawResult(t, conn))
	require.EqualValues(t, 4000+citadel.CodeAuthProtocol, rawClosed(t, conn).Code)
	require.EqualValues(t, 1, s.ln.Stats().TimedOut)
}

func TestSilentServer(t *testing.T) {
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		for err == nil {
			_, _, err = conn.Read(t.Context())
		}
	}))
	defer hs.Close()
	cfg := citadel.DialConfig{Config: citadel.Config{HandshakeTimeout: 50 * time.Millisecond}}
	_, err := ws.Dial(citadeltest.Within(t), hs.URL[len("http:"):], cfg)
	require.Error(t, err, "no scheme")
	_, err = ws.Dial(citadeltest.Within(t), "ws"+hs.URL[len("http"):], cfg)
	require.ErrorIs(t, err, citadel.ErrTimeout)
}

// A server that accepts TCP connections and says nothing at all.
func TestMuteServer(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	url := "ws://" + tcp.Addr().String()
	cfg := citadel.DialConfig{Config: citadel.Config{HandshakeTimeout: 50 * time.Millisecond}}
	_, err = ws.Dial(citadeltest.Within(t), url, cfg)
	require.ErrorIs(t, err, citadel.ErrTimeout)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ws.Dial(ctx, url, citadel.DialConfig{})
	require.ErrorIs(t, err, context.Canceled)

	require.NoError(t, tcp.Close())
	_, err = ws.Dial(citadeltest.Within(t), url, citadel.DialConfig{})
	var refused *net.OpError
	require.ErrorAs(t, err, &refused)
}

func TestNoWebSocketThere(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	hs := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer hs.Close()
	_, err := ws.Dial(citadeltest.Within(t), "ws"+hs.URL[len("http"):], citadel.DialConfig{})
	require.ErrorContains(t, err, "302")
	require.False(t, asked, "the redirection was followed")
	_, err = ws.Dial(citadeltest.Within(t), "ws"+other.URL[len("http"):], citadel.DialConfig{})
	require.ErrorContains(t, err, "200")
}

func TestDialRefusesNonsense(t *testing.T) {
	var config *citadel.ConfigError
	_, err := ws.Dial(citadeltest.Within(t), "ws://127.0.0.1:1", citadel.DialConfig{Pin: strings.Repeat("ab", 32)})
	require.ErrorAs(t, err, &config, "a pin without TLS")
	_, err = ws.Dial(citadeltest.Within(t), "wss://127.0.0.1:1", citadel.DialConfig{Pin: "ab"})
	require.ErrorAs(t, err, &config)
	_, err = ws.Dial(citadeltest.Within(t), "ws://127.0.0.1:1", citadel.DialConfig{Config: citadel.Config{Linger: -1}})
	require.ErrorAs(t, err, &config)
	_, err = ws.Dial(citadeltest.Within(t), "wss://127.0.0.1:1/path?token=s3cret", citadel.DialConfig{Pin: "ab"})
	require.ErrorContains(t, err, "wss://127.0.0.1:1/path: ")
	require.NotContains(t, err.Error(), "s3cret")
	for _, url := range []string{"http://127.0.0.1:1", "127.0.0.1:1", "ws://%zz", ""} {
		_, err = ws.Dial(citadeltest.Within(t), url, citadel.DialConfig{})
		require.Error(t, err, url)
	}
}

func TestServerFull(t *testing.T) {
	s := serve(t, citadel.ListenConfig{MaxConnections: 1}, ws.Options{})
	dial(t, s.url, citadel.DialConfig{})
	_, err := ws.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{})
	require.ErrorIs(t, err, citadel.ErrServerFull)
	closed := rawClosed(t, rawDial(t, s.url))
	require.EqualValues(t, 4000+citadel.CodeServerFull, closed.Code)
	require.Equal(t, "server full", closed.Reason)

	require.NoError(t, s.ln.Close())
	_, err = ws.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{})
	require.ErrorIs(t, err, citadel.ErrShutdown)
}

func TestTLS(t *testing.T) {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	ln, err := citadel.NewListener(citadel.ListenConfig{})
	require.NoError(t, err)
	defer ln.Close()
	hs := httptest.NewUnstartedServer(ws.Handler(ln, ws.Options{}))
	hs.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	hs.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	hs.EnableHTTP2 = true
	hs.StartTLS()
	defer hs.Close()
	url := "wss" + hs.URL[len("https"):]

	_, err = ws.Dial(citadeltest.Within(t), url, citadel.DialConfig{Pin: strings.Repeat("ab", 32)})
	require.ErrorIs(t, err, citadel.ErrPin)
	_, err = ws.Dial(citadeltest.Within(t), url, citadel.DialConfig{})
	var unknown *tls.CertificateVerificationError
	require.ErrorAs(t, err, &unknown)

	conn := dial(t, url, citadel.DialConfig{Pin: pin})
	at := citadeltest.Read(t, ln.Inbox())
	at.Expect(citadel.Opened)
	require.NoError(t, conn.SendSession(citadeltest.Pattern(1<<20)))
	require.Equal(t, citadeltest.Pattern(1<<20), at.Expect(citadel.Session).Body)
	conn.Disconnect(citadel.CodeApplication, "enough")
	closed := at.ExpectClosed()
	require.Equal(t, citadel.CodeApplication, closed.Code)
	require.Equal(t, "enough", closed.Reason)
}

func TestOrigins(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{Origins: []string{"*.game.example"}})
	for origin, status := range map[string]int{
		"http://" + s.addr():        http.StatusSwitchingProtocols,
		"https://eu.game.example":   http.StatusSwitchingProtocols,
		"https://game.example.evil": http.StatusForbidden,
		"null":                      http.StatusForbidden,
	} {
		conn, resp, err := websocket.Dial(citadeltest.Within(t), s.url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}})
		require.Equal(t, status, resp.StatusCode, origin)
		if err == nil {
			_ = conn.CloseNow()
		}
	}
}

func TestSubprotocol(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	for _, c := range []struct {
		asked []string
		got   string
	}{
		{nil, ""},
		{[]string{"chat"}, ""},
		{[]string{"chat", ws.Subprotocol}, ws.Subprotocol},
	} {
		conn, _, err := websocket.Dial(citadeltest.Within(t), s.url, &websocket.DialOptions{Subprotocols: c.asked})
		require.NoError(t, err)
		require.Equal(t, c.got, conn.Subprotocol())
		_ = conn.CloseNow()
	}
}

func TestPlainRequest(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	resp, err := http.Get("http" + s.url[len("ws"):])
	require.NoError(t, err)
	_ = resp.Body.Close()
	require.Equal(t, http.StatusUpgradeRequired, resp.StatusCode)
	require.Zero(t, s.ln.Stats().Open)
}

// Behind a proxy, connections count for the address that the proxy names.
func TestRemoteAddr(t *testing.T) {
	s := serve(t, citadel.ListenConfig{MaxConnectionsPerIP: 1}, ws.Options{RemoteAddr: func(r *http.Request) net.Addr {
		if ip := net.ParseIP(r.Header.Get("X-Forwarded-For")); ip != nil {
			return &net.IPAddr{IP: ip}
		}
		return nil
	}})
	in := func(from string) *websocket.Conn {
		conn, _, err := websocket.Dial(citadeltest.Within(t), s.url, &websocket.DialOptions{HTTPHeader: http.Header{"X-Forwarded-For": {from}}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.CloseNow() })
		return conn
	}
	at := citadeltest.Read(t, s.ln.Inbox())
	for _, from := range []string{"192.0.2.1", "192.0.2.2", ""} {
		rawSend(t, in(from), citadeltest.Frame(t, wire.KindAuth, nil))
		got := at.Expect(citadel.Opened).Conn.RemoteAddr().String()
		if from != "" {
			require.Equal(t, from, got)
		} else {
			require.Contains(t, got, "127.0.0.1:")
		}
	}
	require.EqualValues(t, 4000+citadel.CodeAddressFull, rawClosed(t, in("192.0.2.1")).Code)
}
