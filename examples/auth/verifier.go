package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// Rules say which tokens are good. All fields but Leeway and Now must be set.
type Rules struct {
	// Keys are the public keys of the login service, by the name that a token gives in its header (kid).
	Keys map[string]ed25519.PublicKey

	// Issuer is the login service (iss), and Audience this game (aud): a token for another game of the same
	// service is no good here.
	Issuer, Audience string

	// MaxLifetime bounds the time for which a token is good, from its issue (iat) to its expiry (exp).
	MaxLifetime time.Duration

	// Leeway is how far the clocks of the login service and this machine may be apart.
	Leeway time.Duration

	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Verifier is a [citadel.Authenticator] that knows a user by a signed token. It is safe for concurrent use.
type Verifier struct {
	keys        map[string]ed25519.PublicKey
	maxLifetime time.Duration
	parser      *jwt.Parser
}

var _ citadel.Authenticator = (*Verifier)(nil)

// maxUserID bounds the name of a user in bytes.
const maxUserID = 256

// NewVerifier returns a Verifier. Rules that would let in too many are an error.
func NewVerifier(r Rules) (*Verifier, error) {
	switch {
	case len(r.Keys) == 0:
		return nil, errors.New("auth: no keys")
	case r.Issuer == "":
		return nil, errors.New("auth: no issuer")
	case r.Audience == "":
		return nil, errors.New("auth: no audience")
	case r.MaxLifetime <= 0:
		return nil, errors.New("auth: no maximum of a token's lifetime")
	case r.Leeway < 0:
		return nil, errors.New("auth: negative leeway")
	}
	for name, key := range r.Keys {
		if len(key) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("auth: key %q has %d bytes instead of %d", name, len(key), ed25519.PublicKeySize)
		}
	}
	if r.Now == nil {
		r.Now = time.Now
	}
	return &Verifier{
		keys:        maps.Clone(r.Keys),
		maxLifetime: r.MaxLifetime,
		parser: jwt.NewParser(
			// The token does not choose how it is checked: one algorithm, and never "none" or a public key
			// that is taken for a shared secret.
			jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
			jwt.WithIssuer(r.Issuer),
			jwt.WithAudience(r.Audience),
			jwt.WithExpirationRequired(),
			jwt.WithIssuedAt(),
			jwt.WithLeeway(r.Leeway),
			jwt.WithTimeFunc(r.Now),
			jwt.WithStrictDecoding(),
		),
	}, nil
}

// Authenticate implements [citadel.Authenticator]. The user is the token's subject (sub). Whatever is wrong with a
// token, the answer is the same; no token at all is [citadel.ErrAuthRequired].
func (v *Verifier) Authenticate(_ context.Context, token []byte) (citadel.Identity, error) {
	if len(token) == 0 {
		return citadel.Identity{}, citadel.ErrAuthRequired
	}
	var claims jwt.RegisteredClaims
	if _, err := v.parser.ParseWithClaims(string(token), &claims, v.key); err != nil {
		// The library's error may quote the token, so it ends here.
		return citadel.Identity{}, citadel.ErrAuthFailed
	}
	if !v.acceptable(&claims) {
		return citadel.Identity{}, citadel.ErrAuthFailed
	}
	return citadel.Identity{UserID: claims.Subject}, nil
}

// acceptable checks what the library does not.
func (v *Verifier) acceptable(c *jwt.RegisteredClaims) bool {
	if c.IssuedAt == nil || c.Subject == "" || len(c.Subject) > maxUserID {
		return false
	}
	lifetime := c.ExpiresAt.Sub(c.IssuedAt.Time)
	return lifetime > 0 && lifetime <= v.maxLifetime
}

var errUnknownKey = errors.New("auth: unknown key")

// key finds the key by the name that the token gives. The names are no secret.
func (v *Verifier) key(t *jwt.Token) (any, error) {
	name, ok := t.Header["kid"].(string)
	if !ok {
		return nil, errUnknownKey
	}
	key, ok := v.keys[name]
	if !ok {
		return nil, errUnknownKey
	}
	return key, nil
}
