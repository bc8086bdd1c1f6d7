package netpeer

import "errors"

// What the codecs refuse, besides the errors of the packages bitpack and quant and, for a list of bunches,
// wire.ErrTooShort. Decoders return these as they are, so that refusing costs nothing; encoders say which field.
var (
	ErrZeroToken      = errors.New("netpeer: result or base id is zero")
	ErrSchemaMismatch = errors.New("netpeer: full bunch of another schema")

	// The caps on what one bunch, one table or one list may hold.
	ErrBytesTooLong   = errors.New("netpeer: byte field too long")
	ErrTooManyItems   = errors.New("netpeer: too many elements or entries")
	ErrTooManyBunches = errors.New("netpeer: too many bunches")
	ErrBudget         = errors.New("netpeer: decode budget exhausted")

	ErrDuplicateID = errors.New("netpeer: element id occurs twice in a collection")

	// The mistakes of a caller. Bytes cannot cause them.
	ErrInvalidSchema = errors.New("netpeer: invalid schema")
	ErrKind          = errors.New("netpeer: value is of another kind than its field")
	ErrField         = errors.New("netpeer: no such field")
	ErrFieldOrder    = errors.New("netpeer: fields do not ascend")
)
