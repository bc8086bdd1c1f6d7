package netcode

import (
	"cmp"
	"fmt"
)

// Key names one command for ever. An author never uses a sequence twice within a session.
type Key struct {
	Session  SessionID
	Author   AuthorID
	Sequence Sequence
}

// Compare orders keys by session, author and sequence.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		cmp.Compare(k.Session, o.Session),
		cmp.Compare(k.Author, o.Author),
		cmp.Compare(k.Sequence, o.Sequence),
	)
}

// String returns "author/sequence", which is how commands are named in logs of one session.
func (k Key) String() string { return fmt.Sprintf("%d/%d", k.Author, k.Sequence) }

// Header places a command: who issued it, what it is, when it runs, and where in the session's order.
type Header struct {
	Key   Key
	Type  TypeID
	Step  Step
	Order Order
}

// Compare orders headers as an authority's record of a session is read: by step, order, author and
// sequence.
func (h Header) Compare(o Header) int {
	return cmp.Or(
		cmp.Compare(h.Step, o.Step),
		cmp.Compare(h.Order, o.Order),
		cmp.Compare(h.Key.Author, o.Key.Author),
		cmp.Compare(h.Key.Sequence, o.Key.Sequence),
	)
}

// Cursor is a position in a session's record: everything at or before Step with an order up to Order has
// been seen. The zero Cursor is a position, not an absence.
type Cursor struct {
	Step  Step
	Order Order
}

// Covers reports whether a record with header h lies at or before the cursor.
func (c Cursor) Covers(h Header) bool { return h.Step <= c.Step && h.Order <= c.Order }
