package rpc

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// MaxErrorText is the most bytes that the text of an error has. What is longer is cut, by both ends.
const MaxErrorText = 256

// Error is what the server answered instead of a result. Two of them match if their texts are equal.
type Error struct {
	Status wire.RPCStatus // anything but wire.RPCOK
	Text   string         // the server's words: UTF-8, at most MaxErrorText bytes
}

// The errors that a [Server] answers with of its own accord. A server that is not of this package has other words
// for them.
var (
	ErrUnknownMethod    error = &Error{wire.RPCError, "unknown method"}
	ErrRequestTooLarge  error = &Error{wire.RPCError, "request too large"}
	ErrBusy             error = &Error{wire.RPCError, "too many calls"}
	ErrDeadline         error = &Error{wire.RPCError, "deadline exceeded"}
	ErrInternal         error = &Error{wire.RPCError, "internal error"}
	ErrResponseTooLarge error = &Error{wire.RPCError, "response too large"}
	ErrShutdown         error = &Error{wire.RPCError, "server shutting down"}
)

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("rpc: server answered %q", e.Text) }

// Is reports whether target is an Error with the same text.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Text == e.Text
}

// What calls and registrations can fail with at this end.
var (
	// ErrClosed says that the connection, or the client, was closed before a response came. It comes together
	// with the connection's own error if there is one. As the cause of a handler's context it says that there is
	// nobody left to answer.
	ErrClosed = errors.New("rpc: connection closed")

	// ErrTooManyCalls says that ClientConfig.MaxOutstanding calls wait for their responses already.
	ErrTooManyCalls = errors.New("rpc: too many outstanding calls")

	// ErrMethod says that a method's name cannot be called or registered.
	ErrMethod = errors.New("rpc: unusable method")

	errGoexit = errors.New("rpc: handler ended its goroutine")
)

// PublicError is an error whose text a caller may read. [Errorf] makes it. A handler may wrap it; the caller then
// sees no more than Text.
type PublicError struct {
	Text string
}

// Error implements error.
func (e *PublicError) Error() string { return e.Text }

// Errorf returns a [*PublicError]. What it is given is told to the caller, so it had better not be an error of
// somewhere else.
func Errorf(format string, args ...any) error {
	return &PublicError{Text: fmt.Sprintf(format, args...)}
}

// PanicError is what Config.OnFailure is told of a handler that panicked.
type PanicError struct {
	Value any // of the panic
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("rpc: handler panicked: %v", e.Value) }

// ConfigError reports a configuration that cannot work.
type ConfigError struct {
	Field   string
	Problem string
}

// Error implements error.
func (e *ConfigError) Error() string { return "rpc: " + e.Field + ": " + e.Problem }

// clip makes a text fit for an error: UTF-8, and not too long.
func clip[S string | []byte](text S) string {
	if len(text) > MaxErrorText {
		n := MaxErrorText
		for n > MaxErrorText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	return strings.ToValidUTF8(string(text), "")
}

// checkMethod reports whether a method's name can travel.
func checkMethod(method string) error {
	switch {
	case len(method) > wire.MaxString:
		return fmt.Errorf("%w: name of %d bytes, at most %d", ErrMethod, len(method), wire.MaxString)
	case !utf8.ValidString(method):
		return fmt.Errorf("%w: name %q is not UTF-8", ErrMethod, method)
	}
	return nil
}

// sendError turns what a connection says into an error of this package.
func sendError(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}
