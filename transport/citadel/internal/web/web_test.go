package web_test

import (
	"crypto/tls"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/internal/web"
)

func TestOriginAllowed(t *testing.T) {
	for _, c := range []struct {
		name     string
		origins  []string
		patterns []string
		want     bool
	}{
		{name: "no page", want: true},
		{name: "same host", origins: []string{"https://play.example.com:7352"}, want: true},
		{name: "same host, other case", origins: []string{"https://PLAY.example.com:7352"}, want: true},
		{name: "same host, other scheme", origins: []string{"http://play.example.com:7352"}, want: true},
		{name: "other port", origins: []string{"https://play.example.com"}},
		{name: "other host", origins: []string{"https://evil.example"}},
		{name: "no host", origins: []string{"null"}},
		{name: "empty", origins: []string{""}},
		{name: "two", origins: []string{"https://play.example.com:7352", "https://evil.example"}, patterns: []string{"*"}},
		{name: "no URL", origins: []string{"https://%zz"}, patterns: []string{"*"}},
		{name: "any host", origins: []string{"https://evil.example"}, patterns: []string{"*"}, want: true},
		{name: "host", origins: []string{"https://game.example"}, patterns: []string{"other.example", "game.example"}, want: true},
		{name: "host, other port", origins: []string{"https://game.example:8080"}, patterns: []string{"game.example"}},
		{name: "subdomain", origins: []string{"https://eu.Game.example"}, patterns: []string{"*.game.EXAMPLE"}, want: true},
		{name: "scheme", origins: []string{"https://game.example"}, patterns: []string{"https://game.example"}, want: true},
		{name: "other scheme", origins: []string{"http://game.example"}, patterns: []string{"https://game.example"}},
		{name: "malformed pattern", origins: []string{"https://game.example"}, patterns: []string{"[", "g[ame.example"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &http.Request{Host: "play.example.com:7352", Header: http.Header{}}
			for _, o := range c.origins {
				r.Header.Add("Origin", o)
			}
			require.Equal(t, c.want, web.OriginAllowed(r, c.patterns))
		})
	}
}

func TestClientTLS(t *testing.T) {
	own := &tls.Config{ServerName: "play.example.com", NextProtos: []string{"mine"}}
	got, err := web.ClientTLS(citadel.DialConfig{TLS: own}, "h3")
	require.NoError(t, err)
	require.Equal(t, []string{"h3"}, got.NextProtos)
	require.Equal(t, "play.example.com", got.ServerName)
	require.False(t, got.InsecureSkipVerify)
	require.Equal(t, []string{"mine"}, own.NextProtos, "the caller's stays as it is")

	for _, pin := range []string{"xyz", "abcd"} {
		_, err = web.ClientTLS(citadel.DialConfig{Pin: pin})
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
	conf, err := web.ClientTLS(cfg)
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
