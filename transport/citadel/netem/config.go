package netem

import (
	"fmt"
	"time"
)

// Limits of a relay. What exceeds them is dropped and counted.
const (
	DefaultMaxQueued  = 8192 // packets under way, both directions together
	DefaultMaxClients = 256  // client addresses in the relay's lifetime
)

// maxDelay keeps a typing mistake from looking like a dead network.
const maxDelay = time.Minute

// Config says how bad the network is. The zero value forwards everything at once.
type Config struct {
	// Lag is the added round-trip time: each direction delays by half of it.
	Lag time.Duration

	// Jitter is the width of the random part of the round trip: each direction adds a uniformly chosen delay
	// between -Jitter/2 and +Jitter/2, and a packet is never early.
	Jitter time.Duration

	// Loss is the probability, from 0 to 1, that a packet is dropped. It applies to each direction.
	Loss float64

	// Seed starts the random streams.
	Seed uint64

	// ReorderOK lets jitter reorder the packets of a direction. Without it a packet leaves no earlier than
	// the one before it.
	ReorderOK bool

	// MaxQueued bounds the packets under way. Zero means DefaultMaxQueued.
	MaxQueued int

	// MaxClients bounds the client addresses. Zero means DefaultMaxClients.
	MaxClients int
}

// validate returns c with its defaults filled in, or an error that names the field.
func (c Config) validate() (Config, error) {
	switch {
	case c.Lag < 0 || c.Lag > maxDelay:
		return c, fmt.Errorf("netem: Config.Lag: %v is not between 0 and %v", c.Lag, maxDelay)
	case c.Jitter < 0 || c.Jitter > maxDelay:
		return c, fmt.Errorf("netem: Config.Jitter: %v is not between 0 and %v", c.Jitter, maxDelay)
	case !(c.Loss >= 0 && c.Loss <= 1): // also refuses NaN
		return c, fmt.Errorf("netem: Config.Loss: %v is not between 0 and 1", c.Loss)
	case c.MaxQueued < 0:
		return c, fmt.Errorf("netem: Config.MaxQueued: %d is negative", c.MaxQueued)
	case c.MaxClients < 0:
		return c, fmt.Errorf("netem: Config.MaxClients: %d is negative", c.MaxClients)
	}
	if c.MaxQueued == 0 {
		c.MaxQueued = DefaultMaxQueued
	}
	if c.MaxClients == 0 {
		c.MaxClients = DefaultMaxClients
	}
	return c, nil
}

// Stats counts packets of both directions together since the relay started.
type Stats struct {
	Received  uint64 // from either side
	Forwarded uint64 // sent on
	Lost      uint64 // dropped by chance
	Overflow  uint64 // dropped because too much was under way, or there were too many clients
	Failed    uint64 // the socket refused them
	Reordered uint64 // sent on after a packet of their direction that had come later
	Queued    int    // under way now
	Clients   int
}
