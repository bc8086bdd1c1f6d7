package journal

import "github.com/ariadne-netcode/ariadne/netcode"

// Compact drops the least recently changed records while more than keep remain, and returns how many it
// dropped. It stops at a record of revision older or later, and at an accepted command, not cancelled, of step
// before or later, because a snapshot of an earlier step does not contain that one. The floor rises to the
// highest revision dropped.
//
// Pass the step after the anchor of the snapshots that are going to be handed out, and the revision from which
// on records are needed for something else, or the highest possible one. A negative keep means zero.
func (m *Memory) Compact(before netcode.Step, older netcode.Revision, keep int) (dropped int) {
	for s := m.changes.head; s != nil && m.changes.len > keep; s = m.changes.head {
		if s.revision >= older || s.live() && s.header.Step >= before {
			break
		}
		m.floor = s.revision
		m.drop(s)
		dropped++
	}
	return dropped
}

// boundRefused drops the author's least recently changed record that was never accepted, if there are too
// many. The one that has just been attached is the most recent and stays.
func (m *Memory) boundRefused(a *author) {
	limit := m.config.RefusedPerAuthor
	if limit == 0 {
		limit = DefaultRefusedPerAuthor
	}
	if limit < 0 || a.refused.len <= limit {
		return
	}
	a.floor = a.refused.head.revision
	m.drop(a.refused.head)
}

// AuthorFloor returns the lowest revision from which [Memory.AppendChangesAfter] lists every change of this
// author's records. It is above [Memory.Floor] if [Config.RefusedPerAuthor] has dropped a record since.
//
// From lower revisions down to Floor, only records are missing whose commands were never accepted. To other
// peers that is no loss: they never had the command, and as its key stays known, they never will. The author
// itself misses the answer to a command that it may still be waiting for. A session must therefore answer a
// command that is known but not recorded, when the author sends it again, with a refusal.
func (m *Memory) AuthorFloor(author netcode.AuthorID) netcode.Revision {
	if a := m.authors[author]; a != nil {
		return max(m.floor, a.floor)
	}
	return m.floor
}

// Known reports whether the key was recorded at any time since the journal was made or cleared, even if its
// record has been dropped since.
//
// The sequences of dropped records are kept as runs, up to 64 for an author in a session. Beyond that the gap
// between the two lowest runs is closed, and the sequences in it are reported as known. Only an author that
// leaves gaps in its own sequences can come to that.
func (m *Memory) Known(key netcode.Key) bool {
	a := m.authors[key.Author]
	return a != nil && (a.lookup(key) != nil || a.forgot(key))
}

// NextSequence returns the sequence after the highest that was recorded for the author at any time since the
// journal was made or cleared, in any session. It returns false if there was none. For an author that has
// reached the highest possible sequence it returns [netcode.MaxSequence], which is never issued.
func (m *Memory) NextSequence(author netcode.AuthorID) (netcode.Sequence, bool) {
	a := m.authors[author]
	if a == nil {
		return 0, false
	}
	if a.highest == netcode.MaxSequence {
		return a.highest, true
	}
	return a.highest + 1, true
}
