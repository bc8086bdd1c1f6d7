package session

import (
	"cmp"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// pendingMessage is a proposal or cancellation that the authority has not answered.
type pendingMessage struct {
	key       netcode.Key
	cancel    bool
	predicted bool   // proposal: executed in the meantime
	accepted  bool   // cancellation: the authority had accepted the command
	frame     []byte // as it was sent, to be sent again byte for byte

	// recorded is the journal's revision when the message was put here. The record that the answer will be
	// compared with is not older.
	recorded netcode.Revision
}

// pendingMessages is sorted by sequence, then author: only cancellations name foreign authors. There is at
// most one message per key. Frame buffers are reused.
type pendingMessages struct {
	list []pendingMessage
	free [][]byte
}

func (p *pendingMessages) find(key netcode.Key) (int, bool) {
	if n := len(p.list); n == 0 || comparePending(p.list[n-1].key, key) < 0 {
		return n, false
	}
	return slices.BinarySearchFunc(p.list, key, func(m pendingMessage, key netcode.Key) int {
		return comparePending(m.key, key)
	})
}

func comparePending(a, b netcode.Key) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Author, b.Author))
}

func (p *pendingMessages) get(key netcode.Key) (pendingMessage, bool) {
	if i, ok := p.find(key); ok {
		return p.list[i], true
	}
	return pendingMessage{}, false
}

// put keeps a copy of the message's frame and replaces an earlier message under the same key.
func (p *pendingMessages) put(m pendingMessage) {
	var buf []byte
	i, ok := p.find(m.key)
	if ok {
		buf = p.list[i].frame
	} else if n := len(p.free); n > 0 {
		buf = p.free[n-1]
		p.free = p.free[:n-1]
	}
	m.frame = append(buf[:0], m.frame...)
	if ok {
		p.list[i] = m
	} else {
		p.list = slices.Insert(p.list, i, m)
	}
}

func (p *pendingMessages) remove(key netcode.Key) {
	i, ok := p.find(key)
	if !ok {
		return
	}
	p.free = append(p.free, p.list[i].frame)
	p.list = slices.Delete(p.list, i, i+1)
}

// accepted notes that the command which the cancellation under key is about was accepted meanwhile.
func (p *pendingMessages) accepted(key netcode.Key) {
	if i, ok := p.find(key); ok {
		p.list[i].accepted = true
	}
}

// oldest returns the revision from which on the journal's records may still be needed.
func (p *pendingMessages) oldest() netcode.Revision {
	revision := netcode.MaxRevision
	for i := range p.list {
		revision = min(revision, p.list[i].recorded)
	}
	return revision
}
