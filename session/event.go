package session

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// EventKind says what an [Event] is about, and so which of its fields are set.
type EventKind uint8

const (
	// Confirmed: the authority accepted a command; once per command. Header is final, Changed says that this
	// peer had predicted the command and that it came out differently. The place for a game to act once per
	// command.
	Confirmed EventKind = iota + 1

	// Refused: a command of this peer, or on an authority anybody's, was refused. Header, Result, Err.
	Refused

	// Withdrawn: a command was taken back after it had been put in: cancelled. Header.
	Withdrawn

	// Reinstated: a cancellation was refused, so the command is back. Header.
	Reinstated

	// RolledBack: steps From through Step were executed again.
	RolledBack

	// StepReached: the authority announced that it completed Step.
	StepReached

	// StateChanged: the client's join state is now State; Err says why, if there is a reason.
	StateChanged

	// Synchronized: the client is ready, at Step. A game resets its clock to this.
	Synchronized

	// Resyncing: the client cannot follow for the reason Err and, unless told otherwise, joins again by
	// snapshot.
	Resyncing

	// Faulted: the simulation or the journal failed with Err; the host does nothing more until a snapshot
	// is restored.
	Faulted

	// Replaced: the author in Header.Key was bound on another connection; Conn is the old one, which an
	// application usually closes.
	Replaced
)

var eventNames = [...]string{"", "confirmed", "refused", "withdrawn", "reinstated", "rolled back", "step reached",
	"state changed", "synchronized", "resyncing", "faulted", "replaced"}

// String returns the kind in words.
func (k EventKind) String() string {
	if k == 0 || int(k) >= len(eventNames) {
		return fmt.Sprintf("event(%d)", uint8(k))
	}
	return eventNames[k]
}

// Event is something a game should know. It is a flat value so that reporting one costs no allocation;
// fields that Kind does not name are zero.
type Event struct {
	Kind    EventKind
	Header  netcode.Header
	Result  netcode.Result
	Changed bool
	From    netcode.Step
	Step    netcode.Step
	State   State
	Conn    ConnID
	Err     error
}

// eventQueue collects events between two reads. It has two buffers that change places, so that the slice
// handed out stays whole while new events arrive.
type eventQueue struct {
	filling, reading []Event
	limit            int
	dropped          uint64
}

func (q *eventQueue) add(e Event) {
	if len(q.filling) >= q.limit {
		// Dropping half at once keeps the cost of an unread queue constant per event.
		n := copy(q.filling, q.filling[(len(q.filling)+1)/2:])
		q.dropped += uint64(len(q.filling) - n)
		clear(q.filling[n:])
		q.filling = q.filling[:n]
	}
	q.filling = append(q.filling, e)
}

func (q *eventQueue) take() []Event {
	clear(q.reading)
	q.filling, q.reading = q.reading[:0], q.filling
	return q.reading
}
