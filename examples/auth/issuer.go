package main

import (
	"crypto/ed25519"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Issuer is a login service, after it has found out who somebody is. It is not part of the game server: the private
// key never leaves it.
type Issuer struct {
	Name    string // iss
	KeyName string // kid
	Key     ed25519.PrivateKey
	Now     func() time.Time // nil means time.Now
}

// Token returns a token that is good for a user, in one game, for a while.
func (i *Issuer) Token(user, game string, lifetime time.Duration) (string, error) {
	now := time.Now
	if i.Now != nil {
		now = i.Now
	}
	issued := now()
	return i.sign(jwt.RegisteredClaims{
		Issuer:    i.Name,
		Subject:   user,
		Audience:  jwt.ClaimStrings{game},
		IssuedAt:  jwt.NewNumericDate(issued),
		ExpiresAt: jwt.NewNumericDate(issued.Add(lifetime)),
	})
}

func (i *Issuer) sign(claims jwt.Claims) (string, error) {
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	t.Header["kid"] = i.KeyName
	return t.SignedString(i.Key)
}
