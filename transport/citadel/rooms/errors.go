package rooms

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The words with which requests are rejected, unless a [Denial] has others. Servers that are not of this package have
// their own.
const (
	ReasonDenied  = "denied"
	ReasonFull    = "room full"
	ReasonNoRoom  = "no such room"
	ReasonTooMany = "too many rooms"
	ReasonParams  = "room parameters too long"
	ReasonBusy    = "too many requests"
)

// maxReason bounds the words of a rejection in bytes.
const maxReason = 256

// Denial is an error of Config.Create and Config.Admit whose reason the client is told: UTF-8, of which it gets the
// first 256 bytes. [Deny] makes it.
type Denial struct {
	Reason string
}

// Error implements error.
func (e *Denial) Error() string { return "rooms: denied: " + e.Reason }

// Deny returns a [*Denial].
func Deny(format string, args ...any) error { return &Denial{Reason: fmt.Sprintf(format, args...)} }

// What the server's own calls can fail with.
var (
	ErrNoRoom       = errors.New("rooms: no such room")
	ErrExists       = errors.New("rooms: there is a room with these parameters")
	ErrFull         = errors.New("rooms: room full")
	ErrTooManyRooms = errors.New("rooms: too many rooms")
	ErrParams       = errors.New("rooms: parameters too long")
	ErrTransform    = errors.New("rooms: transform not finite, or without rotation")
	ErrActors       = errors.New("rooms: no more actors")
	ErrNoActor      = errors.New("rooms: no such actor")

	// ErrNotInRoom says that a [Client] has to be in a room for what it was asked to do.
	ErrNotInRoom = errors.New("rooms: not in a room")
)

// ConfigError reports a configuration, or settings of a room, that cannot work.
type ConfigError struct {
	Field   string
	Problem string
}

// Error implements error.
func (e *ConfigError) Error() string { return "rooms: " + e.Field + ": " + e.Problem }

// reasonFor returns what a client is told of an error of a hook.
func reasonFor(err error) string {
	denial, ok := errors.AsType[*Denial](err)
	if !ok {
		return ReasonDenied
	}
	return clip(denial.Reason)
}

// clip makes words fit for a rejection.
func clip[S string | []byte](words S) string {
	return strings.ToValidUTF8(string(words[:min(len(words), maxReason)]), "")
}

// refusal is a request that is turned down.
func refusal(request wire.Kind, reason string) wire.RoomReject {
	return wire.RoomReject{Request: request, Reason: []byte(reason)}
}
