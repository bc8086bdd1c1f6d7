package server

import "errors"

// What a world refuses. Nothing has changed when one of these comes back.
var (
	ErrConfig         = errors.New("server: unusable configuration") // the error names the field
	ErrObject         = errors.New("server: no such object")
	ErrRole           = errors.New("server: no such role")
	ErrNotFinite      = errors.New("server: a number is not finite")
	ErrParticipant    = errors.New("server: participant is 0 or has joined already")
	ErrShape          = errors.New("server: a radius or a half height is negative")
	ErrTooManyObjects = errors.New("server: world has too many objects")
	ErrNotOptIn       = errors.New("server: hello of a client is not empty")
	ErrVersion2       = errors.New("server: version 2 is not offered")
	ErrClock          = errors.New("server: input belongs to another run of the simulation")
	ErrNotAck         = errors.New("server: acknowledgement contradicts itself")
)
