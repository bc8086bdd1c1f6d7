package netcode

import (
	"fmt"
	"math"
)

// SessionID names one game session. It is chosen by the application.
type SessionID uint64

// ProtocolID names the rules that both ends must share: build, command table, content version. Peers with
// different protocol ids do not play together.
type ProtocolID uint64

// AuthorID names a participant that issues commands. The authority trusts only the author that a
// connection was bound to, never the one written in a message.
type AuthorID uint32

// Sequence numbers one author's commands.
type Sequence uint64

// TypeID identifies a command type on the wire. Zero is never a registered type.
type TypeID uint64

// Step is a fixed simulation step. Steps may be negative.
type Step int64

// Order is the authority's session-wide position of an accepted command, from 1 upward. Zero is the order
// of a command that has not been admitted.
type Order uint32

// Revision counts the changes of a journal.
type Revision uint64

// The edges of the counters. MaxSequence and MaxOrder are reserved, as id 2^64-1 is by [Preparation]: they
// are what a full counter holds, and they are never issued. No journal lives to see MaxRevision.
const (
	MinStep     Step     = math.MinInt64
	MaxStep     Step     = math.MaxInt64
	MaxSequence Sequence = math.MaxUint64
	MaxOrder    Order    = math.MaxUint32
	MaxRevision Revision = math.MaxUint64
)

// Add returns s+n, and false instead of wrapping when the sum is not a step.
func (s Step) Add(n int64) (Step, bool) {
	sum := s + Step(n)
	if (n > 0 && sum < s) || (n < 0 && sum > s) {
		return s, false
	}
	return sum, true
}

// Sub returns how many steps s lies after o. A distance that int64 cannot hold saturates.
func (s Step) Sub(o Step) int64 {
	d := int64(s - o)
	switch {
	case s >= o && d < 0:
		return math.MaxInt64
	case s < o && d >= 0:
		return math.MinInt64
	}
	return d
}

// Next returns the sequence after s, or [ErrSequenceExhausted].
func (s Sequence) Next() (Sequence, error) {
	if s >= MaxSequence {
		return s, ErrSequenceExhausted
	}
	return s + 1, nil
}

// Next returns the order after o, or [ErrOrderExhausted].
func (o Order) Next() (Order, error) {
	if o >= MaxOrder {
		return o, ErrOrderExhausted
	}
	return o + 1, nil
}

// String returns the id as it is written in a directive: 0x and sixteen hex digits.
func (t TypeID) String() string { return fmt.Sprintf("0x%016X", uint64(t)) }
