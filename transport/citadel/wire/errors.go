package wire

import (
	"errors"
	"fmt"
)

// What the decoders of bodies refuse, here and in the packages for the bodies of transform sync and of property
// replication.
var (
	ErrTooShort   = errors.New("wire: body ends early")
	ErrOutOfRange = errors.New("wire: value out of range")
	ErrCount      = errors.New("wire: count or length does not fit")
	ErrVersion    = errors.New("wire: unsupported version")
)

// The errors of single bodies and fields are made once, not when a body is refused: refusing must not cost more
// than decoding, however many damaged bodies a peer sends.
var (
	errShortPosition  = short("position")
	errShortTag       = short("sender tag")
	errShortRequest   = short("rpc request")
	errShortResponse  = short("rpc response")
	errShortTransform = short("transform")
	errShortPresence  = short("presence")
	errShortSpawn     = short("spawn")
	errShortBatch     = short("spawn batch")
	errShortDespawn   = short("despawn")
	errShortState     = short("actor state")
	errShortCreate    = short("room create")
	errShortRoomID    = short("room id")
	errShortJoined    = short("room joined")
	errShortClosed    = short("match closed")
	errShortReject    = short("room reject")

	errLongPosition = fmt.Errorf("%w: position of more than %d bytes", ErrCount, PositionBytes)

	errTextMethod = notText("method")
	errTextToken  = notText("token")
	errTextUserID = notText("user id")
	errTextMap    = notText("map")
	errTextMode   = notText("mode")
	errTextReason = notText("reason")
)

func short(what string) error { return fmt.Errorf("%w: %s", ErrTooShort, what) }

func notText(what string) error { return fmt.Errorf("%w: %s is not UTF-8", ErrOutOfRange, what) }
