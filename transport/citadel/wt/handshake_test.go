//go:build !js

package wt_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

func TestGuest(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	require.Equal(t, citadel.Identity{Guest: true}, p.There.Identity())
	require.Equal(t, citadel.Identity{Guest: true}, p.Here.Identity())
	require.Equal(t, p.ln.Addr().String(), p.Here.RemoteAddr().String())
	require.Equal(t, p.ln.Addr().String(), p.There.LocalAddr().String())
	_, port, err := net.SplitHostPort(p.Here.LocalAddr().String())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:"+port, p.There.RemoteAddr().String())
}

// Both protocols come in through one port and end up in one inbox.
func TestBesideQUIC(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	other, err := citadel.Dial(citadeltest.Within(t), p.ln.Addr().String(), citadel.DialConfig{Pin: pin()})
	require.NoError(t, err)
	defer other.Close()
	p.AtServer.Expect(citadel.Opened)
	require.NoError(t, p.Here.SendSession([]byte("WebTransport")))
	require.Equal(t, "WebTransport", string(p.AtServer.Expect(citadel.Session).Body))
	require.NoError(t, other.SendSession([]byte("QUIC")))
	require.Equal(t, "QUIC", string(p.AtServer.Expect(citadel.Session).Body))
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
	}, wt.Options{})
	for _, c := range []struct {
		token  string
		reason wire.AuthReason
	}{
		{"", wire.ReasonAuthRequired},
		{"guess", wire.ReasonAuthFailed},
		{strings.Repeat("x", 101), wire.ReasonProtocol},
	} {
		_, err := wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Pin: pin(), Token: []byte(c.token)})
		var auth *citadel.AuthError
		require.ErrorAs(t, err, &auth, "%.10q", c.token)
		require.Equal(t, c.reason, auth.Reason, "%.10q", c.token)
	}
	// What a client that is not ours sees.
	sess := rawDial(t, s.url)
	rawSend(t, sess, citadeltest.Frame(t, wire.KindAuth, []byte("guess")))
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonAuthFailed}, rawResult(t, sess))
	require.EqualValues(t, citadel.CodeAuthFailed, rawClosed(t, sess).ErrorCode)
}

// What comes before the token is not processed.
func TestBeforeToken(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawDial(t, s.url)
	for range 5 {
		require.NoError(t, sess.SendDatagram(wire.AppendDatagram(nil, 100, []byte("early"))))
	}
	// Datagrams and streams overtake each other, so what is early is early only once it is there.
	citadeltest.Eventually(t, "they are counted", func() bool { return s.ln.Stats().Conns.Drops.PreAuthDatagrams == 5 })
	rawSend(t, sess, citadeltest.Frame(t, wire.KindAuth, nil))
	there := at.Expect(citadel.Opened).Conn
	require.Equal(t, wire.AuthGuest, rawResult(t, sess).Status)
	require.NoError(t, sess.SendDatagram(wire.AppendDatagram(nil, 100, []byte("in time"))))
	require.Equal(t, "in time", string(at.Expect(citadel.Datagram).Body))
	require.EqualValues(t, 5, there.Stats().Drops.PreAuthDatagrams)

	sess = rawDial(t, s.url)
	rawSend(t, sess, citadeltest.Frame(t, 100, []byte("hello")))
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonProtocol}, rawResult(t, sess))
	require.EqualValues(t, citadel.CodeAuthProtocol, rawClosed(t, sess).ErrorCode)
}

func TestSilentClient(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{HandshakeTimeout: 200 * time.Millisecond}}, wt.Options{})
	sess := rawDial(t, s.url)
	require.Equal(t, wire.AuthResult{Status: wire.AuthRejected, Reason: wire.ReasonProtocol}, rawResult(t, sess))
	require.EqualValues(t, 1, s.ln.Stats().TimedOut)
}

func TestPin(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	_, err := wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Pin: strings.Repeat("ab", 32)})
	require.ErrorIs(t, err, citadel.ErrPin)
	_, err = wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{})
	var unknown *tls.CertificateVerificationError
	require.ErrorAs(t, err, &unknown)
	_, err = wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Pin: "ab"})
	var config *citadel.ConfigError
	require.ErrorAs(t, err, &config)
}

func TestDialRefusesNonsense(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:1", "127.0.0.1:1", "https://%zz", "", "https:///"} {
		_, err := wt.Dial(citadeltest.Within(t), url, citadel.DialConfig{})
		require.Error(t, err, url)
	}
	_, err := wt.Dial(citadeltest.Within(t), "https://127.0.0.1:1", citadel.DialConfig{Config: citadel.Config{Linger: -1}})
	var config *citadel.ConfigError
	require.ErrorAs(t, err, &config)
	_, err = wt.Dial(citadeltest.Within(t), "https://127.0.0.1:1/path?token=s3cret", citadel.DialConfig{Pin: "ab"})
	require.ErrorContains(t, err, "https://127.0.0.1:1/path: ")
	require.NotContains(t, err.Error(), "s3cret")
}

