package citadel_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func clientAddr(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 4711} }

func newListener(t testing.TB, cfg citadel.ListenConfig) *citadel.Listener {
	t.Helper()
	ln, err := citadel.NewListener(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// A connection does not need QUIC: one stream each way is enough, and datagrams find their way.
func TestConnectionsOverOtherLinks(t *testing.T) {
	const frames = 300
	for _, style := range []citadel.SendStyle{citadel.OneStream, citadel.StreamPerEnvelope} {
		t.Run(style.String(), func(t *testing.T) {
			cfg := citadel.Config{SendStyle: style, MaxSessionEnvelope: 1000}
			ln := newListener(t, citadel.ListenConfig{Config: cfg, Authenticator: tokens()})
			require.Nil(t, ln.Addr())
			atServer, atClient := memLinks(clientAddr("192.0.2.7"))
			require.NoError(t, ln.Admit(atServer))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			conn, err := citadel.Open(ctx, atClient, citadel.DialConfig{Config: cfg, Token: []byte(goodToken)})
			require.NoError(t, err)
			require.Equal(t, "ariadne", conn.Identity().UserID)
			server, client := citadeltest.Read(t, ln.Inbox()), citadeltest.Read(t, conn.Inbox())
			c := server.Expect(citadel.Opened).Conn
			client.Expect(citadel.Opened)
			require.Equal(t, "192.0.2.7:4711", c.RemoteAddr().String())
			require.Equal(t, "192.0.2.7:4711", conn.LocalAddr().String())
			require.Equal(t, "ariadne", c.Identity().UserID)
			require.Zero(t, conn.MaxDatagram())

			for _, way := range []struct {
				from *citadel.Conn
				to   *citadeltest.Reader
			}{{conn, server}, {c, client}} {
				for n := range frames {
					require.NoError(t, way.from.SendSession(numbered(n)))
				}
				require.NoError(t, way.from.SendSession(make([]byte, 20_000)))
				require.NoError(t, way.from.SendDatagram(400, []byte("as if")))
				for n := range frames {
					require.Equal(t, numbered(n), way.to.Expect(citadel.Session).Body)
				}
				require.Len(t, way.to.Expect(citadel.Session).Body, 20_000)
				e := way.to.Expect(citadel.Frame)
				require.Equal(t, wire.Kind(400), e.Env)
				require.Equal(t, "as if", string(e.Body))
				require.EqualValues(t, 1, way.from.Stats().DatagramsReliable)
			}
			if style == citadel.StreamPerEnvelope {
				citadeltest.Eventually(t, "each envelope is a write of its own", func() bool {
					atClient.mu.Lock()
					defer atClient.mu.Unlock()
					return uint64(atClient.writes) == conn.Stats().FramesOut && atClient.writes > frames
				})
			}

			require.NoError(t, c.Send(300, []byte("last words")))
			c.Disconnect(citadel.CodeApplication+5, "enough")
			require.Equal(t, "last words", string(client.Expect(citadel.Frame).Body))
			require.Equal(t, &citadel.CloseError{Remote: true, Code: citadel.CodeApplication + 5, Reason: "enough"},
				client.Expect(citadel.Closed).Err)
			require.NoError(t, c.Close())
			require.NoError(t, conn.Close())
			require.Zero(t, ln.Stats().Open)
		})
	}
}

func TestLinksThatEnd(t *testing.T) {
	timeout := &net.DNSError{IsTimeout: true}
	odd := errors.New("cable cut")
	for name, tc := range map[string]struct {
		cause, want error
	}{
		"timeout": {timeout, citadel.ErrTimeout},
		"odd":     {odd, odd},
		"known":   {&citadel.CloseError{Remote: true, Code: citadel.CodeApplication}, &citadel.CloseError{Remote: true, Code: citadel.CodeApplication}},
	} {
		t.Run(name, func(t *testing.T) {
			ln := newListener(t, citadel.ListenConfig{})
			atServer, atClient := memLinks(clientAddr("192.0.2.7"))
			require.NoError(t, ln.Admit(atServer))
			conn, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{})
			require.NoError(t, err)
			client := citadeltest.Read(t, conn.Inbox())
			client.Expect(citadel.Opened)
			atClient.cancel(tc.cause)
			end := client.Expect(citadel.Closed)
			require.ErrorIs(t, end.Err, net.ErrClosed)
			if known, ok := tc.want.(*citadel.CloseError); ok {
				require.Equal(t, known, end.Err)
			} else {
				require.ErrorIs(t, end.Err, tc.want)
			}
			require.NoError(t, conn.Close())
		})
	}
}

// A stream that cannot be written ends the connection: with the link's reason if it has one.
func TestStreamsThatFail(t *testing.T) {
	t.Run("not wanted", func(t *testing.T) {
		for _, style := range []citadel.SendStyle{citadel.OneStream, citadel.StreamPerEnvelope} {
			ln := listen(t, citadel.ListenConfig{Config: citadel.Config{SendStyle: style}})
			conn := rawDial(t, ln.Addr().String())
			rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
			server := citadeltest.Read(t, ln.Inbox())
			c := server.Expect(citadel.Opened).Conn
			go func() {
				for {
					s, err := conn.AcceptUniStream(conn.Context())
					if err != nil {
						return
					}
					s.CancelRead(7)
				}
			}()
			// More than the peer lets in unread: it cannot all have arrived before the stream is refused.
			_ = c.Send(300, make([]byte, 2<<20))
			end := server.Expect(citadel.Closed)
			require.ErrorIs(t, end.Err, citadel.ErrProtocol)
			require.ErrorIs(t, end.Err, citadel.ErrStreamReset)
		}
	})
	t.Run("for no reason", func(t *testing.T) {
		ln := newListener(t, citadel.ListenConfig{})
		atServer, atClient := memLinks(clientAddr("192.0.2.7"))
		require.NoError(t, ln.Admit(atServer))
		conn, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{})
		require.NoError(t, err)
		broken := errors.New("cable cut")
		require.NoError(t, atServer.in.CloseWithError(broken))
		require.NoError(t, conn.Send(300, nil))
		<-conn.Done()
		require.ErrorIs(t, conn.Err(), broken)
		require.ErrorIs(t, conn.Err(), citadel.ErrTransport)
	})
}

