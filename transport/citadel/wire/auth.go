package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// AuthStatus is the outcome of a handshake. Other values than the three below may arrive; a client treats them
// as no session.
type AuthStatus uint8

// The outcomes.
const (
	AuthAuthenticated AuthStatus = 0
	AuthGuest         AuthStatus = 1
	AuthRejected      AuthStatus = 2
)

// String returns the outcome's name.
func (s AuthStatus) String() string {
	switch s {
	case AuthAuthenticated:
		return "authenticated"
	case AuthGuest:
		return "guest"
	case AuthRejected:
		return "rejected"
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// AuthReason is why a handshake was rejected. It is coarse on purpose: what is wrong with a token is nobody's
// business who does not hold a good one.
type AuthReason uint8

// The reasons.
const (
	ReasonAuthFailed   AuthReason = 0 // the token is not good
	ReasonAuthRequired AuthReason = 1 // guests are not welcome
	ReasonProtocol     AuthReason = 2 // the handshake itself was wrong: late, twice, too large, or not the first frame
)

// String returns the reason in words.
func (r AuthReason) String() string {
	switch r {
	case ReasonAuthFailed:
		return "authentication failed"
	case ReasonAuthRequired:
		return "authentication required"
	case ReasonProtocol:
		return "handshake protocol violated"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Auth is the body of a [KindAuth].
type Auth struct {
	Token []byte // UTF-8; empty asks for a guest session
}

// AppendAuth appends the encoding of a. It does not check Token.
func AppendAuth(dst []byte, a Auth) []byte { return append(dst, a.Token...) }

// ParseAuth reads a whole body; Token borrows from it. The only error is [ErrOutOfRange] for a token that is
// not UTF-8, which the error does not repeat. How long a token may be is the server's policy.
func ParseAuth(b []byte) (Auth, error) {
	if !utf8.Valid(b) {
		return Auth{}, errTextToken
	}
	return Auth{Token: b}, nil
}

// ErrAuthResult is returned for the body of a [KindAuthResult] that is empty or names a user in bytes that are
// not UTF-8. It comes with [ErrTooShort] or [ErrOutOfRange].
var ErrAuthResult = errors.New("wire: malformed auth result")

// AuthResult is the body of a [KindAuthResult].
type AuthResult struct {
	Status AuthStatus
	UserID []byte     // UTF-8, possibly empty; only if authenticated
	Reason AuthReason // only if rejected
}

// AppendAuthResult appends the encoding of r. It does not check UserID, which must be UTF-8.
func AppendAuthResult(dst []byte, r AuthResult) []byte {
	dst = append(dst, byte(r.Status))
	switch r.Status {
	case AuthAuthenticated:
		dst = append(dst, r.UserID...)
	case AuthRejected:
		dst = append(dst, byte(r.Reason))
	}
	return dst
}

// ParseAuthResult reads a whole body; UserID borrows from it. A rejection without a reason counts as
// [ReasonAuthFailed], bytes that a status has no use for are ignored, and an unknown status is not an error.
func ParseAuthResult(b []byte) (AuthResult, error) {
	if len(b) == 0 {
		return AuthResult{}, fmt.Errorf("%w: no status: %w", ErrAuthResult, ErrTooShort)
	}
	r := AuthResult{Status: AuthStatus(b[0])}
	switch rest := b[1:]; r.Status {
	case AuthAuthenticated:
		if !utf8.Valid(rest) {
			return AuthResult{}, fmt.Errorf("%w: %w", ErrAuthResult, errTextUserID)
		}
		r.UserID = rest
	case AuthRejected:
		if len(rest) > 0 {
			r.Reason = AuthReason(rest[0])
		}
	}
	return r, nil
}
