package citadel_test

import (
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	for _, tc := range []struct {
		field string
		cfg   citadel.Config
	}{
		{"Config.HandshakeTimeout", citadel.Config{HandshakeTimeout: -1}},
		{"Config.IdleTimeout", citadel.Config{IdleTimeout: -time.Second}},
		{"Config.KeepAlive", citadel.Config{KeepAlive: -1}},
		{"Config.KeepAlive", citadel.Config{KeepAlive: time.Second}},
		{"Config.Linger", citadel.Config{Linger: -1}},
		{"Config.MaxSessionEnvelope", citadel.Config{MaxSessionEnvelope: -1}},
		{"Config.MaxSessionEnvelope", citadel.Config{MaxSessionEnvelope: wire.MaxBody}},
		{"Config.MaxSessionFrame", citadel.Config{MaxSessionFrame: -1}},
		{"Config.MaxSessionFrame", citadel.Config{MaxSessionFrame: 1<<30 + 1}},
		{"Config.MaxEnvelope", citadel.Config{MaxEnvelope: -1}},
		{"Config.MaxEnvelope", citadel.Config{MaxEnvelope: wire.MaxBody + 1}},
		{"Config.OutboundBytes", citadel.Config{OutboundBytes: -1}},
		{"Config.OutboundFrames", citadel.Config{OutboundFrames: -1}},
		{"Config.OutboundDatagrams", citadel.Config{OutboundDatagrams: -1}},
		{"Config.InboundBytes", citadel.Config{InboundBytes: -1}},
		{"Config.InboundDatagrams", citadel.Config{InboundDatagrams: -1}},
		{"Config.MaxStreams", citadel.Config{MaxStreams: -1}},
		{"Config.MaxStreams", citadel.Config{MaxStreams: 1025}},
		{"Config.SessionFrameTimeout", citadel.Config{SessionFrameTimeout: -1}},
		{"Config.SendStyle", citadel.Config{SendStyle: 2}},
		{"Config.SessionKind", citadel.Config{SessionKind: 99}},
		{"Config.SessionKind", citadel.Config{SessionKind: wire.KindGoodbye}},
		{"Config.SessionPartKind", citadel.Config{SessionPartKind: wire.KindAuth}},
		{"Config.SessionPartKind", citadel.Config{SessionPartKind: wire.KindSession}},
	} {
		for what, err := range map[string]error{
			"listen": second(citadel.Listen("127.0.0.1:0", citadel.ListenConfig{Config: tc.cfg, TLS: serverTLS()})),
			"dial":   second(citadel.Dial(t.Context(), "127.0.0.1:1", citadel.DialConfig{Config: tc.cfg})),
		} {
			var bad *citadel.ConfigError
			require.ErrorAs(t, err, &bad, "%s with %+v", what, tc.cfg)
			require.Equal(t, tc.field, bad.Field)
			require.ErrorContains(t, err, tc.field)
		}
	}
	for _, tc := range []struct {
		field string
		cfg   citadel.ListenConfig
	}{
		{"ListenConfig.TLS", citadel.ListenConfig{}},
		{"ListenConfig.TLS", citadel.ListenConfig{TLS: &tls.Config{}}},
		{"ListenConfig.MaxTokenBytes", citadel.ListenConfig{TLS: serverTLS(), MaxTokenBytes: -1}},
		{"ListenConfig.MaxTokenBytes", citadel.ListenConfig{TLS: serverTLS(), MaxTokenBytes: wire.MaxBody + 1}},
		{"ListenConfig.MaxConnections", citadel.ListenConfig{TLS: serverTLS(), MaxConnections: -1}},
		{"ListenConfig.MaxConnectionsPerIP", citadel.ListenConfig{TLS: serverTLS(), MaxConnectionsPerIP: -1}},
		{"ListenConfig.MaxHalfOpen", citadel.ListenConfig{TLS: serverTLS(), MaxHalfOpen: -1}},
		{"ListenConfig.MaxReassembly", citadel.ListenConfig{TLS: serverTLS(), MaxReassembly: -1}},
		{"ListenConfig.MaxReassembly", citadel.ListenConfig{TLS: serverTLS(), MaxReassembly: citadel.DefaultMaxSessionFrame - 1}},
		{"ListenConfig.ALPN", citadel.ListenConfig{TLS: serverTLS(), ALPN: map[string]func(*citadel.Listener, *quic.Conn){
			citadel.ALPN: func(*citadel.Listener, *quic.Conn) {},
		}}},
		{"ListenConfig.ALPN", citadel.ListenConfig{TLS: serverTLS(), ALPN: map[string]func(*citadel.Listener, *quic.Conn){"h3": nil}}},
	} {
		var bad *citadel.ConfigError
		require.ErrorAs(t, second(citadel.Listen("127.0.0.1:0", tc.cfg)), &bad)
		require.Equal(t, tc.field, bad.Field)
	}
	for _, tc := range []struct {
		field string
		cfg   citadel.DialConfig
	}{
		{"DialConfig.Pin", citadel.DialConfig{Pin: "abc"}},
		{"DialConfig.Pin", citadel.DialConfig{Pin: "zz"}},
		{"DialConfig.Token", citadel.DialConfig{Token: make([]byte, wire.MaxBody+1)}},
	} {
		var bad *citadel.ConfigError
		require.ErrorAs(t, second(citadel.Dial(t.Context(), "127.0.0.1:1", tc.cfg)), &bad)
		require.Equal(t, tc.field, bad.Field)
	}
}

