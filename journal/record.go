package journal

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// ErrExists is returned by [Memory.Append] for a key that has been recorded before. Nothing has changed.
var ErrExists = errors.New("journal: key is already recorded")

// Record is what a journal knows about one command.
type Record struct {
	// Header is the command as it was decided. Its key is the key of the record.
	Header netcode.Header

	// Request is the command as it was submitted: its step and order may differ from the decided ones.
	Request netcode.Header

	Result netcode.Result

	// RequestPayload is the payload as it was submitted, FinalPayload the one that was accepted. A journal
	// does not distinguish an empty payload from nil, and returns nil for both.
	RequestPayload, FinalPayload []byte

	// Revision is the journal's revision as of the last change of this record.
	Revision netcode.Revision

	// Cancelled says that the command was cancelled. Result still tells what had been decided before, so a
	// cancelled command that had been accepted remains distinguishable.
	Cancelled bool
}

// Tombstone reports whether r stands for a command that was cancelled before it arrived. A command whose
// result happens to be [netcode.Cancelled] while its flag is clear is not a tombstone.
func (r Record) Tombstone() bool {
	return r.Cancelled && r.Result == netcode.Cancelled &&
		r.Header.Type == 0 && r.Header.Step == netcode.MinStep && r.Header.Order == 0
}

// tombstone returns the record of a command that was cancelled before it arrived.
func tombstone(key netcode.Key) Record {
	h := netcode.Header{Key: key, Step: netcode.MinStep}
	return Record{Header: h, Request: h, Result: netcode.Cancelled, Cancelled: true}
}
