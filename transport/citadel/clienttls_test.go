package citadel_test

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

func TestClientTLS(t *testing.T) {
	own := &tls.Config{ServerName: "play.example.com", NextProtos: []string{"mine"}}
	got, err := citadel.DialConfig{TLS: own}.ClientTLS("h3")
	require.NoError(t, err)
	require.Equal(t, []string{"h3"}, got.NextProtos)
	require.Equal(t, "play.example.com", got.ServerName)
	require.False(t, got.InsecureSkipVerify)
	require.Equal(t, []string{"mine"}, own.NextProtos, "the caller's stays as it is")

	for _, pin := range []string{"xyz", "abcd"} {
		_, err = citadel.DialConfig{Pin: pin}.ClientTLS()
		var problem *citadel.ConfigError
		require.ErrorAs(t, err, &problem)
		require.Equal(t, "DialConfig.Pin", problem.Field)
	}
}

func TestPin(t *testing.T) {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	_, other, err := citadel.DevCertificate()
	require.NoError(t, err)

	called := false
	cfg := citadel.DialConfig{Pin: pin, TLS: &tls.Config{VerifyConnection: func(tls.ConnectionState) error {
		called = true
		return nil
	}}}
	require.NoError(t, handshake(t, cert, cfg))
	require.True(t, called)
	require.ErrorIs(t, handshake(t, cert, citadel.DialConfig{Pin: other}), citadel.ErrPin)
	require.Error(t, handshake(t, cert, citadel.DialConfig{TLS: &tls.Config{ServerName: "localhost"}}), "nobody vouches for it")
}

// handshake connects to a server with a certificate over a pipe.
func handshake(t *testing.T, cert tls.Certificate, cfg citadel.DialConfig) error {
	t.Helper()
	conf, err := cfg.ClientTLS()
	require.NoError(t, err)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	require.NoError(t, err)
	defer ln.Close()
	go func() {
		if c, err := ln.Accept(); err == nil {
			_ = c.(*tls.Conn).Handshake()
			_ = c.Close()
		}
	}()
	c, err := tls.Dial("tcp", ln.Addr().String(), conf)
	if err == nil {
		_ = c.Close()
	}
	return err
}
