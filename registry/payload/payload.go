package payload

import (
	"errors"
	"fmt"
)

// What can be wrong with a payload, or with a value that is to become one. They are found inside an [*Error].
var (
	// ErrShort: the payload ends before the value is complete.
	ErrShort = errors.New("payload is too short")

	// ErrTrailing: there are bytes behind the value.
	ErrTrailing = errors.New("payload has trailing bytes")

	// ErrRange: a bool is neither 0 nor 1, or an integer lies outside of its declared range.
	ErrRange = errors.New("value is out of range")

	// ErrLength: a string or slice is longer than its declared cap.
	ErrLength = errors.New("length is over the cap")
)

// Error reports a payload that is not the encoding of any value, or a value that has no encoding. It wraps one of
// the errors above or, for a field with a codec of its own, what that has returned.
type Error struct {
	Type   string // the command type, without its package
	Field  string // the path of the field, such as "Path[].Kind", or empty if it is about the whole payload
	Detail string // the numbers, for people
	Err    error
}

// Error implements error.
func (e *Error) Error() string {
	s := e.Type
	if e.Field != "" && e.Field[0] != '[' {
		s += "."
	}
	s += e.Field + ": " + e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// The functions below make errors. They are not inlined, because codecs are faster and smaller that way.

// Size returns the error for a payload of got bytes where a value takes want.
//
//go:noinline
func Size(typ string, got, want int) error {
	e := &Error{Type: typ, Detail: fmt.Sprintf("%d bytes instead of %d", got, want), Err: ErrShort}
	if got > want {
		e.Err = ErrTrailing
	}
	return e
}

// Short returns the error for a payload that has got bytes left where a field needs at least want.
//
//go:noinline
func Short(typ, field string, got, want int) error {
	return &Error{Type: typ, Field: field, Detail: fmt.Sprintf("%d bytes left, %d needed", got, want), Err: ErrShort}
}

// Rest returns the error for a payload that has got bytes left where its last field takes want.
//
//go:noinline
func Rest(typ, field string, got, want int) error {
	if got > want {
		return Trailing(typ, got-want)
	}
	return Short(typ, field, got, want)
}

// Trailing returns the error for a payload with n bytes too many.
//
//go:noinline
func Trailing(typ string, n int) error {
	return &Error{Type: typ, Detail: fmt.Sprintf("%d bytes too many", n), Err: ErrTrailing}
}

// Range returns the error for a field whose value is not allowed.
//
//go:noinline
func Range[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](typ, field string, value T) error {
	return &Error{Type: typ, Field: field, Detail: fmt.Sprintf("%d", value), Err: ErrRange}
}

// Length returns the error for a field of n bytes or elements whose cap is max.
//
//go:noinline
func Length(typ, field string, n, max int) error {
	return &Error{Type: typ, Field: field, Detail: fmt.Sprintf("%d, at most %d", n, max), Err: ErrLength}
}

// Field returns the error for a field whose own codec has returned err.
//
//go:noinline
func Field(typ, field string, err error) error {
	return &Error{Type: typ, Field: field, Err: err}
}

// Bool returns the byte that encodes v.
func Bool(v bool) byte {
	var b byte
	if v {
		b = 1
	}
	return b
}
