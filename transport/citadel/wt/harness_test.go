//go:build !js

package wt_test

import (
	"crypto/tls"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/webtransport-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// devCert is shared by the tests, because making keys takes time.
var devCert = sync.OnceValues(func() (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		panic(err)
	}
	return cert, pin
})

func pin() string {
	_, pin := devCert()
	return pin
}

// server is a listener that speaks WebTransport, too.
type server struct {
	ln  *citadel.Listener
	url string
}

// serve starts a server that is closed with the test.
func serve(t testing.TB, cfg citadel.ListenConfig, o wt.Options) *server {
	t.Helper()
	cert, _ := devCert()
	cfg.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	cfg.ALPN = wt.NewServer(o).ALPN()
	ln, err := citadel.Listen("127.0.0.1:0", cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ln.Close()) })
	return &server{ln: ln, url: "https://" + ln.Addr().String() + "/"}
}

// dial connects to a server; the connection is closed with the test.
func dial(t testing.TB, url string, cfg citadel.DialConfig) *citadel.Conn {
	t.Helper()
	if cfg.Pin == "" {
		cfg.Pin = pin()
	}
	conn, err := wt.Dial(citadeltest.Within(t), url, cfg)
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
	s := serve(t, sc, wt.Options{})
	return &pair{s, citadeltest.NewPair(t, s.ln, dial(t, s.url, cc))}
}

// over is how the tests that all links have to pass connect.
var over citadeltest.Connect = func(t testing.TB, sc citadel.ListenConfig, cc citadel.DialConfig) *citadeltest.Pair {
	return connect(t, sc, cc).Pair
}

// rawDial opens a session without our client.
func rawDial(t testing.TB, url string) *webtransport.Session {
	t.Helper()
	tr := &webtransport.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{wt.Protocol}}}
	t.Cleanup(func() { _ = tr.Close() })
	// Of the streams that this client opens, the first is HTTP/3's.
	_, sess, err := tr.Dial(citadeltest.Within(t), url, http.Header{"Citadel-Own-Streams": {"1"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = sess.CloseWithError(0, "") })
	return sess
}

// rawGuest opens a session and gets in.
func rawGuest(t testing.TB, url string) *webtransport.Session {
	t.Helper()
	sess := rawDial(t, url)
	rawSend(t, sess, citadeltest.Frame(t, wire.KindAuth, nil))
	require.Equal(t, wire.AuthGuest, rawResult(t, sess).Status)
	return sess
}

// rawSend sends bytes on a fresh unidirectional stream and finishes it.
func rawSend(t testing.TB, sess *webtransport.Session, b []byte) {
	t.Helper()
	s, err := sess.OpenUniStreamSync(citadeltest.Within(t))
	require.NoError(t, err)
	_, err = s.Write(b)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// rawResult reads the server's answer to a handshake.
func rawResult(t testing.TB, sess *webtransport.Session) wire.AuthResult {
	t.Helper()
	s, err := sess.AcceptUniStream(citadeltest.Within(t))
	require.NoError(t, err)
	require.NoError(t, s.SetReadDeadline(time.Now().Add(citadeltest.Patience)))
	var dec wire.Decoder
	for {
		e, ok, err := dec.Next()
		require.NoError(t, err)
		if ok {
			require.Equal(t, wire.KindAuthResult, e.Kind)
			r, err := wire.ParseAuthResult(e.Body)
			require.NoError(t, err)
			return r
		}
		n, err := s.Read(dec.Free(1))
		dec.Commit(n)
		if n == 0 {
			require.NoError(t, err)
		}
	}
}

// rawClosed waits for the end of a session and returns how it came.
func rawClosed(t testing.TB, sess *webtransport.Session) *webtransport.SessionError {
	t.Helper()
	select {
	case <-sess.Context().Done():
	case <-time.After(citadeltest.Patience):
		require.Fail(t, "the session stays open")
	}
	_, err := sess.OpenUniStream()
	var e *webtransport.SessionError
	require.ErrorAs(t, err, &e)
	return e
}
