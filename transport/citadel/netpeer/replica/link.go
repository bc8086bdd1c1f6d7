package replica

import (
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
)

// link is what the sender knows of one object at one receiver.
type link struct {
	entity  *Entity
	role    Role
	custom  Fields // fields with the condition schema.Custom that the application lets through
	pending []pending
	run     int // how many are pending since the last full one, that one included
	repeats int // how often the newest state was sent again

	acked   *snapshot // what the receiver has for certain, or nil
	ackedID uint64

	outstanding *baseline.Tracker[uint64] // the reference's second list of ids
}

// pending is a state that was sent and not acknowledged.
type pending struct {
	id   uint64
	tick uint64
	full bool
	sent *snapshot
}

func newLink(e *Entity, reference bool) *link {
	l := &link{entity: e}
	if reference {
		l.outstanding = baseline.NewTracker[uint64](math.MaxInt)
	}
	return l
}

// idle reports whether the receiver has what there is.
func (l *link) idle(latest *snapshot) bool { return l.acked == latest && len(l.pending) == 0 }

// forget makes the next bunch a full one. Tokens issued before lead nowhere.
func (l *link) forget() {
	l.dropPending(len(l.pending))
	l.setAcked(nil, 0)
}

func (l *link) setAcked(s *snapshot, id uint64) {
	if s != nil {
		s.refs++
	}
	if l.acked != nil {
		l.entity.release(l.acked)
	}
	l.acked, l.ackedID = s, id
}

// dropPending forgets the n oldest that are pending.
func (l *link) dropPending(n int) {
	for i := range n {
		l.entity.release(l.pending[i].sent)
	}
	l.pending = slices.Delete(l.pending, 0, n)
	l.recount()
}

// recount finds the run of pending states from the last full one on.
func (l *link) recount() {
	at := len(l.pending) - 1
	for at > 0 && !l.pending[at].full {
		at--
	}
	l.run = len(l.pending) - max(at, 0)
}

// sent notes a bunch. A full one makes the differences before it pointless, but not the full ones: their receiver
// may be just about to acknowledge one of them. If there are too many the oldest stays, whose acknowledgement comes
// first however late that is, and of the others, in case it does not come, some of every age: the token picks one to
// go. The reference keeps none, and then a receiver whose acknowledgements take longer than it takes until the next
// bunch gets full bunches for good.
func (l *link) sent(p pending, limit int) {
	if p.sent.refs++; len(l.pending) > 0 && l.pending[len(l.pending)-1].sent == p.sent {
		l.repeats++
	} else {
		l.repeats = 0
	}
	if p.full {
		keep := 0
		for _, old := range l.pending {
			if l.outstanding == nil && old.full {
				l.pending[keep] = old
				keep++
			} else {
				l.entity.release(old.sent)
			}
		}
		l.pending = l.pending[:keep]
		if keep >= limit {
			at := 0
			if keep > 2 {
				at = 1 + int(p.id%uint64(keep-1))
			}
			l.entity.release(l.pending[at].sent)
			l.pending = slices.Delete(l.pending, at, at+1)
		}
		l.run = 0
	}
	l.pending = append(l.pending, p)
	l.run++
	if l.outstanding != nil {
		_ = l.outstanding.Issue(p.id) // ids ascend
	}
}

// unsent takes back what was noted last, because it was not sent after all.
func (l *link) unsent() {
	last := len(l.pending) - 1
	l.entity.release(l.pending[last].sent)
	l.pending = l.pending[:last]
	l.recount()
}

// ack takes a window of the receiver, and returns the token that it moved the baseline to, if it did.
func (l *link) ack(w baseline.Window[uint64]) (uint64, bool) {
	if l.outstanding != nil {
		return l.ackReference(w)
	}
	for i := len(l.pending) - 1; i >= 0; i-- {
		if p := l.pending[i]; w.Contains(p.id) {
			l.setAcked(p.sent, p.id)
			l.dropPending(i + 1)
			return p.id, true
		}
	}
	return 0, false
}

// ackReference is the reference's way: it asks for the newest outstanding token, and that may be one whose state
// was dropped.
func (l *link) ackReference(w baseline.Window[uint64]) (uint64, bool) {
	id, advanced := l.outstanding.Ack(w)
	if !advanced {
		return 0, false
	}
	n := 0
	for n < len(l.pending) && l.pending[n].id <= id {
		n++
	}
	if n > 0 && l.pending[n-1].id == id {
		l.setAcked(l.pending[n-1].sent, id)
	}
	l.dropPending(n)
	return id, true
}
