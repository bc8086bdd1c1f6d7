package client

import "errors"

// What is refused, and why. Errors that say more wrap these.
var (
	ErrStale       = errors.New("client: snapshot is not newer than the last one, or of another run")
	ErrMissingBase = errors.New("client: snapshot differs from one that is not held")
	ErrSnapshotID  = errors.New("client: snapshot without an id")
	ErrBounds      = errors.New("client: world or velocities without reasonable bounds")
	ErrObjects     = errors.New("client: more objects than allowed")
	ErrEpoch       = errors.New("client: no such epoch")
	ErrNotFinite   = errors.New("client: not a finite number")
	ErrConfig      = errors.New("client: unusable configuration")
	ErrPending     = errors.New("client: too many inputs without an acknowledgement")
	ErrPayload     = errors.New("client: payload is too long")
	ErrOwned       = errors.New("client: more objects to predict than allowed")
	ErrNotOwned    = errors.New("client: object is not predicted here")
	ErrKind        = errors.New("client: not a frame that servers send")
)
