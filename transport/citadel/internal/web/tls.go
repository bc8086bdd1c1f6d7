package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// ClientTLS returns the TLS configuration with which a client reaches a server that speaks the given protocols,
// checking the server's certificate as [citadel.Dial] does. A pin that is none is a [*citadel.ConfigError].
func ClientTLS(cfg citadel.DialConfig, protos ...string) (*tls.Config, error) {
	t := cfg.TLS
	if t == nil {
		t = &tls.Config{}
	}
	t = t.Clone()
	t.NextProtos = protos
	if cfg.Pin == "" {
		return t, nil
	}
	pin, err := ParsePin(cfg.Pin)
	if err != nil {
		return nil, err
	}
	t.InsecureSkipVerify = true // in favour of the check below
	also := t.VerifyConnection
	t.VerifyConnection = func(s tls.ConnectionState) error {
		if err := checkPin(s, pin); err != nil {
			return err
		}
		if also != nil {
			return also(s)
		}
		return nil
	}
	return t, nil
}

// ParsePin reads the SHA-256 hash of a certificate in hex, with or without colons. What is no hash is a
// [*citadel.ConfigError].
func ParsePin(s string) (pin [sha256.Size]byte, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
	if err == nil && len(b) != len(pin) {
		err = errors.New("not the length of a SHA-256 hash")
	}
	if err != nil {
		return pin, &citadel.ConfigError{Field: "DialConfig.Pin", Problem: err.Error()}
	}
	return [sha256.Size]byte(b), nil
}

func checkPin(s tls.ConnectionState, pin [sha256.Size]byte) error {
	if len(s.PeerCertificates) == 0 {
		return fmt.Errorf("%w: there is none", citadel.ErrPin)
	}
	leaf := s.PeerCertificates[0]
	hash := sha256.Sum256(leaf.Raw)
	if subtle.ConstantTimeCompare(hash[:], pin[:]) != 1 {
		return citadel.ErrPin
	}
	if now := time.Now(); now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return fmt.Errorf("%w: valid from %v to %v", citadel.ErrPin, leaf.NotBefore, leaf.NotAfter)
	}
	return nil
}
