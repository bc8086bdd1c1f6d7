package citadel

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// A development certificate is valid for 13 days: browsers accept pinned ones for no more than 14.
const (
	devValidity = 13 * 24 * time.Hour
	devSkew     = time.Hour // clocks of test machines differ; part of the validity
)

// ErrPin is returned for a server whose certificate is not the pinned one, or is outside its dates.
var ErrPin = errors.New("citadel: certificate does not match the pin")

// DevCertificate makes a self-signed certificate for the given host names and IP addresses, and its pin for
// [DialConfig]. It is valid for 13 days and for development only: whoever has the pin trusts it, nobody else
// does. Without hosts it is for localhost.
func DevCertificate(hosts ...string) (cert tls.Certificate, pin string, err error) {
	if len(hosts) == 0 {
		hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, "", fmt.Errorf("citadel: development certificate: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return cert, "", fmt.Errorf("citadel: development certificate: %w", err)
	}
	start := time.Now().Add(-devSkew)
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "Ariadne development"},
		NotBefore:    start,
		NotAfter:     start.Add(devValidity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return cert, "", fmt.Errorf("citadel: development certificate: %w", err)
	}
	cert = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return cert, Pin(cert), nil
}

// Pin returns the SHA-256 hash of a certificate in lower-case hex, or "" if there is no certificate.
func Pin(cert tls.Certificate) string {
	if len(cert.Certificate) == 0 {
		return ""
	}
	hash := sha256.Sum256(cert.Certificate[0])
	return hex.EncodeToString(hash[:])
}

// SaveCertificate writes a certificate and its key to a PEM file that only its owner may read. The file must
// not exist.
func SaveCertificate(file string, cert tls.Certificate) error {
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		return fmt.Errorf("citadel: save certificate: %w", err)
	}
	var text []byte
	for _, der := range cert.Certificate {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("citadel: save certificate: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("citadel: save certificate: %w", err)
	}
	return nil
}

// LoadCertificate reads what [SaveCertificate] wrote.
func LoadCertificate(file string) (tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(file, file)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("citadel: load certificate: %w", err)
	}
	return cert, nil
}

// ParsePin reads a hash in hex, with or without the colons that some tools write. What is no SHA-256 hash is a
// [*ConfigError] about DialConfig.Pin.
func ParsePin(s string) (pin [sha256.Size]byte, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
	if err != nil {
		return pin, &ConfigError{"DialConfig.Pin", "not hex: " + err.Error()}
	}
	if len(b) != len(pin) {
		return pin, &ConfigError{"DialConfig.Pin", fmt.Sprintf("%d bytes are not a SHA-256 hash", len(b))}
	}
	return [sha256.Size]byte(b), nil
}

// pinCertificate makes a client trust one certificate and no authority. TLS still proves that the server holds
// its key.
func pinCertificate(cfg *tls.Config, pin [sha256.Size]byte) {
	cfg.InsecureSkipVerify = true // in favour of the check below
	also := cfg.VerifyConnection
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return fmt.Errorf("%w: there is none", ErrPin)
		}
		leaf := s.PeerCertificates[0]
		hash := sha256.Sum256(leaf.Raw)
		if subtle.ConstantTimeCompare(hash[:], pin[:]) != 1 {
			return ErrPin
		}
		if now := time.Now(); now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
			return fmt.Errorf("%w: valid from %v to %v", ErrPin, leaf.NotBefore, leaf.NotAfter)
		}
		if also != nil {
			return also(s)
		}
		return nil
	}
}
