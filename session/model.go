package session

import (
	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// Model is what a host needs from a simulation model. [rollback.Model] and [rollback.Lockstep] are the two
// that come with Ariadne; their documentation is the contract.
type Model interface {
	// Step is the last completed step.
	Step() netcode.Step

	// FirstRetained is the oldest step that can still be changed.
	FirstRetained() netcode.Step

	// Predicts says whether commands may be put in before the authority has answered.
	Predicts() bool

	// Schedule returns the step at which a command requested for a step shall run, or refuses it.
	Schedule(requested netcode.Step) (netcode.Step, error)

	// Set puts a command in, replacing the one under the same key, and says whether that changed what the
	// model held. On success the model owns the entry's action; on error nothing has changed.
	Set(e netcode.Entry) (changed bool, err error)

	// Remove takes a command out and says whether it was there.
	Remove(key netcode.Key) bool

	// Pending returns the earliest executed step that the next Tick will execute again.
	Pending() (netcode.Step, bool)

	// Tick executes what is pending and advances through step to.
	Tick(to netcode.Step) error

	// Settle executes what is pending without advancing.
	Settle() error

	// AppendAnchor appends the oldest state from which history can be replayed and returns the step that
	// this state has completed.
	AppendAnchor(dst []byte) ([]byte, netcode.Step, error)

	// Load replaces the state and forgets all commands. When it refuses, nothing has changed.
	Load(state []byte) error

	// Stats returns the counters since creation.
	Stats() rollback.Stats
}

// confirmer is a model that runs no step before the authority has completed it.
type confirmer interface {
	Confirm(step netcode.Step)
}

// Journal is what a host needs from the record of its commands. [journal.Memory] is the one used by
// default; its documentation is the contract. An error of a mutating call faults the host.
type Journal interface {
	Append(r journal.Record) error
	Replace(r journal.Record) error
	Cancel(key netcode.Key) error
	Clear() error

	Lookup(key netcode.Key) (journal.Record, bool)
	Known(key netcode.Key) bool
	NextSequence(author netcode.AuthorID) (netcode.Sequence, bool)
	Revision() netcode.Revision
	Len() int

	AppendAcceptedAfter(dst []journal.Record, c netcode.Cursor) []journal.Record
	AppendChangesAfter(dst []journal.Record, after netcode.Revision) ([]journal.Record, bool)
	AppendOutcomesAfter(dst []journal.Record, author netcode.AuthorID, last netcode.Sequence, hasLast bool) []journal.Record

	Compact(before netcode.Step, older netcode.Revision, keep int) (dropped int)
}

var (
	_ Model = (*rollback.Model)(nil)
	_ Model = (*rollback.Lockstep)(nil)

	_ Journal = (*journal.Memory)(nil)
)
