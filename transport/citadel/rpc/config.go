package rpc

import (
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The defaults.
const (
	DefaultTimeout        = 10 * time.Second
	DefaultMaxPerPeer     = 16
	DefaultMaxCalls       = 256
	DefaultMaxRequest     = 64 << 10
	DefaultMaxResponse    = 64 << 10
	DefaultMaxOutstanding = 256
)

// Config configures a [Server]. The zero value is useful: a zero field means its default.
type Config struct {
	// Timeout is how long after its request a call on a goroutine is answered at the latest. Methods may have
	// their own: see [Server.HandleTimeout].
	Timeout time.Duration

	// MaxPerPeer and MaxCalls bound the calls on goroutines that run at once, for one connection and for all of
	// them. Those beyond are answered with [ErrBusy]. A call counts until its handler has returned.
	MaxPerPeer, MaxCalls int

	// MaxRequest bounds the payload of a request, in bytes. Larger ones are answered with [ErrRequestTooLarge].
	MaxRequest int

	// MaxResponse bounds the reply of a handler, in bytes. Instead of larger ones, the caller gets
	// [ErrResponseTooLarge]. MaxPerPeer responses of this size should fit the outbound queue of a connection.
	MaxResponse int

	// OnFailure, if not nil, is told what callers are not: the errors of handlers that were not made by
	// [Errorf], and panics as [*PanicError]. A handler that returns its context's error, because that has ended,
	// has not failed. OnFailure is called on the handler's goroutine, or on the loop for methods
	// of [Server.HandleLoop], after the caller has been answered, and for every such failure; it should not
	// write a line for each. It has the same rights to the call as the handler.
	OnFailure func(call Call, err error)
}

// ClientConfig configures a [Client]. The zero value is useful: a zero field means its default.
type ClientConfig struct {
	// MaxOutstanding bounds the calls that wait for a response at once. Those beyond fail with
	// [ErrTooManyCalls].
	MaxOutstanding int
}

// fill gives a field its default. The first negative one is an error.
func fill[T int | time.Duration](errp *error, field string, v *T, def T) {
	if *v < 0 && *errp == nil {
		*errp = &ConfigError{Field: field, Problem: fmt.Sprintf("%v is negative", *v)}
	}
	if *v == 0 {
		*v = def
	}
}

// validate returns c with its defaults filled in. Errors name the field.
func (c Config) validate() (Config, error) {
	var err error
	fill(&err, "Config.Timeout", &c.Timeout, DefaultTimeout)
	fill(&err, "Config.MaxPerPeer", &c.MaxPerPeer, DefaultMaxPerPeer)
	fill(&err, "Config.MaxCalls", &c.MaxCalls, DefaultMaxCalls)
	fill(&err, "Config.MaxRequest", &c.MaxRequest, DefaultMaxRequest)
	fill(&err, "Config.MaxResponse", &c.MaxResponse, DefaultMaxResponse)
	if most := wire.MaxBody - wire.RPCResponseHeaderBytes; c.MaxResponse > most && err == nil {
		err = &ConfigError{"Config.MaxResponse", fmt.Sprintf("%d is more than the protocol's %d", c.MaxResponse, most)}
	}
	return c, err
}

func (c ClientConfig) validate() (ClientConfig, error) {
	var err error
	fill(&err, "ClientConfig.MaxOutstanding", &c.MaxOutstanding, DefaultMaxOutstanding)
	return c, err
}
