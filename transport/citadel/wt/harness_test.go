//go:build !js

package wt_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/webtransport-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// patience bounds every wait of the tests. A test that is right never needs it.
const patience = 20 * time.Second

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
	conn, err := wt.Dial(within(t), url, cfg)
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
	p := &pair{server: serve(t, sc, wt.Options{})}
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

// rawDial opens a session without our client.
func rawDial(t testing.TB, url string) *webtransport.Session {
	t.Helper()
	tr := &webtransport.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{wt.Protocol}}}
	t.Cleanup(func() { _ = tr.Close() })
	// Of the streams that this client opens, the first is HTTP/3's.
	_, sess, err := tr.Dial(within(t), url, http.Header{"Citadel-Own-Streams": {"1"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = sess.CloseWithError(0, "") })
	return sess
}

// rawGuest opens a session and gets in.
func rawGuest(t testing.TB, url string) *webtransport.Session {
	t.Helper()
	sess := rawDial(t, url)
	rawSend(t, sess, frame(t, wire.KindAuth, nil))
	require.Equal(t, wire.AuthGuest, rawResult(t, sess).Status)
	return sess
}

// rawSend sends bytes on a fresh unidirectional stream and finishes it.
func rawSend(t testing.TB, sess *webtransport.Session, b []byte) {
	t.Helper()
	s, err := sess.OpenUniStreamSync(within(t))
	require.NoError(t, err)
	_, err = s.Write(b)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// rawResult reads the server's answer to a handshake.
func rawResult(t testing.TB, sess *webtransport.Session) wire.AuthResult {
	t.Helper()
	s, err := sess.AcceptUniStream(within(t))
	require.NoError(t, err)
	require.NoError(t, s.SetReadDeadline(time.Now().Add(patience)))
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
	case <-time.After(patience):
		require.Fail(t, "the session stays open")
	}
	_, err := sess.OpenUniStream()
	var e *webtransport.SessionError
	require.ErrorAs(t, err, &e)
	return e
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
