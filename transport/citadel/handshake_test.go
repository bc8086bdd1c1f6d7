package citadel_test

import (
	"bytes"
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

const goodToken = "correct-horse-battery-staple"

func tokens() citadel.Authenticator {
	return citadel.Tokens(map[string]string{goodToken: "ariadne", "": "nobody", "other": "theseus"})
}

func TestHandshakeAccepts(t *testing.T) {
	for _, tc := range []struct {
		name  string
		auth  citadel.Authenticator
		token string
		want  citadel.Identity
	}{
		{"guest by default", nil, "", citadel.Identity{Guest: true}},
		{"guest", citadel.Guests(), "", citadel.Identity{Guest: true}},
		{"token", tokens(), goodToken, citadel.Identity{UserID: "ariadne"}},
		{"another token", tokens(), "other", citadel.Identity{UserID: "theseus"}},
		{"guest or token, guest", citadel.FirstOf(citadel.Guests(), tokens()), "", citadel.Identity{Guest: true}},
		{"guest or token, token", citadel.FirstOf(citadel.Guests(), tokens()), goodToken, citadel.Identity{UserID: "ariadne"}},
		{"user without a name", citadel.AuthenticatorFunc(func(context.Context, []byte) (citadel.Identity, error) {
			return citadel.Identity{}, nil
		}), "x", citadel.Identity{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := connect(t, citadel.ListenConfig{Authenticator: tc.auth}, citadel.DialConfig{Token: []byte(tc.token)})
			require.Equal(t, tc.want, p.server.Identity())
			require.Equal(t, tc.want, p.client.Identity())
			require.NotEqual(t, p.server.ID(), p.client.ID())
			require.NoError(t, p.client.Err())
			stats := p.ln.Stats()
			stats.Conns = citadel.Stats{}
			require.Equal(t, citadel.ListenerStats{Open: 1, Accepted: 1}, stats)
		})
	}
}

func TestHandshakeRejects(t *testing.T) {
	slow := citadel.AuthenticatorFunc(func(ctx context.Context, _ []byte) (citadel.Identity, error) {
		<-ctx.Done()
		return citadel.Identity{}, ctx.Err()
	})
	badUser := citadel.AuthenticatorFunc(func(context.Context, []byte) (citadel.Identity, error) {
		return citadel.Identity{UserID: "\xff"}, nil
	})
	for _, tc := range []struct {
		name   string
		cfg    citadel.ListenConfig
		token  string
		reason wire.AuthReason
	}{
		{"bad token", citadel.ListenConfig{Authenticator: tokens()}, "guess", wire.ReasonAuthFailed},
		{"a good token and more", citadel.ListenConfig{Authenticator: tokens()}, goodToken + "x", wire.ReasonAuthFailed},
		{"no guests", citadel.ListenConfig{Authenticator: tokens()}, "", wire.ReasonAuthRequired},
		{"only guests", citadel.ListenConfig{}, goodToken, wire.ReasonAuthFailed},
		{"nobody", citadel.ListenConfig{Authenticator: citadel.FirstOf()}, "", wire.ReasonAuthFailed},
		{"bad token, both tried", citadel.ListenConfig{Authenticator: citadel.FirstOf(citadel.Guests(), tokens())}, "guess", wire.ReasonAuthFailed},
		{"not UTF-8", citadel.ListenConfig{Authenticator: citadel.Tokens(map[string]string{"\xff\xfe": "x"})}, "\xff\xfe", wire.ReasonAuthFailed},
		{"oversized", citadel.ListenConfig{}, string(make([]byte, citadel.DefaultMaxTokenBytes+1)), wire.ReasonProtocol},
		{"oversized by configuration", citadel.ListenConfig{Authenticator: tokens(), MaxTokenBytes: 8}, goodToken, wire.ReasonProtocol},
		{"slow authenticator", citadel.ListenConfig{Authenticator: slow, Config: citadel.Config{HandshakeTimeout: 200 * time.Millisecond}}, "x", wire.ReasonAuthFailed},
		{"unusable user id", citadel.ListenConfig{Authenticator: badUser}, "x", wire.ReasonAuthFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log logBuffer
			tc.cfg.Logger = log.logger()
			ln := listen(t, tc.cfg)
			clientInbox := citadel.NewInbox()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{
				Config: citadel.Config{Inbox: clientInbox, Logger: log.logger()},
				Pin:    pin(), Token: []byte(tc.token),
			})
			require.Nil(t, conn)
			var auth *citadel.AuthError
			require.ErrorAs(t, err, &auth)
			require.Equal(t, tc.reason, auth.Reason)
			var closed *citadel.CloseError
			require.ErrorAs(t, err, &closed)
			require.True(t, closed.Remote)

			citadeltest.Eventually(t, "the server forgets the connection", func() bool { return ln.Stats().Open == 0 })
			stats := ln.Stats()
			require.EqualValues(t, 1, stats.Rejected)
			require.Zero(t, stats.Accepted)
			none := func(e citadel.Event) { t.Errorf("%v event of a rejected connection", e.Kind) }
			ln.Inbox().Drain(none)
			clientInbox.Drain(none)
			if tc.token != "" && tc.token != "x" {
				require.NotContains(t, log.String()+err.Error(), tc.token)
			}
		})
	}
}

