package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/base64"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// noon is when the tests take place.
var noon = time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)

// seed makes keys that are the same in each run.
func seed(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

func rules() Rules {
	return Rules{
		Keys:   map[string]ed25519.PublicKey{"old": public(seed(1)), "new": public(seed(2))},
		Issuer: issuerName, Audience: gameName,
		MaxLifetime: 10 * time.Minute, Leeway: 5 * time.Second,
		Now: func() time.Time { return noon },
	}
}

func verifier(t *testing.T) *Verifier {
	t.Helper()
	v, err := NewVerifier(rules())
	require.NoError(t, err)
	return v
}

// claims returns good claims with some changed; nil removes one.
func claims(changed jwt.MapClaims) jwt.MapClaims {
	c := jwt.MapClaims{
		"iss": issuerName, "aud": gameName, "sub": "theseus",
		"iat": noon.Unix(), "exp": noon.Add(time.Minute).Unix(),
	}
	maps.Copy(c, changed)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// token signs claims, with a header that may be changed.
func token(t *testing.T, method jwt.SigningMethod, key any, header map[string]any, c jwt.Claims) string {
	t.Helper()
	tok := jwt.NewWithClaims(method, c)
	tok.Header["kid"] = "new"
	maps.Copy(tok.Header, header)
	maps.DeleteFunc(tok.Header, func(_ string, v any) bool { return v == nil })
	text, err := tok.SignedString(key)
	require.NoError(t, err)
	return text
}

func signed(t *testing.T, c jwt.MapClaims) string {
	return token(t, jwt.SigningMethodEdDSA, seed(2), nil, claims(c))
}

// good lists tokens that let theseus in.
func good(t *testing.T) map[string]string {
	return map[string]string{
		"plain":             signed(t, nil),
		"old key":           token(t, jwt.SigningMethodEdDSA, seed(1), map[string]any{"kid": "old"}, claims(nil)),
		"several audiences": signed(t, jwt.MapClaims{"aud": []string{"chess", gameName}}),
		"just expired":      signed(t, jwt.MapClaims{"iat": noon.Add(-time.Minute).Unix(), "exp": noon.Add(-4 * time.Second).Unix()}),
		"from a fast clock": signed(t, jwt.MapClaims{"iat": noon.Add(4 * time.Second).Unix()}),
		"longest lifetime":  signed(t, jwt.MapClaims{"exp": noon.Add(10 * time.Minute).Unix()}),
		"further claims":    signed(t, jwt.MapClaims{"name": "Theseus", "nbf": noon.Unix(), "scope": []int{1}}),
		"without a type":    token(t, jwt.SigningMethodEdDSA, seed(2), map[string]any{"typ": nil}, claims(nil)),
	}
}

// bad lists tokens that let nobody in.
func bad(t *testing.T) map[string]string {
	eddsa := jwt.SigningMethodEdDSA
	plain := signed(t, nil)
	parts := strings.Split(plain, ".")
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]string{
		"expired":             signed(t, jwt.MapClaims{"iat": noon.Add(-time.Minute).Unix(), "exp": noon.Add(-6 * time.Second).Unix()}),
		"without an end":      signed(t, jwt.MapClaims{"exp": nil}),
		"end is a text":       signed(t, jwt.MapClaims{"exp": "never"}),
		"not yet good":        signed(t, jwt.MapClaims{"nbf": noon.Add(6 * time.Second).Unix()}),
		"from the future":     signed(t, jwt.MapClaims{"iat": noon.Add(6 * time.Second).Unix()}),
		"without a beginning": signed(t, jwt.MapClaims{"iat": nil}),
		"good for too long":   signed(t, jwt.MapClaims{"exp": noon.Add(10*time.Minute + time.Second).Unix()}),
		"good for ever":       signed(t, jwt.MapClaims{"exp": float64(1 << 60)}),
		"ends before it begins": signed(t, jwt.MapClaims{
			"iat": noon.Add(4 * time.Second).Unix(), "exp": noon.Unix(),
		}),
		"other audience":      signed(t, jwt.MapClaims{"aud": "chess"}),
		"no audience":         signed(t, jwt.MapClaims{"aud": nil}),
		"audience of no one":  signed(t, jwt.MapClaims{"aud": []string{}}),
		"part of an audience": signed(t, jwt.MapClaims{"aud": gameName[:3]}),
		"other issuer":        signed(t, jwt.MapClaims{"iss": "https://login.example.org"}),
		"no issuer":           signed(t, jwt.MapClaims{"iss": nil}),
		"no subject":          signed(t, jwt.MapClaims{"sub": nil}),
		"empty subject":       signed(t, jwt.MapClaims{"sub": ""}),
		"subject is a number": signed(t, jwt.MapClaims{"sub": 7}),
		"long subject":        signed(t, jwt.MapClaims{"sub": strings.Repeat("x", maxUserID+1)}),

		"unknown key":          token(t, eddsa, seed(2), map[string]any{"kid": "newest"}, claims(nil)),
		"no key":               token(t, eddsa, seed(2), map[string]any{"kid": nil}, claims(nil)),
		"key is a number":      token(t, eddsa, seed(2), map[string]any{"kid": 1}, claims(nil)),
		"somebody else's key":  token(t, eddsa, seed(3), nil, claims(nil)),
		"key of another name":  token(t, eddsa, seed(1), nil, claims(nil)),
		"unsigned":             token(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, claims(nil)),
		"public key as secret": token(t, jwt.SigningMethodHS256, []byte(public(seed(2))), nil, claims(nil)),
		"says HS256":           token(t, eddsa, seed(2), map[string]any{"alg": "HS256"}, claims(nil)),
		"says nothing known":   token(t, eddsa, seed(2), map[string]any{"alg": "rot13"}, claims(nil)),
		"algorithm is a list":  token(t, eddsa, seed(2), map[string]any{"alg": []string{"EdDSA"}}, claims(nil)),

		"other content": parts[0] + "." + encode([]byte(`{"sub":"minos"}`)) + "." + parts[2],
		"no signature":  parts[0] + "." + parts[1] + ".",
		"two parts":     parts[0] + "." + parts[1],
		"four parts":    plain + ".",
		"cut":           plain[:len(plain)-1],
		"longer":        plain + "A",
		"with a space":  plain + " ",
		"with padding":  plain + "==",
		"another alphabet": strings.Map(func(r rune) rune {
			if r == '.' {
				return r
			}
			return r ^ 1
		}, plain),
		"dots":         "..",
		"one dot":      ".",
		"no token":     "theseus",
		"many dots":    strings.Repeat(".", 8000),
		"empty object": encode([]byte(`{}`)) + "." + encode([]byte(`{}`)) + ".",
		"null":         encode([]byte(`null`)) + "." + encode([]byte(`null`)) + ".",
		"deep": encode([]byte(`{"alg":"EdDSA","kid":"new","x":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`}`)) +
			"." + parts[1] + "." + parts[2],
	}
}

func TestGoodTokens(t *testing.T) {
	v := verifier(t)
	for name, text := range good(t) {
		id, err := v.Authenticate(t.Context(), []byte(text))
		require.NoError(t, err, name)
		require.Equal(t, citadel.Identity{UserID: "theseus"}, id, name)
	}
	issuer := &Issuer{Name: issuerName, KeyName: "old", Key: seed(1), Now: rules().Now}
	text, err := issuer.Token("ariadne", gameName, time.Minute)
	require.NoError(t, err)
	id, err := v.Authenticate(t.Context(), []byte(text))
	require.NoError(t, err)
	require.Equal(t, citadel.Identity{UserID: "ariadne"}, id)
}

// Whatever is wrong, the answer is the same value.
func TestBadTokens(t *testing.T) {
	v := verifier(t)
	for name, text := range bad(t) {
		id, err := v.Authenticate(t.Context(), []byte(text))
		require.Zero(t, id, name)
		require.Same(t, citadel.ErrAuthFailed, err, name)
	}
	_, err := v.Authenticate(t.Context(), nil)
	require.Same(t, citadel.ErrAuthRequired, err)
}

// No single changed character is overlooked.
func TestChangedTokens(t *testing.T) {
	v := verifier(t)
	text := []byte(signed(t, nil))
	for i := range text {
		for _, c := range []byte("A_.=\x00") {
			changed := bytes.Clone(text)
			if changed[i] == c {
				continue
			}
			changed[i] = c
			_, err := v.Authenticate(t.Context(), changed)
			require.Same(t, citadel.ErrAuthFailed, err, "%d %q", i, c)
		}
	}
}

func TestRulesThatAreTooLax(t *testing.T) {
	for problem, change := range map[string]func(*Rules){
		"no keys":              func(r *Rules) { r.Keys = nil },
		"no issuer":            func(r *Rules) { r.Issuer = "" },
		"no audience":          func(r *Rules) { r.Audience = "" },
		"no maximum":           func(r *Rules) { r.MaxLifetime = 0 },
		"negative leeway":      func(r *Rules) { r.Leeway = -1 },
		`key "new" has 5 byte`: func(r *Rules) { r.Keys["new"] = []byte("short") },
	} {
		r := rules()
		change(&r)
		_, err := NewVerifier(r)
		require.ErrorContains(t, err, problem)
	}
}

// syncBuffer is a log that many goroutines write.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// On a real connection, clients cannot tell bad tokens apart, and nothing of any token is in the logs of either end.
func TestOverTheNetwork(t *testing.T) {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	var log syncBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.Level(-100)}))
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config:        citadel.Config{Logger: logger},
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: verifier(t),
	})
	require.NoError(t, err)
	defer ln.Close()
	addr := ln.Addr().String()
	dial := func(text string) (*citadel.Conn, error) {
		return citadel.Dial(t.Context(), addr, citadel.DialConfig{
			Config: citadel.Config{Logger: logger, HandshakeTimeout: time.Minute}, Pin: pin, Token: []byte(text),
		})
	}

	answers := map[string]string{}
	secrets := []string{}
	tokens := bad(t)
	for _, name := range []string{
		"expired", "other audience", "somebody else's key", "unsigned", "unknown key", "no token", "good for too long",
	} {
		_, err := dial(tokens[name])
		require.ErrorIs(t, err, citadel.ErrAuthFailed, name)
		answers[err.Error()] = name
		secrets = append(secrets, tokens[name])
	}
	require.Len(t, answers, 1, "all hear the same")
	_, err = dial("")
	require.ErrorIs(t, err, citadel.ErrAuthRequired)

	text := signed(t, nil)
	secrets = append(secrets, text)
	conn, err := dial(text)
	require.NoError(t, err)
	require.Equal(t, citadel.Identity{UserID: "theseus"}, conn.Identity())
	require.NoError(t, conn.Close())
	require.NoError(t, ln.Close())

	require.Contains(t, log.String(), "handshake rejected")
	require.Contains(t, log.String(), "theseus")
	for _, secret := range secrets {
		for _, part := range strings.Split(secret, ".") {
			if len(part) > 8 {
				require.NotContains(t, log.String(), part)
			}
		}
	}
	for answer := range answers {
		require.NotContains(t, answer, "eyJ", "no error quotes a token")
	}
}

func TestDemonstration(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	refused := "citadel: dial ADDR: citadel: connection closed by the peer (handshake rejected): authentication "
	want := "server listens on ADDR\n" +
		"nobody:                      " + refused + "required\n" +
		"theseus:                     welcome, theseus\n" +
		"with yesterday's token:      " + refused + "failed\n" +
		"with a token for chess:      " + refused + "failed\n" +
		"with a forged token:         " + refused + "failed\n"
	require.Equal(t, want, regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out.String(), "ADDR"))
}
