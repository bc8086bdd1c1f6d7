package citadel

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Code says why a connection ended. It travels to the peer, as the application error code of QUIC and in the
// goodbye. Codes below [CodeApplication] belong to this package.
type Code uint32

// The codes of this package.
const (
	CodeNone         Code = 0 // an orderly end
	CodeShutdown     Code = 1 // the server is going down
	CodeProtocol     Code = 2 // the other end broke the protocol
	CodeOverflow     Code = 3 // the other end did not take what was sent fast enough
	CodeServerFull   Code = 4 // the server has as many connections as it may
	CodeTimeout      Code = 5 // nothing was heard; never sent
	CodeReset        Code = 6 // the peer restarted and does not know the connection; never sent
	CodeTransport    Code = 7 // the link failed; never sent
	CodeAddressFull  Code = 8 // the server has as many connections from this address as it may
	CodeExhausted    Code = 9 // the other end has no memory left for what was arriving
	CodeAuthFailed   Code = 0x10
	CodeAuthRequired Code = 0x11
	CodeAuthProtocol Code = 0x12

	// CodeApplication is the first code that applications may give a meaning.
	CodeApplication Code = 0x100
)

// What a [CloseError] matches, according to its code. All of them also match [net.ErrClosed].
var (
	ErrShutdown   = errors.New("citadel: server shut down")
	ErrProtocol   = errors.New("citadel: protocol violated")
	ErrOverflow   = errors.New("citadel: outbound queue overflowed")
	ErrServerFull = errors.New("citadel: server full")
	ErrReset      = errors.New("citadel: peer lost the connection's state")
	ErrTransport  = errors.New("citadel: transport failed")

	// ErrAddressFull says that others from the same IP address, or IPv6 network, are connected already.
	ErrAddressFull = errors.New("citadel: too many connections from this address")

	// ErrExhausted says that ListenConfig.MaxReassembly has been reached. Trying again later may help.
	ErrExhausted = errors.New("citadel: too many large frames at once")

	// ErrTimeout also matches [os.ErrDeadlineExceeded].
	ErrTimeout error = timeoutError{}
)

// What a call can refuse without any harm to the connection.
var (
	ErrReservedKind     = errors.New("citadel: envelope kind is the transport's own")
	ErrDatagramTooLarge = errors.New("citadel: datagram too large")
)

// How session frames and their parts can be wrong. These come wrapped in a [CloseError] that matches
// [ErrProtocol].
var (
	ErrPartOrder       = errors.New("citadel: session part out of order")
	ErrPartTotal       = errors.New("citadel: session part contradicts the size of its frame")
	ErrSessionTooLarge = errors.New("citadel: session frame too large")
	ErrSessionTooSlow  = errors.New("citadel: session frame took too long to arrive")
)

// How a stream can be wrong beyond what package wire reports; it comes wrapped like the above.
var errStreamTruncated = errors.New("citadel: stream ended inside a frame")

// errExhausted is how ErrExhausted is passed up inside the package.
var errExhausted = errors.New("citadel: no memory left to take from")

// errEnded is what an outbox answers after its end; callers learn the connection's error instead.
var errEnded = errors.New("citadel: outbox ended")

// CloseError is why a connection ended: what [Conn.Err] returns and [Closed] events carry. It matches
// [net.ErrClosed], and the error that belongs to its code.
type CloseError struct {
	Remote bool // the peer decided
	Code   Code
	Reason string // the decider's words, for logs
	Cause  error  // nil unless there is more to tell
}

// Error implements error.
func (e *CloseError) Error() string {
	by := "by this end"
	if e.Remote {
		by = "by the peer"
	}
	text := fmt.Sprintf("citadel: connection closed %s (%v)", by, e.Code)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the error of the code, the cause and net.ErrClosed.
func (e *CloseError) Unwrap() []error {
	// The order matters to errors.As: net.ErrClosed is a net.Error that is no timeout.
	errs := make([]error, 0, 3)
	if err := e.Code.err(); err != nil {
		errs = append(errs, err)
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	return append(errs, net.ErrClosed)
}

// String returns the code's name.
func (c Code) String() string {
	switch c {
	case CodeNone:
		return "done"
	case CodeShutdown:
		return "shutdown"
	case CodeProtocol:
		return "protocol violation"
	case CodeOverflow:
		return "outbound overflow"
	case CodeServerFull:
		return "server full"
	case CodeTimeout:
		return "timeout"
	case CodeReset:
		return "reset"
	case CodeTransport:
		return "transport failure"
	case CodeAddressFull:
		return "address full"
	case CodeExhausted:
		return "exhausted"
	case CodeAuthFailed, CodeAuthRequired, CodeAuthProtocol:
		return "handshake rejected"
	}
	return fmt.Sprintf("code %#x", uint32(c))
}

// err returns what a CloseError of this code matches.
func (c Code) err() error {
	switch c {
	case CodeShutdown:
		return ErrShutdown
	case CodeProtocol:
		return ErrProtocol
	case CodeOverflow:
		return ErrOverflow
	case CodeServerFull:
		return ErrServerFull
	case CodeTimeout:
		return ErrTimeout
	case CodeReset:
		return ErrReset
	case CodeTransport:
		return ErrTransport
	case CodeAddressFull:
		return ErrAddressFull
	case CodeExhausted:
		return ErrExhausted
	case CodeAuthFailed, CodeAuthRequired, CodeAuthProtocol:
		return &AuthError{Reason: c.reason()}
	}
	return nil
}

// The three auth codes are the reasons of the wire, shifted.

func authCode(r wire.AuthReason) Code {
	if r > wire.ReasonProtocol {
		r = wire.ReasonAuthFailed // a reason of the future
	}
	return CodeAuthFailed + Code(r)
}

func (c Code) reason() wire.AuthReason { return wire.AuthReason(c - CodeAuthFailed) }

// AuthError says that a handshake was rejected. Two of them match if their reasons are equal.
type AuthError struct {
	Reason wire.AuthReason
}

// What an [Authenticator] returns.
var (
	ErrAuthFailed   error = &AuthError{Reason: wire.ReasonAuthFailed}
	ErrAuthRequired error = &AuthError{Reason: wire.ReasonAuthRequired}
)

// Error implements error.
func (e *AuthError) Error() string { return "citadel: " + e.Reason.String() }

// Is reports whether target is an AuthError with the same reason.
func (e *AuthError) Is(target error) bool {
	t, ok := target.(*AuthError)
	return ok && t.Reason == e.Reason
}

// DatagramTooLargeError reports a datagram that the path cannot carry in one packet. It matches
// [ErrDatagramTooLarge].
type DatagramTooLargeError struct {
	Size int // of the body, in bytes
	Max  int // the largest body that the path carries now
}

// Error implements error.
func (e *DatagramTooLargeError) Error() string {
	return fmt.Sprintf("%v: body of %d bytes, at most %d", ErrDatagramTooLarge, e.Size, e.Max)
}

// Is reports a match with ErrDatagramTooLarge.
func (e *DatagramTooLargeError) Is(target error) bool { return target == ErrDatagramTooLarge }

// ConfigError reports a configuration that cannot work.
type ConfigError struct {
	Field   string
	Problem string
}

// Error implements error.
func (e *ConfigError) Error() string { return "citadel: " + e.Field + ": " + e.Problem }

// timeoutError is a net.Error.
type timeoutError struct{}

func (timeoutError) Error() string        { return "citadel: peer not heard from" }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Temporary() bool      { return false }
func (timeoutError) Is(target error) bool { return target == os.ErrDeadlineExceeded }
