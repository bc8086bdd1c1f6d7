package citadel_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// patience bounds every wait of the tests. A test that is right never needs it.
const patience = 10 * time.Second

// devCert is shared by the tests, because making keys takes time.
var devCert = sync.OnceValues(func() (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		panic(err)
	}
	return cert, pin
})

func serverTLS() *tls.Config {
	cert, _ := devCert()
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

func pin() string {
	_, pin := devCert()
	return pin
}

// listen starts a server that is closed with the test.
func listen(t testing.TB, cfg citadel.ListenConfig) *citadel.Listener {
	t.Helper()
	if cfg.TLS == nil {
		cfg.TLS = serverTLS()
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = patience // the machine may have other things to do
	}
	ln, err := citadel.Listen("127.0.0.1:0", cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// dial connects to a server; the connection is closed with the test.
func dial(t testing.TB, addr string, cfg citadel.DialConfig) *citadel.Conn {
	t.Helper()
	if cfg.Pin == "" {
		cfg.Pin = pin()
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = patience
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := citadel.Dial(ctx, addr, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// pair is a server with one connection, seen from both ends.
type pair struct {
	ln           *citadel.Listener
	server       *citadel.Conn // the server's end
	client       *citadel.Conn
	atServer     *citadeltest.Reader
	atClient     *citadeltest.Reader
	serverConfig citadel.ListenConfig
}

func connect(t testing.TB, server citadel.ListenConfig, client citadel.DialConfig) *pair {
	t.Helper()
	p := &pair{ln: listen(t, server)}
	p.client = dial(t, p.ln.Addr().String(), client)
	p.atServer, p.atClient = citadeltest.Read(t, p.ln.Inbox()), citadeltest.Read(t, p.client.Inbox())
	p.server = p.atServer.Expect(citadel.Opened).Conn
	require.Same(t, p.client, p.atClient.Expect(citadel.Opened).Conn)
	return p
}

// rawDial connects without our client.
func rawDial(t testing.TB, addr string) *quic.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := quic.DialAddr(ctx, addr, &tls.Config{
		InsecureSkipVerify: true,
		NextProtos:         []string{citadel.ALPN},
	}, &quic.Config{EnableDatagrams: true, KeepAlivePeriod: 300 * time.Millisecond, MaxIncomingUniStreams: 100})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	return conn
}

// rawSend sends bytes on a fresh unidirectional stream and finishes it.
func rawSend(t testing.TB, conn *quic.Conn, b []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := conn.OpenUniStreamSync(ctx)
	require.NoError(t, err)
	_, err = s.Write(b)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// rawResult reads the server's answer to a handshake.
func rawResult(t testing.TB, conn *quic.Conn) wire.AuthResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := conn.AcceptUniStream(ctx)
	require.NoError(t, err)
	require.NoError(t, s.SetReadDeadline(time.Now().Add(patience)))
	e := readEnvelope(t, s, &wire.Decoder{})
	require.Equal(t, wire.KindAuthResult, e.Kind)
	r, err := wire.ParseAuthResult(e.Body)
	require.NoError(t, err)
	return r
}

// readEnvelope reads until one envelope is complete.
func readEnvelope(t testing.TB, s interface{ Read([]byte) (int, error) }, dec *wire.Decoder) wire.Envelope {
	t.Helper()
	for {
		e, ok, err := dec.Next()
		require.NoError(t, err)
		if ok {
			return e
		}
		n, err := s.Read(dec.Free(1))
		dec.Commit(n)
		if n == 0 {
			require.NoError(t, err)
		}
	}
}

// rawClosed waits for the end of a connection and returns why.
func rawClosed(t testing.TB, conn *quic.Conn) *quic.ApplicationError {
	t.Helper()
	select {
	case <-conn.Context().Done():
	case <-time.After(patience):
		require.Fail(t, "the connection stays open")
	}
	var e *quic.ApplicationError
	require.ErrorAs(t, context.Cause(conn.Context()), &e)
	return e
}

// logBuffer is a log that many goroutines write.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// rawListen is a server that is not ours.
func rawListen(t testing.TB) *quic.Listener {
	t.Helper()
	conf := serverTLS()
	conf.NextProtos = []string{citadel.ALPN}
	ln, err := quic.ListenAddr("127.0.0.1:0", conf, &quic.Config{EnableDatagrams: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

func rawAccept(t testing.TB, ln *quic.Listener) *quic.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := ln.Accept(ctx)
	require.NoError(t, err)
	return conn
}