// A port on which nobody answers, and a server that speaks QUIC but not WebTransport.
func TestNoWebTransportThere(t *testing.T) {
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer udp.Close()
	url := "https://" + udp.LocalAddr().String()
	_, err = wt.Dial(citadeltest.Within(t), url, citadel.DialConfig{Config: citadel.Config{HandshakeTimeout: 100 * time.Millisecond}})
	require.ErrorIs(t, err, citadel.ErrTimeout)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = wt.Dial(ctx, url, citadel.DialConfig{})
	require.ErrorIs(t, err, context.Canceled)

	cert, _ := devCert()
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	require.NoError(t, err)
	defer ln.Close()
	_, err = wt.Dial(citadeltest.Within(t), "https://"+ln.Addr().String(), citadel.DialConfig{Pin: pin()})
	require.ErrorIs(t, err, citadel.ErrTransport)
}

func TestPath(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{Path: "/realtime"})
	dial(t, s.url+"realtime?x=y", citadel.DialConfig{})
	for _, path := range []string{"", "realtime/", "other"} {
		_, err := wt.Dial(citadeltest.Within(t), s.url+path, citadel.DialConfig{Pin: pin()})
		require.ErrorContains(t, err, "404", path)
	}
}

func TestOrigins(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{Origins: []string{"*.game.example"}})
	for origin, status := range map[string]int{
		"https://" + s.ln.Addr().String(): http.StatusOK,
		"https://eu.game.example":         http.StatusOK,
		"https://game.example.evil":       http.StatusForbidden,
		"null":                            http.StatusForbidden,
	} {
		tr := &webtransport.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{wt.Protocol}}}
		resp, sess, err := tr.Dial(citadeltest.Within(t), s.url, http.Header{"Origin": {origin}})
		require.NotNil(t, resp, err)
		require.Equal(t, status, resp.StatusCode, origin)
		if err == nil {
			_ = sess.CloseWithError(0, "")
		}
		_ = tr.Close()
	}
}

func TestServerFull(t *testing.T) {
	// With two there is room for two more that learn why they are refused: the first of them may take its time to go.
	s := serve(t, citadel.ListenConfig{MaxConnections: 2}, wt.Options{})
	dial(t, s.url, citadel.DialConfig{})
	dial(t, s.url, citadel.DialConfig{})
	_, err := wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Pin: pin()})
	require.ErrorIs(t, err, citadel.ErrServerFull)
	e := rawClosed(t, rawDial(t, s.url))
	require.EqualValues(t, citadel.CodeServerFull, e.ErrorCode)
	require.Equal(t, "server full", e.Message)
}

// Connections on which no session begins are not kept.
func TestNoSession(t *testing.T) {
	s := serve(t, citadel.ListenConfig{
		MaxHalfOpen: 4, Config: citadel.Config{HandshakeTimeout: time.Second},
	}, wt.Options{})
	var conns []*quic.Conn
	for range 5 {
		conf := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{wt.Protocol}}
		qc, err := quic.DialAddr(citadeltest.Within(t), s.ln.Addr().String(), conf, &quic.Config{KeepAlivePeriod: 100 * time.Millisecond})
		require.NoError(t, err)
		conns = append(conns, qc)
	}
	var codes []quic.ApplicationErrorCode
	for _, qc := range conns {
		select {
		case <-qc.Context().Done():
		case <-time.After(citadeltest.Patience):
			require.Fail(t, "it is kept")
		}
		var e *quic.ApplicationError
		require.ErrorAs(t, context.Cause(qc.Context()), &e)
		codes = append(codes, e.ErrorCode)
	}
	require.ElementsMatch(t, []quic.ApplicationErrorCode{0x100, 0x100, 0x100, 0x100, 0x107}, codes)
	dial(t, s.url, citadel.DialConfig{})
}

// A session has its connection to itself.
func TestSecondSession(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	conf := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{wt.Protocol}}
	qc, err := quic.DialAddr(citadeltest.Within(t), s.ln.Addr().String(), conf,
		&quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true})
	require.NoError(t, err)
	tr := &webtransport.Transport{}
	defer tr.Close()
	cc, err := tr.NewClientConn(qc)
	require.NoError(t, err)
	_, first, err := cc.Dial(citadeltest.Within(t), s.url, nil)
	require.NoError(t, err)
	resp, _, err := cc.Dial(citadeltest.Within(t), s.url, nil)
	require.Error(t, err)
	require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
	rawSend(t, first, citadeltest.Frame(t, wire.KindAuth, nil))
	require.Equal(t, wire.AuthGuest, rawResult(t, first).Status)
	req, err := http.NewRequest(http.MethodGet, s.url, nil)
	require.NoError(t, err)
	resp, err = cc.RoundTrip(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	_ = resp.Body.Close()
	_ = first.CloseWithError(0, "")
	_ = qc.CloseWithError(0, "")
}
