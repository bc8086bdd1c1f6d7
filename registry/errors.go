package registry

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Why a type cannot be registered at all. They are found inside a [*TypeError].
var (
	// ErrZeroID: zero is never a type's id.
	ErrZeroID = errors.New("registry: type id is zero")

	// ErrUnnamed: the type is not defined by a package, but predeclared or written out, such as *T or []T.
	ErrUnnamed = errors.New("registry: type has no name")

	// ErrNoCodec: half a codec was given, or none while the type lacks the methods of one.
	ErrNoCodec = errors.New("registry: type has no codec")
)

// Why a type cannot be registered beside what is there already. They are found inside a [*ConflictError].
var (
	// ErrIDTaken: the id belongs to another type.
	ErrIDTaken = errors.New("registry: id is taken")

	// ErrTypeTaken: the type has another id.
	ErrTypeTaken = errors.New("registry: type has another id")

	// ErrPrediction: the type has this id already, but differs in being predicted.
	ErrPrediction = errors.New("registry: type has another prediction flag")

	// ErrOptions: the type has this id already, but with another name or another word on sharing.
	ErrOptions = errors.New("registry: type has other options")
)

// Why a type cannot be used.
var (
	// ErrUnknownType: the type id in a header is none that was registered here.
	ErrUnknownType = errors.New("registry: unknown type")

	// ErrUnregistered: a [Type] is the zero value instead of one that [Register] or [Of] returned.
	ErrUnregistered = errors.New("registry: type handle is zero")

	// ErrHandled: a dispatcher was given a second function for a type.
	ErrHandled = errors.New("registry: type has a function already")

	// ErrNoFunction: a dispatcher was given a nil function.
	ErrNoFunction = errors.New("registry: function is nil")
)

// TypeError reports a type that cannot be registered at all.
type TypeError struct {
	ID     netcode.TypeID // the id asked for
	GoType string         // the type, as Go writes it with the last element of its import path

	// Err is, or wraps, one of the package's errors.
	Err error
}

// Error implements error.
func (e *TypeError) Error() string { return fmt.Sprintf("%v (%s as %v)", e.Err, e.GoType, e.ID) }

// Unwrap returns e.Err.
func (e *TypeError) Unwrap() error { return e.Err }

// Claim is one side of a conflict: what a type is, or wants to be, registered as.
type Claim struct {
	Info
	GoType string // the full Go name
	Shared bool   // see [Options]
}

// String returns the claim in a form for error messages.
func (c Claim) String() string {
	s := fmt.Sprintf("%s as %v", c.GoType, c.ID)
	if c.Name != c.GoType {
		s += fmt.Sprintf(" %q", c.Name)
	}
	if c.Predicted {
		s += ", predicted"
	}
	if c.Shared {
		s += ", shared"
	}
	return s
}

// ConflictError reports a registration that contradicts an earlier one.
type ConflictError struct {
	Wanted Claim // the registration that was refused
	Held   Claim // the one that it contradicts, which stands

	// Err is one of the package's errors.
	Err error
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%v: %v; there is %v", e.Err, e.Wanted, e.Held)
}

// Unwrap returns e.Err.
func (e *ConflictError) Unwrap() error { return e.Err }

// PayloadError reports a failure of a type's codec.
type PayloadError struct {
	Type  Info
	Doing string // "encode" or "decode"
	Err   error  // what the codec returned
}

// Error implements error.
func (e *PayloadError) Error() string {
	return fmt.Sprintf("registry: %s %s: %v", e.Doing, e.Type.Name, e.Err)
}

// Unwrap returns e.Err.
func (e *PayloadError) Unwrap() error { return e.Err }
