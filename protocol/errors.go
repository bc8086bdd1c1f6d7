package protocol

import (
	"errors"
	"fmt"
)

// What can be wrong with a frame. They are found inside a [*FrameError].
var (
	// ErrTruncated: the frame ends before its last fixed field does.
	ErrTruncated = errors.New("protocol: frame is truncated")

	// ErrTrailing: bytes follow a frame of fixed size.
	ErrTrailing = errors.New("protocol: frame has trailing bytes")

	// ErrKind: the frame is of another kind than the one asked for, or of an unknown one.
	ErrKind = errors.New("protocol: frame is of the wrong kind")

	// ErrFlags: a flag is set that has no meaning.
	ErrFlags = errors.New("protocol: unknown flags")

	// ErrValue: a result or status is none of those defined.
	ErrValue = errors.New("protocol: undefined value")

	// ErrLength: a length written in the frame is negative or not the length of what follows.
	ErrLength = errors.New("protocol: length field does not match the frame")
)

// ErrModelSize is returned for a [Snapshot] that cannot be encoded because its model state is longer than
// [MaxModel].
var ErrModelSize = errors.New("protocol: model state is too long for a snapshot")

// FrameError says where and why a frame was refused.
type FrameError struct {
	// Kind is the kind that the parser was for. For an error of [PeekKind] it is the frame's first byte.
	Kind Kind

	// Offset is that of the first byte of the offending field; for a truncated frame, the frame's length.
	Offset int

	// Err is, or wraps, one of the package's errors.
	Err error
}

// Error implements error.
func (e *FrameError) Error() string {
	return fmt.Sprintf("%v: %v, byte %d", e.Err, e.Kind, e.Offset)
}

// Unwrap returns e.Err.
func (e *FrameError) Unwrap() error { return e.Err }

// misfit explains a frame that is not of kind k or has not the given size, which for a frame with a tail is
// the size without it. It is kept out of the parsers so that they stay small.
//
//go:noinline
func misfit(k Kind, size int, frame []byte) error {
	switch {
	case len(frame) == 0:
		return &FrameError{Kind: k, Err: ErrTruncated}
	case Kind(frame[0]) != k:
		return &FrameError{Kind: k, Err: fmt.Errorf("%w (%v)", ErrKind, Kind(frame[0]))}
	case len(frame) < size:
		return &FrameError{Kind: k, Offset: len(frame), Err: ErrTruncated}
	}
	return &FrameError{Kind: k, Offset: size, Err: ErrTrailing}
}

// refuse reports the field of a k at offset, which holds v.
//
//go:noinline
func refuse(k Kind, offset int, err error, v int64) error {
	return &FrameError{Kind: k, Offset: offset, Err: fmt.Errorf("%w (%d)", err, v)}
}
