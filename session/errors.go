package session

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Refusals that a host, server or client reports. Unless its comment says otherwise, nothing has changed.
var (
	ErrBusy           = errors.New("session: called from inside one of its own handlers")
	ErrWrongMode      = errors.New("session: not possible in this mode")
	ErrHandled        = errors.New("session: command type already has handlers here")
	ErrNotRegistered  = errors.New("session: command type is not in the session's registry")
	ErrPayloadSize    = errors.New("session: payload exceeds the limit")
	ErrTooFarAhead    = errors.New("session: step lies too far ahead of the authority")
	ErrTooManyOpen    = errors.New("session: author has too many commands in the model")
	ErrTooManyPending = errors.New("session: too many messages without an answer")
	ErrKeyUsed        = errors.New("session: the next sequence is already recorded")
	ErrUnknownKey     = errors.New("session: no such command")
	ErrNotYours       = errors.New("session: only the author and the authority may cancel this command")
	ErrForeign        = errors.New("session: belongs to another session or protocol")
	ErrBadSnapshot    = errors.New("session: snapshot contradicts itself")
	ErrJournal        = errors.New("session: journal failed")
)

// Refusals by the router and the join coordinator.
var (
	ErrNotBound   = errors.New("session: connection is not bound")
	ErrBound      = errors.New("session: connection is already bound")
	ErrNoSession  = errors.New("session: no such session")
	ErrHosted     = errors.New("session: a session with this id is already hosted")
	ErrUnexpected = errors.New("session: frame is not expected now")
	ErrStale      = errors.New("session: frame belongs to an earlier connection")
	ErrBehind     = errors.New("session: synchronisation ended behind the client's step")
	ErrRestarted  = errors.New("session: the authority has been started anew")
	ErrJoin       = errors.New("session: the authority refused the join")
)

// RefusedError says that the authority refused a command of its own, or that a client refused to issue one.
// The sequence has been used up.
type RefusedError struct {
	Key    netcode.Key
	Result netcode.Result
	Reason error // what the validator, model, mutator or codec said; never nil
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("session: command %v %v: %v", e.Key, e.Result, e.Reason)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Reason }

// HandlerError says that a handler or codec of the application failed: it returned an error where none was
// expected, or panicked. Nothing that it had done to the session remains.
type HandlerError struct {
	Type  netcode.TypeID
	Doing string // "decode", "encode", "validate", "mutate"
	Cause error  // a recovered panic value is wrapped in an error
}

// Error implements error.
func (e *HandlerError) Error() string {
	return fmt.Sprintf("session: %s %v: %v", e.Doing, e.Type, e.Cause)
}

// Unwrap returns the cause.
func (e *HandlerError) Unwrap() error { return e.Cause }

// contain is deferred around application code: a panic becomes a [HandlerError] in *err.
func contain(id netcode.TypeID, doing string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	cause, ok := r.(error)
	if !ok {
		cause = fmt.Errorf("panic: %v", r)
	}
	*err = &HandlerError{Type: id, Doing: doing, Cause: cause}
}
