package motion

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// The defaults of [Limits].
const (
	DefaultMaxSpeed float32 = 2000 // centimetres a second
	DefaultMaxDT    float32 = 0.1  // seconds
)

// ErrLimits is wrapped by what is wrong with [Limits] or an [Allowance]; the error names the field.
var ErrLimits = errors.New("motion: unusable limits")

// Box is a part of the world, its faces included.
type Box struct {
	Min, Max [3]float32 // centimetres
}

// Limits says how an owner's input may move its object.
type Limits struct {
	MaxSpeed float32 // centimetres a second; a faster input keeps its direction
	MaxDT    float32 // seconds that one input may last
	World    Box     // where positions are kept
}

// DefaultLimits returns the limits of a server that nobody configured. Its world is the one of [tsync.DefaultHello].
func DefaultLimits() Limits {
	p := tsync.DefaultHello().Position
	return Limits{MaxSpeed: DefaultMaxSpeed, MaxDT: DefaultMaxDT, World: Box{Min: p.Min, Max: p.Max}}
}

// Validate returns an error that wraps [ErrLimits] if a limit is negative or not finite, or a side of the world is. A
// speed or a time of zero is valid: nothing moves.
//
// [Integrate] does not need valid limits, but what it does with others is seldom what was meant.
func (l *Limits) Validate() error {
	if !(l.MaxSpeed >= 0) || !finite(l.MaxSpeed) {
		return fmt.Errorf("%w: MaxSpeed is %v", ErrLimits, l.MaxSpeed)
	}
	if !(l.MaxDT >= 0) || !finite(l.MaxDT) {
		return fmt.Errorf("%w: MaxDT is %v", ErrLimits, l.MaxDT)
	}
	for i := range l.World.Min {
		lo, hi := l.World.Min[i], l.World.Max[i]
		if !finite(lo) || !finite(hi) || lo > hi {
			return fmt.Errorf("%w: World on axis %d is from %v to %v", ErrLimits, i, lo, hi)
		}
	}
	return nil
}
