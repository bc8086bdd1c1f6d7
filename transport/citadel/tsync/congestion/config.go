package congestion

import (
	"errors"
	"fmt"
)

// ErrConfig is wrapped by what is wrong with a [Config]; the error names the field.
var ErrConfig = errors.New("congestion: unusable configuration")

// Config says what the two modes are and what is bad. There is no default for single fields: start with
// [DefaultConfig]. A limit may be infinite, which switches its signal off.
type Config struct {
	GoodRate, FloorRate     uint8 // snapshots a second
	GoodBudget, FloorBudget int   // updates to a snapshot, 0 for all

	MaxLoss   float32 // of datagrams, 1 for all
	MaxAckAge float64 // ticks
	MaxJitter float64 // milliseconds
	MaxRTT    float64 // milliseconds

	EnterFloor float64 // seconds that all must be bad
	Recover    float64 // seconds that all must be good, in the beginning; taken as 1 to 60
}

// DefaultConfig returns what servers do if nobody configured anything else.
func DefaultConfig() Config {
	return Config{
		GoodRate: 20, FloorRate: 10, GoodBudget: 0, FloorBudget: 16,
		MaxLoss: 0.05, MaxAckAge: 30, MaxJitter: 40, MaxRTT: 200,
		EnterFloor: 1, Recover: 4,
	}
}

// Validate returns an error that wraps [ErrConfig] if a rate is zero, or anything else negative or not a number. That the
// floor is below the good mode is not asked for.
func (c *Config) Validate() error {
	for _, f := range [...]struct {
		name string
		ok   bool
		v    any
	}{
		{"GoodRate", c.GoodRate > 0, c.GoodRate},
		{"FloorRate", c.FloorRate > 0, c.FloorRate},
		{"GoodBudget", c.GoodBudget >= 0, c.GoodBudget},
		{"FloorBudget", c.FloorBudget >= 0, c.FloorBudget},
		{"MaxLoss", c.MaxLoss >= 0, c.MaxLoss},
		{"MaxAckAge", c.MaxAckAge >= 0, c.MaxAckAge},
		{"MaxJitter", c.MaxJitter >= 0, c.MaxJitter},
		{"MaxRTT", c.MaxRTT >= 0, c.MaxRTT},
		{"EnterFloor", c.EnterFloor >= 0, c.EnterFloor},
		{"Recover", c.Recover >= 0, c.Recover},
	} {
		if !f.ok {
			return fmt.Errorf("%w: %s is %v", ErrConfig, f.name, f.v)
		}
	}
	return nil
}
