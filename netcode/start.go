package netcode

import "fmt"

// Start is what every peer of a session agrees on before the first step.
type Start struct {
	Session  SessionID
	Protocol ProtocolID

	// Author is the participant that this peer issues commands as.
	Author AuthorID

	// Step is the first step to be simulated. The peer starts as if Step-1 had just been completed, so
	// MinStep is not a valid start.
	Step Step

	// Seed starts the deterministic seed stream of [Preparation].
	Seed uint64

	// FirstSequence is the sequence of the first command that this peer issues.
	FirstSequence Sequence

	// FirstID is the first id that [Preparation] hands out; zero means 1. A session that is created from a
	// saved game passes the first id that the save does not use.
	FirstID uint64
}

// PreparationState returns the allocator state that a fresh session starts with.
func (s Start) PreparationState() PreparationState {
	return PreparationState{NextID: max(s.FirstID, 1), RandomState: s.Seed}
}

// Mode says what part a host plays in its session.
type Mode uint8

const (
	Local  Mode = iota + 1 // the only peer: admits its own commands, sends nothing
	Server                 // the authority: admits everybody's commands and tells the others
	Client                 // proposes, predicts, and follows the authority
)

var modeNames = [...]string{"invalid", "local", "server", "client"}

// Authority reports whether a host in this mode decides about commands.
func (m Mode) Authority() bool { return m == Local || m == Server }

// String returns the mode's name.
func (m Mode) String() string {
	if int(m) >= len(modeNames) {
		return fmt.Sprintf("mode(%d)", uint8(m))
	}
	return modeNames[m]
}