func second[T any](_ T, err error) error { return err }

func TestDefaults(t *testing.T) {
	cfg, err := citadel.Config{IdleTimeout: 900 * time.Millisecond}.WithDefaults()
	require.NoError(t, err)
	require.Equal(t, 300*time.Millisecond, cfg.KeepAlive)
	require.Equal(t, citadel.DefaultSessionFrameTimeout, cfg.SessionFrameTimeout)
	require.NotNil(t, cfg.Inbox)
	_, err = citadel.Config{Linger: -1}.WithDefaults()
	require.Error(t, err)

	ln := newListener(t, citadel.ListenConfig{Config: citadel.Config{MaxSessionFrame: 1 << 29}})
	require.Equal(t, citadel.DefaultMaxHalfOpen, ln.Config().MaxHalfOpen)
	require.Equal(t, 1<<29, ln.Config().MaxReassembly, "one frame must fit")
	require.NotNil(t, ln.Config().Authenticator)
}

func TestListenTwice(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{})
	_, err := citadel.Listen(ln.Addr().String(), citadel.ListenConfig{TLS: serverTLS()})
	var op *net.OpError
	require.ErrorAs(t, err, &op)
}

func TestErrorsMatch(t *testing.T) {
	for code, want := range map[citadel.Code]error{
		citadel.CodeShutdown:     citadel.ErrShutdown,
		citadel.CodeProtocol:     citadel.ErrProtocol,
		citadel.CodeOverflow:     citadel.ErrOverflow,
		citadel.CodeServerFull:   citadel.ErrServerFull,
		citadel.CodeTimeout:      citadel.ErrTimeout,
		citadel.CodeReset:        citadel.ErrReset,
		citadel.CodeTransport:    citadel.ErrTransport,
		citadel.CodeAddressFull:  citadel.ErrAddressFull,
		citadel.CodeExhausted:    citadel.ErrExhausted,
		citadel.CodeAuthFailed:   citadel.ErrAuthFailed,
		citadel.CodeAuthRequired: citadel.ErrAuthRequired,
		citadel.CodeAuthProtocol: &citadel.AuthError{Reason: wire.ReasonProtocol},
	} {
		cause := errors.New("cause")
		var err error = &citadel.CloseError{Code: code, Reason: "why", Cause: cause}
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, err, cause)
		require.ErrorIs(t, err, net.ErrClosed)
		require.NotErrorIs(t, &citadel.CloseError{Code: citadel.CodeNone}, want)
		require.NotErrorIs(t, &citadel.CloseError{Code: citadel.CodeApplication}, want)
		for _, word := range []string{"why", "cause", code.String(), "this end"} {
			require.ErrorContains(t, err, word)
		}
	}
	require.NotErrorIs(t, citadel.ErrAuthFailed, citadel.ErrAuthRequired)
	require.Equal(t, "code 0x100", citadel.CodeApplication.String())
}
