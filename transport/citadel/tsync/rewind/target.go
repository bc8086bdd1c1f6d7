package rewind

import (
	"errors"
	"fmt"
	"math"
)

// The defaults of [Limits].
const (
	DefaultHistory = 1.0   // seconds
	DefaultMaxRTT  = 220.0 // milliseconds
)

// ErrLimits is wrapped by what is wrong with [Limits]; the error names the field.
var ErrLimits = errors.New("rewind: unusable limits")

// Lag is what a server knows of how far behind a client's screen is. Nothing of it comes from the client.
type Lag struct {
	OneWay        float64 // ticks that a snapshot takes to the client
	Interpolation float64 // ticks that the client holds it back
	RTT           float64 // milliseconds

	// Uplink is how many ticks the shot itself takes to the server, during which the world goes on. The reference
	// leaves that out, as does a server that leaves this zero; its shooters have to aim ahead by as much.
	Uplink float64
}

// Limits says how far back a shot may be put.
type Limits struct {
	MaxUnlag float64 // ticks
	MaxRTT   float64 // milliseconds; above it, shots are resolved in the present
}

// DefaultLimits returns the limits of a server that nobody configured and that makes simRate ticks a second. For its
// buffers that is also the number of states.
func DefaultLimits(simRate uint8) Limits {
	return Limits{MaxUnlag: DefaultHistory * float64(simRate), MaxRTT: DefaultMaxRTT}
}

// Validate returns an error that wraps [ErrLimits] if a limit is negative or not a number. Zero is valid: no
// compensation. So is infinity: as far as the history reaches, and however long the way.
func (l Limits) Validate() error {
	if !(l.MaxUnlag >= 0) {
		return fmt.Errorf("%w: MaxUnlag is %v", ErrLimits, l.MaxUnlag)
	}
	if !(l.MaxRTT >= 0) {
		return fmt.Errorf("%w: MaxRTT is %v", ErrLimits, l.MaxRTT)
	}
	return nil
}

// Target returns the tick at which a shot of a client is to be resolved, and whether that is in the past: above MaxRTT
// it is now.
func (l Limits) Target(now uint64, lag Lag) (tick float64, compensated bool) {
	if !l.Compensates(lag.RTT) {
		return float64(now), false
	}
	return l.Tick(now, lag), true
}

// Compensates reports whether a round-trip time, in milliseconds, is known and not too long.
func (l Limits) Compensates(rtt float64) bool { return !math.IsInf(rtt, 0) && rtt <= l.MaxRTT }

// Tick returns the tick that a client saw when it sent what arrives at the server's tick now, whatever its round-trip
// time: now without the delays, but at most now and at least now without MaxUnlag. It can lie between two ticks, and before the first. A delay
// or a limit that is negative or not a number counts as 0.
func (l Limits) Tick(now uint64, lag Lag) float64 {
	n := float64(now)
	behind := positive(lag.OneWay) + positive(lag.Interpolation) + positive(lag.Uplink)
	return min(max(n-behind, n-positive(l.MaxUnlag)), n)
}

// positive returns f, or 0 if f is less or not a number.
func positive(f float64) float64 {
	if f > 0 {
		return f
	}
	return 0
}

// WireTick returns how a [tsync.Rewind] tells a tick: without its fraction, 0 for what is before the first, and in the
// low 32 bits.
func WireTick(tick float64) uint32 {
	if !(tick > 0) {
		return 0
	}
	return uint32(uint64(min(tick, 1<<63)))
}
