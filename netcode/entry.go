package netcode

import "cmp"

// Action is the executable side of a command, bound to its decoded payload. A session makes actions and
// recycles them; a model runs them and gives them back.
type Action interface {
	// Execute applies the command to the simulation. It is called once per execution of the command's step,
	// so again on every replay. What it does must not depend on Header.Order, which may change without a
	// replay; sessions pass zero in its place.
	Execute()

	// Release gives the action back. The model calls it exactly once, when it no longer holds the entry,
	// and does not touch the action afterwards.
	Release()
}

// Entry is one command as a model holds it.
type Entry struct {
	Header Header

	// Predicted says that Order is this peer's guess and not the authority's word.
	Predicted bool

	// Payload is the encoded final payload, by which a model tells whether a replaced entry differs. It must
	// stay unchanged until the entry's action is released.
	Payload []byte

	// Action may be nil: a command without an executor does nothing.
	Action Action
}

// Execute runs the entry's action, if it has one.
func (e *Entry) Execute() {
	if e.Action != nil {
		e.Action.Execute()
	}
}

// Release gives the entry's action back, if it has one.
func (e *Entry) Release() {
	if e.Action != nil {
		e.Action.Release()
	}
}

// CompareExecution orders the entries of one step: by order, an authoritative entry before a predicted one,
// then author, then sequence. The order is total over distinct keys of a session and does not depend on
// arrival.
func (e *Entry) CompareExecution(o *Entry) int {
	if c := cmp.Compare(e.Header.Order, o.Header.Order); c != 0 {
		return c
	}
	if e.Predicted != o.Predicted {
		if o.Predicted {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(e.Header.Key.Author, o.Header.Key.Author),
		cmp.Compare(e.Header.Key.Sequence, o.Header.Key.Sequence),
	)
}