// A client that is not ours sees the same rejections, and the close code after them.
func TestHandshakeRejectsRawClients(t *testing.T) {
	auth := func(token []byte) []byte { return citadeltest.Frame(t, wire.KindAuth, token) }
	for _, tc := range []struct {
		name   string
		bytes  []byte
		reason wire.AuthReason
		code   citadel.Code
	}{
		{"another kind first", append(citadeltest.Frame(t, 101, []byte("hi")), auth(nil)...), wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"an answer first", citadeltest.Frame(t, wire.KindAuthResult, []byte{0}), wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"a goodbye first", citadeltest.Frame(t, wire.KindGoodbye, make([]byte, 4)), wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"oversized, announced only", auth(make([]byte, citadel.DefaultMaxTokenBytes+1))[:4], wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"too small for a kind", []byte{0, 0, 0, 1, 5}, wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"cut", auth([]byte("token"))[:8], wire.ReasonProtocol, citadel.CodeAuthProtocol},
		{"bad token", auth([]byte("guess")), wire.ReasonAuthFailed, citadel.CodeAuthFailed},
		{"guest", auth(nil), wire.ReasonAuthRequired, citadel.CodeAuthRequired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ln := listen(t, citadel.ListenConfig{Authenticator: tokens()})
			conn := rawDial(t, ln.Addr().String())
			rawSend(t, conn, tc.bytes)
			require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: tc.reason}, rawResult(t, conn))
			closed := rawClosed(t, conn)
			require.True(t, closed.Remote)
			require.EqualValues(t, tc.code, closed.ErrorCode)
		})
	}
}

func TestHandshakeOnABidirectionalStream(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{Authenticator: tokens()})
	conn := rawDial(t, ln.Addr().String())
	s, err := conn.OpenStream()
	require.NoError(t, err)
	_, err = s.Write(append(citadeltest.Frame(t, wire.KindAuth, []byte(goodToken)), citadeltest.Frame(t, 200, []byte("at once"))...))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	r := rawResult(t, conn)
	require.Equal(t, wire.AuthAuthenticated, r.Status)
	require.Equal(t, "ariadne", string(r.UserID))

	server := citadeltest.Read(t, ln.Inbox())
	server.Expect(citadel.Opened)
	e := server.Expect(citadel.Frame)
	require.Equal(t, wire.Kind(200), e.Env)
	require.Equal(t, "at once", string(e.Body))
}

func TestHandshakeTwice(t *testing.T) {
	for _, way := range []string{"stream", "datagram"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ln := listen(t, citadel.ListenConfig{})
			conn := rawDial(t, ln.Addr().String())
			rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s, err := conn.AcceptUniStream(ctx)
			require.NoError(t, err)
			require.NoError(t, s.SetReadDeadline(time.Now().Add(patience)))
			var dec wire.Decoder
			require.Equal(t, []byte{byte(wire.AuthGuest)}, readEnvelope(t, s, &dec).Body)

			if way == "stream" {
				rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
			} else {
				require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, wire.KindAuth, nil)))
			}
			e := readEnvelope(t, s, &dec)
			require.Equal(t, wire.KindAuthResult, e.Kind)
			require.Equal(t, []byte{byte(wire.AuthRejected), byte(wire.ReasonProtocol)}, e.Body)
			require.EqualValues(t, citadel.CodeAuthProtocol, rawClosed(t, conn).ErrorCode)

			server := citadeltest.Read(t, ln.Inbox())
			server.Expect(citadel.Opened)
			end := server.Expect(citadel.Closed)
			require.ErrorIs(t, end.Err, &citadel.AuthError{Reason: wire.ReasonProtocol})
			require.ErrorIs(t, end.Err, net.ErrClosed)
		})
	}
}