func TestOpenFails(t *testing.T) {
	t.Run("configuration", func(t *testing.T) {
		_, link := memLinks(clientAddr("192.0.2.7"))
		_, err := citadel.Open(t.Context(), link, citadel.DialConfig{Config: citadel.Config{Linger: -1}})
		var bad *citadel.ConfigError
		require.ErrorAs(t, err, &bad)
		require.Error(t, link.Context().Err(), "the link is closed")
	})
	t.Run("token larger than the queue", func(t *testing.T) {
		_, link := memLinks(clientAddr("192.0.2.7"))
		_, err := citadel.Open(t.Context(), link, citadel.DialConfig{Config: citadel.Config{OutboundBytes: 10}, Token: make([]byte, 100)})
		require.ErrorIs(t, err, wire.ErrFrameTooLarge)
		require.Error(t, link.Context().Err())
	})
	t.Run("link already over", func(t *testing.T) {
		_, link := memLinks(clientAddr("192.0.2.7"))
		link.Close(citadel.CodeApplication, "over")
		_, err := citadel.Open(t.Context(), link, citadel.DialConfig{})
		require.ErrorIs(t, err, net.ErrClosed)
	})
	t.Run("context", func(t *testing.T) {
		_, link := memLinks(clientAddr("192.0.2.7"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := citadel.Open(ctx, link, citadel.DialConfig{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Error(t, link.Context().Err())
	})
	t.Run("rejected", func(t *testing.T) {
		ln := newListener(t, citadel.ListenConfig{Authenticator: tokens()})
		atServer, atClient := memLinks(clientAddr("192.0.2.7"))
		require.NoError(t, ln.Admit(atServer))
		_, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{Token: []byte("guess")})
		require.ErrorIs(t, err, citadel.ErrAuthFailed)
	})
	t.Run("server shut down", func(t *testing.T) {
		ln := newListener(t, citadel.ListenConfig{})
		require.NoError(t, ln.Close())
		atServer, atClient := memLinks(clientAddr("192.0.2.7"))
		require.ErrorIs(t, ln.Admit(atServer), citadel.ErrShutdown)
		_, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{})
		require.ErrorIs(t, err, citadel.ErrShutdown)
		require.Equal(t, citadel.Refusals{Shutdown: 1}, ln.Stats().Refused)
		require.EqualValues(t, 1, ln.Stats().Refused.Total())
	})
}
