package rollback

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

const (
	defaultDepth       = 120
	defaultDelay       = 2
	defaultMaxCommands = 1 << 16
	defaultMaxAdvance  = 1 << 20

	// Upper limits keep the tables addressable on 32-bit platforms; no game comes near them.
	limitDepth    = 1 << 20
	limitCommands = 1 << 26
)

// Config describes a [Model].
type Config struct {
	// Start is the first step to be run. The model begins as if Start-1 had just been completed, so
	// [netcode.MinStep] is refused.
	Start netcode.Step

	// Depth is how many snapshots are kept, that is, how many executed steps can still be changed. Zero means
	// 120; at most 1<<20.
	Depth int

	// MaxCommands is how many commands the model holds at once, over all steps. Zero means 1<<16; at most
	// 1<<26.
	MaxCommands int

	// MaxAdvance is how many steps one Tick may advance. Zero means 1<<20.
	MaxAdvance int64

	// Trace receives the Executed and Rollback hooks. It may be nil.
	Trace *netcode.Trace
}

// LockstepConfig describes a [Lockstep] model.
type LockstepConfig struct {
	// Start is the first step to be run. The model begins as if Start-1 had just been completed, so
	// [netcode.MinStep] is refused.
	Start netcode.Step

	// Delay is how many steps after the last completed one a command runs at the earliest. Zero means 2.
	Delay int64

	// Authority says that this model leads: it runs without waiting for confirmations.
	Authority bool

	// MaxCommands is how many commands the model holds at once, over all steps. Zero means 1<<16; at most
	// 1<<26.
	MaxCommands int

	// MaxAdvance is how many steps one Tick may advance. Zero means 1<<20.
	MaxAdvance int64

	// Trace receives the Executed hook. It may be nil.
	Trace *netcode.Trace
}

// filled returns c with its zeros replaced, or an error that names the offending field.
func (c Config) filled() (Config, error) {
	if c.Start == netcode.MinStep {
		return c, fmt.Errorf("rollback: Config.Start: no step before %d: %w", c.Start, netcode.ErrStepRange)
	}
	if c.Depth < 0 || c.Depth > limitDepth {
		return c, fmt.Errorf("rollback: Config.Depth: %d is not in 0..%d", c.Depth, limitDepth)
	}
	if c.MaxCommands < 0 || c.MaxCommands > limitCommands {
		return c, fmt.Errorf("rollback: Config.MaxCommands: %d is not in 0..%d", c.MaxCommands, limitCommands)
	}
	if c.MaxAdvance < 0 {
		return c, fmt.Errorf("rollback: Config.MaxAdvance: %d is negative", c.MaxAdvance)
	}
	if c.Depth == 0 {
		c.Depth = defaultDepth
	}
	if c.MaxCommands == 0 {
		c.MaxCommands = defaultMaxCommands
	}
	if c.MaxAdvance == 0 {
		c.MaxAdvance = defaultMaxAdvance
	}
	if c.Trace == nil {
		c.Trace = new(netcode.Trace)
	}
	return c, nil
}

// engine returns the part of c that both models share, which keeps a single snapshot: enough to undo a step
// that fails.
func (c LockstepConfig) engine() Config {
	return Config{
		Start:       c.Start,
		Depth:       1,
		MaxCommands: c.MaxCommands,
		MaxAdvance:  c.MaxAdvance,
		Trace:       c.Trace,
	}
}
