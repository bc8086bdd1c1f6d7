package citadel

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
)

// Identity is who a connection belongs to.
type Identity struct {
	// UserID names an authenticated user. It is UTF-8 and travels to the client.
	UserID string

	// Guest says that nobody in particular is connected. UserID does not reach the client then.
	Guest bool
}

// Authenticator decides about a handshake's token. It is called from many goroutines at once.
//
// Authenticate must return when its context ends, which is when the handshake takes too long or the client
// gives up. The token is UTF-8, empty if the client asks for a guest session, and borrowed for the call.
// An error that matches [ErrAuthRequired] tells the client that guests are not welcome; after any other, it
// learns no more than that authentication failed. The error's text is not logged, because it might quote the
// token.
type Authenticator interface {
	Authenticate(ctx context.Context, token []byte) (Identity, error)
}

// AuthenticatorFunc is a function that is an [Authenticator].
type AuthenticatorFunc func(ctx context.Context, token []byte) (Identity, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, token []byte) (Identity, error) {
	return f(ctx, token)
}

// Guests lets in whoever shows no token, as a guest.
func Guests() Authenticator {
	return AuthenticatorFunc(func(_ context.Context, token []byte) (Identity, error) {
		if len(token) > 0 {
			return Identity{}, ErrAuthFailed
		}
		return Identity{Guest: true}, nil
	})
}

// Tokens lets in whoever shows one of the given tokens, as the user that it is mapped to. How long that takes
// does not depend on how much of a token is right. The empty token is never good.
func Tokens(users map[string]string) Authenticator {
	type entry struct {
		hash [sha256.Size]byte
		user string
	}
	entries := make([]entry, 0, len(users))
	for token, user := range users {
		if token != "" {
			entries = append(entries, entry{sha256.Sum256([]byte(token)), user})
		}
	}
	return AuthenticatorFunc(func(_ context.Context, token []byte) (Identity, error) {
		if len(token) == 0 {
			return Identity{}, ErrAuthRequired
		}
		hash := sha256.Sum256(token)
		found := -1
		for i := range entries {
			found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash[:], entries[i].hash[:]), i, found)
		}
		if found < 0 {
			return Identity{}, ErrAuthFailed
		}
		return Identity{UserID: entries[found].user}, nil
	})
}

// FirstOf asks each authenticator in turn and takes the first answer that is not an error. If all refuse, the
// last one's error counts.
func FirstOf(auths ...Authenticator) Authenticator {
	return AuthenticatorFunc(func(ctx context.Context, token []byte) (Identity, error) {
		err := ErrAuthFailed
		for _, a := range auths {
			var id Identity
			if id, err = a.Authenticate(ctx, token); err == nil {
				return id, nil
			}
		}
		return Identity{}, err
	})
}