func TestHandshakeTimesOut(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{Config: citadel.Config{HandshakeTimeout: 150 * time.Millisecond}})
	conn := rawDial(t, ln.Addr().String())
	// Neither datagrams nor part of a frame are a handshake.
	require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, wire.KindAuth, nil)))
	s, err := conn.OpenUniStream()
	require.NoError(t, err)
	_, err = s.Write([]byte{0, 0, 0})
	require.NoError(t, err)
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonProtocol}, rawResult(t, conn))
	require.EqualValues(t, citadel.CodeAuthProtocol, rawClosed(t, conn).ErrorCode)
	require.EqualValues(t, 1, ln.Stats().TimedOut)
}

func TestEarlyDatagramsAreDropped(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	ln := listen(t, citadel.ListenConfig{Authenticator: citadel.AuthenticatorFunc(
		func(context.Context, []byte) (citadel.Identity, error) {
			close(asked)
			<-answer
			return citadel.Identity{Guest: true}, nil
		})})
	conn := rawDial(t, ln.Addr().String())
	for range 3 {
		require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, wire.KindAuth, []byte("not here"))))
	}
	rawSend(t, conn, append(citadeltest.Frame(t, wire.KindAuth, nil), citadeltest.Frame(t, 101, []byte("early but reliable"))...))
	<-asked
	require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, 120, []byte("early"))))
	citadeltest.Eventually(t, "the datagrams are dropped", func() bool { return citadel.EarlyDatagrams(ln) == 4 })
	close(answer)
	require.Equal(t, wire.AuthGuest, rawResult(t, conn).Status)
	require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, 121, []byte("welcome"))))

	server := citadeltest.Read(t, ln.Inbox())
	c := server.Expect(citadel.Opened).Conn
	for range 2 { // in whatever order
		e := server.Next()
		if e.Kind == citadel.Datagram {
			require.Equal(t, "welcome", string(e.Body))
			require.Equal(t, wire.Kind(121), e.Env)
		} else {
			require.Equal(t, citadel.Frame, e.Kind)
			require.Equal(t, "early but reliable", string(e.Body))
		}
	}
	require.EqualValues(t, 1, c.Stats().DatagramsIn)
	require.EqualValues(t, 4, c.Stats().Drops.PreAuthDatagrams)
	require.EqualValues(t, 1, c.Stats().DatagramsIn)
}

// Existing servers may send other envelopes around the answer, and kinds that nobody knows.
func TestClientToleratesOtherEnvelopes(t *testing.T) {
	raw := rawListen(t)
	result := make(chan *citadel.Conn, 1)
	go func() {
		conn, err := citadel.Dial(t.Context(), raw.Addr().String(), citadel.DialConfig{
			Config: citadel.Config{Linger: 50 * time.Millisecond}, Pin: pin(), Token: []byte("t"),
		})
		if err != nil {
			t.Error(err)
		}
		result <- conn
	}()
	server := rawAccept(t, raw)
	s, err := server.AcceptUniStream(t.Context())
	require.NoError(t, err)
	e := readEnvelope(t, s, &wire.Decoder{})
	require.Equal(t, wire.KindAuth, e.Kind)
	require.Equal(t, "t", string(e.Body))

	rawSend(t, server, citadeltest.Frame(t, 34, []byte("too early to act on")))
	rawSend(t, server, citadeltest.Frame(t, wire.KindAuthResult, wire.AppendAuthResult(nil, wire.AuthResult{UserID: []byte("minos")})))
	rawSend(t, server, citadeltest.Frame(t, 34, []byte("server time")))
	rawSend(t, server, citadeltest.Frame(t, wire.KindAuthResult, []byte{0}))
	rawSend(t, server, citadeltest.Frame(t, 65535, nil))
	conn := <-result
	require.NotNil(t, conn)
	defer conn.Close()
	require.Equal(t, citadel.Identity{UserID: "minos"}, conn.Identity())
	client := citadeltest.Read(t, conn.Inbox())
	client.Expect(citadel.Opened)
	require.Equal(t, "server time", string(client.Expect(citadel.Frame).Body))
	require.Equal(t, wire.Kind(65535), client.Expect(citadel.Frame).Env)
	require.EqualValues(t, 1, conn.Stats().Drops.PreAuthFrames)
	require.EqualValues(t, 1, conn.Stats().Drops.StrayAuthFrames)
}

func TestClientRefusesBadAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		body []byte
		want error
	}{
		"empty":             {nil, citadel.ErrProtocol},
		"status unknown":    {[]byte{9}, citadel.ErrProtocol},
		"user not UTF-8":    {[]byte{0, 0xff}, citadel.ErrProtocol},
		"rejected":          {[]byte{2, 1}, citadel.ErrAuthRequired},
		"rejected, no word": {[]byte{2}, citadel.ErrAuthFailed},
		"rejected, unknown": {[]byte{2, 77}, citadel.ErrAuthFailed},
	} {
		t.Run(name, func(t *testing.T) {
			raw := rawListen(t)
			result := make(chan error, 1)
			go func() {
				_, err := citadel.Dial(t.Context(), raw.Addr().String(), citadel.DialConfig{Pin: pin()})
				result <- err
			}()
			server := rawAccept(t, raw)
			rawSend(t, server, citadeltest.Frame(t, wire.KindAuthResult, tc.body))
			require.ErrorIs(t, <-result, tc.want)
		})
	}
}

func TestDialGivesUp(t *testing.T) {
	t.Run("nobody there", func(t *testing.T) {
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		require.NoError(t, err)
		defer udp.Close()
		_, err = citadel.Dial(t.Context(), udp.LocalAddr().String(), citadel.DialConfig{
			Config: citadel.Config{HandshakeTimeout: 100 * time.Millisecond},
		})
		require.ErrorIs(t, err, citadel.ErrTimeout)
	})
	t.Run("no answer", func(t *testing.T) {
		raw := rawListen(t)
		_, err := citadel.Dial(t.Context(), raw.Addr().String(), citadel.DialConfig{
			Config: citadel.Config{HandshakeTimeout: 100 * time.Millisecond}, Pin: pin(),
		})
		require.ErrorIs(t, err, citadel.ErrTimeout)
	})
	t.Run("context", func(t *testing.T) {
		raw := rawListen(t)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := citadel.Dial(ctx, raw.Addr().String(), citadel.DialConfig{Pin: pin()})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("server full", func(t *testing.T) {
		ln := listen(t, citadel.ListenConfig{MaxConnections: 1})
		dial(t, ln.Addr().String(), citadel.DialConfig{})
		_, err := citadel.Dial(t.Context(), ln.Addr().String(), citadel.DialConfig{Pin: pin()})
		require.ErrorIs(t, err, citadel.ErrServerFull)
		require.Equal(t, citadel.Refusals{Full: 1}, ln.Stats().Refused)
	})
	t.Run("server nearly full", func(t *testing.T) { // where addresses are verified first
		ln := listen(t, citadel.ListenConfig{MaxConnections: 3})
		for range 3 {
			dial(t, ln.Addr().String(), citadel.DialConfig{})
		}
		require.EqualValues(t, 3, ln.Stats().Accepted)
	})
	t.Run("bad address", func(t *testing.T) {
		_, err := citadel.Dial(t.Context(), "nowhere", citadel.DialConfig{})
		var addr *net.AddrError
		require.ErrorAs(t, err, &addr)
	})
}

// Guessing a token takes the same path whatever is right about it; this pins down that only equality counts.
func TestTokens(t *testing.T) {
	auth := tokens()
	for n := range len(goodToken) {
		_, err := auth.Authenticate(t.Context(), []byte(goodToken[:n]))
		require.Error(t, err, n)
		bad := bytes.Clone([]byte(goodToken))
		bad[n] ^= 1
		_, err = auth.Authenticate(t.Context(), bad)
		require.True(t, errors.Is(err, citadel.ErrAuthFailed), n)
	}
}
