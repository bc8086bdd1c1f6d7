package journal

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// author is what a journal keeps for one author. It exists from the author's first record until the journal
// is cleared.
type author struct {
	records index[bySequence]
	refused chain            // those that were never accepted
	floor   netcode.Revision // highest revision that the bound on refused records has dropped
	highest netcode.Sequence // ever recorded
	dropped []lane           // by session
}

// lane holds the dropped sequences of an author in one session. There is one, unless a journal is used for
// several sessions.
type lane struct {
	session netcode.SessionID
	spans   spans
}

// lookup returns the slot of the author's record with this key, or nil.
func (a *author) lookup(key netcode.Key) *slot {
	for s := range a.records.from(a.records.reaching(uint64(key.Sequence))) {
		if s.header.Key == key {
			return s
		}
		if s.header.Key.Sequence != key.Sequence {
			break
		}
	}
	return nil
}

// forgot reports whether a record with this key has been dropped.
func (a *author) forgot(key netcode.Key) bool {
	i := a.lane(key.Session)
	return i < len(a.dropped) && a.dropped[i].session == key.Session && a.dropped[i].spans.contains(key.Sequence)
}

// forget notes that the record with this key is being dropped.
func (a *author) forget(key netcode.Key) {
	i := a.lane(key.Session)
	if i == len(a.dropped) || a.dropped[i].session != key.Session {
		a.dropped = slices.Insert(a.dropped, i, lane{session: key.Session})
	}
	a.dropped[i].spans.add(key.Sequence)
}

// lane returns the index of the first lane whose session is id or greater.
func (a *author) lane(id netcode.SessionID) int {
	return seek(len(a.dropped), func(i int) bool { return a.dropped[i].session >= id })
}
