package citadel_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

func TestDevCertificate(t *testing.T) {
	cert, pin, err := citadel.DevCertificate("localhost", "play.example.com", "127.0.0.1", "::1")
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{64}$", pin)
	require.Equal(t, pin, citadel.Pin(cert))
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	require.NoError(t, err)
	for _, host := range []string{"localhost", "play.example.com", "127.0.0.1", "::1"} {
		require.NoError(t, leaf.VerifyHostname(host))
	}
	require.Error(t, leaf.VerifyHostname("example.com"))
	require.Equal(t, 13*24*time.Hour, leaf.NotAfter.Sub(leaf.NotBefore))
	require.True(t, leaf.NotBefore.Before(time.Now()))
	key, ok := leaf.PublicKey.(*ecdsa.PublicKey)
	require.True(t, ok)
	require.Equal(t, elliptic.P256(), key.Curve)
	require.Empty(t, citadel.Pin(tls.Certificate{}))
}

func TestCertificateFile(t *testing.T) {
	cert, pin := devCert()
	file := filepath.Join(t.TempDir(), "dev.pem")
	require.NoError(t, citadel.SaveCertificate(file, cert))
	info, err := os.Stat(file)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	}
	loaded, err := citadel.LoadCertificate(file)
	require.NoError(t, err)
	require.Equal(t, pin, citadel.Pin(loaded))
	require.ErrorIs(t, citadel.SaveCertificate(file, cert), fs.ErrExist)
	_, err = citadel.LoadCertificate(file + "x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Error(t, citadel.SaveCertificate(filepath.Join(t.TempDir(), "no.pem"), tls.Certificate{}))

	// Another process would do this.
	ln := listen(t, citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{loaded}}})
	dial(t, ln.Addr().String(), citadel.DialConfig{Pin: citadel.Pin(loaded)})
}

// certificate makes one that is valid from start to end.
func certificate(t *testing.T, start, end time.Duration) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(start),
		NotAfter:     time.Now().Add(end),
		DNSNames:     []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestPinning(t *testing.T) {
	_, good := devCert()
	_, other, err := citadel.DevCertificate()
	require.NoError(t, err)
	expired := certificate(t, -2*time.Hour, -time.Hour)
	future := certificate(t, time.Hour, 2*time.Hour)
	dev, _ := devCert()
	roots := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(dev.Certificate[0])
	require.NoError(t, err)
	roots.AddCert(leaf)
	objection := errors.New("objection")

	for _, tc := range []struct {
		name string
		cert tls.Certificate
		cfg  citadel.DialConfig
		want error
	}{
		{"right", dev, citadel.DialConfig{Pin: good}, nil},
		{"right, as other tools write it", dev, citadel.DialConfig{Pin: strings.ToUpper(good[:2] + ":" + good[2:])}, nil},
		{"another certificate", dev, citadel.DialConfig{Pin: other}, citadel.ErrPin},
		{"expired", expired, citadel.DialConfig{Pin: citadel.Pin(expired)}, citadel.ErrPin},
		{"not valid yet", future, citadel.DialConfig{Pin: citadel.Pin(future)}, citadel.ErrPin},
		{"by authority", dev, citadel.DialConfig{TLS: &tls.Config{RootCAs: roots}}, nil},
		{"no pin, no authority", dev, citadel.DialConfig{}, citadel.ErrTransport},
		{"the caller's own check", dev, citadel.DialConfig{Pin: good, TLS: &tls.Config{
			VerifyConnection: func(tls.ConnectionState) error { return objection },
		}}, objection},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ln := listen(t, citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{tc.cert}}})
			conn, err := citadel.Dial(t.Context(), ln.Addr().String(), tc.cfg)
			if tc.want == nil {
				require.NoError(t, err)
				require.NoError(t, conn.Close())
				return
			}
			require.True(t, errors.Is(err, tc.want), "got %v", err)
			require.True(t, errors.Is(err, citadel.ErrTransport), "got %v", err)
		})
	}
}
