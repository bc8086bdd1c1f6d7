package schema

import (
	"errors"
	"fmt"
)

// What hashing refuses.
var (
	ErrTooManyFields = errors.New("schema: more than 65536 fields")
	ErrFieldOrder    = errors.New("schema: field ids do not ascend")
)

// Why an identity cannot be decoded with. The latter two are also [ErrUnknownSchema].
var (
	ErrUnknownSchema = errors.New("schema: no layout has this identity")
	ErrTooOld        = fmt.Errorf("%w: version below the minimum", ErrUnknownSchema)
	ErrTooNew        = fmt.Errorf("%w: version above the current one", ErrUnknownSchema)
)

// Why layouts cannot stand in one [History].
var (
	ErrNotPrefix = errors.New("schema: older layout is not a prefix of the newer one")
	ErrVersion   = errors.New("schema: versions do not fit together")
)

// ErrInvalidLayout is what every [PropertyError] is.
var ErrInvalidLayout = errors.New("schema: senseless layout")

// PropertyError says which property of a layout makes no sense.
type PropertyError struct {
	Index  int    // place in the layout
	Name   string // of the property; quoted in the text, because it may be anything
	Reason string
}

// Error implements error.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("schema: property %d %q: %s", e.Index, e.Name, e.Reason)
}

// Unwrap returns [ErrInvalidLayout].
func (e *PropertyError) Unwrap() error { return ErrInvalidLayout }
