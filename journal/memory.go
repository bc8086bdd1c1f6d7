package journal

import (
	"bytes"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// DefaultRefusedPerAuthor is the bound that a zero [Config.RefusedPerAuthor] stands for.
const DefaultRefusedPerAuthor = 256

// Config says how much a journal retains. The zero value is a sensible choice.
type Config struct {
	// RefusedPerAuthor bounds the records that one author can have of commands that were never accepted:
	// refused ones and tombstones. Recording one more drops the author's least recently changed one, see
	// [Memory.AuthorFloor]. A record that was accepted at some time since it was recorded does not count, even
	// if it has been replaced by a refusal: others may have seen the command and must learn of its end. Zero
	// means [DefaultRefusedPerAuthor], a negative number means no bound.
	RefusedPerAuthor int
}

// Memory is a journal in memory. The zero value is an empty journal with the default [Config]. It must not be
// copied after first use and is not safe for concurrent use.
//
// With records being dropped as fast as they are made, it allocates nothing but payloads above 64 KiB: it
// reuses the memory of dropped records. Until [Memory.Clear] it keeps room for as many records as it held at
// its peak, but of payload memory only as much unused as is in use, and 1 MiB.
type Memory struct {
	revision, floor netcode.Revision
	config          Config

	changes chain          // every record, by revision
	byStep  index[byStep]  // the live records
	byOrder index[byOrder] // the same
	authors map[netcode.AuthorID]*author

	slots   slots
	chunks  chunks
	buffers buffers
}

// NewMemory returns an empty journal at revision 0.
func NewMemory(c Config) *Memory { return &Memory{config: c} }

// Revision returns the number of changes so far, which is the revision of the last one.
func (m *Memory) Revision() netcode.Revision { return m.revision }

// Floor returns the lowest revision from which [Memory.AppendChangesAfter] can still list the changes.
func (m *Memory) Floor() netcode.Revision { return m.floor }

// Len returns the number of records held.
func (m *Memory) Len() int { return m.changes.len }

// Append records a command that the journal has not seen. It returns [ErrExists], and changes nothing, if the
// key is known (see [Memory.Known]), even if its record has been dropped.
//
// Append does not retain the payloads of r, which may be borrowed from this journal. It ignores r.Revision
// and stamps the next one.
func (m *Memory) Append(r Record) error {
	if m.Known(r.Header.Key) {
		return ErrExists
	}
	m.record(r)
	return nil
}

// Replace records a command, in the place of what was recorded under its key, if anything was. It does not
// ask whether the key is known: replacing a dropped record makes a new one.
//
// Replace does not retain the payloads of r, which may be borrowed from this journal. It ignores r.Revision
// and stamps the next one. It does not fail.
func (m *Memory) Replace(r Record) error {
	s := m.lookup(r.Header.Key)
	if s == nil {
		m.record(r)
		return nil
	}
	m.detach(s)
	m.write(s, &r)
	m.attach(s)
	return nil
}

// Cancel flags the command with this key as cancelled and keeps its result; for a key without a record it
// leaves a tombstone, see [Record.Tombstone]. It takes a revision even if the command was cancelled before.
//
// Cancel does not ask whether the key is known. A caller that drops records must, or a late cancellation of a
// dropped command would read as if the command had never been there. Cancel does not fail.
func (m *Memory) Cancel(key netcode.Key) error {
	s := m.lookup(key)
	if s == nil {
		m.record(tombstone(key))
		return nil
	}
	m.detach(s)
	s.cancelled = true
	m.attach(s)
	return nil
}

// Clear drops all records and forgets that their keys were known. It takes a revision, which becomes the
// floor. The memory goes back to the runtime. Clear does not fail.
func (m *Memory) Clear() error {
	next := m.revision + 1
	*m = Memory{revision: next, floor: next, config: m.config}
	return nil
}

// record makes a slot for a key that has none.
func (m *Memory) record(r Record) {
	key := r.Header.Key
	a := m.authors[key.Author]
	if a == nil {
		if m.authors == nil {
			m.authors = make(map[netcode.AuthorID]*author)
		}
		a = &author{refused: chain{kind: byRefusal}}
		m.authors[key.Author] = a
	}
	a.highest = max(a.highest, key.Sequence)

	s := m.slots.take()
	s.author = a
	m.write(s, &r)
	a.records.insert(s, &m.chunks)
	m.attach(s)
}

// lookup returns the slot of the record with this key, or nil.
func (m *Memory) lookup(key netcode.Key) *slot {
	a := m.authors[key.Author]
	if a == nil {
		return nil
	}
	return a.lookup(key)
}

// write copies r into a detached slot. The payloads of r may lie in any buffer in use, the slot's own
// included, so the old buffer goes back only after they have been copied.
func (m *Memory) write(s *slot, r *Record) {
	s.header, s.request = r.Header, r.Request
	s.result, s.cancelled = r.Result, r.Cancelled

	old := s.payload
	if bytes.Equal(r.RequestPayload, r.FinalPayload) {
		s.payload = m.buffers.take(len(r.FinalPayload))
		s.requestEnd, s.finalStart = len(s.payload), 0
		copy(s.payload, r.FinalPayload)
	} else {
		s.payload = m.buffers.take(len(r.RequestPayload) + len(r.FinalPayload))
		s.requestEnd = copy(s.payload, r.RequestPayload)
		s.finalStart = s.requestEnd
		copy(s.payload[s.finalStart:], r.FinalPayload)
	}
	m.buffers.give(old)
}

// attach stamps the next revision on a slot that has been written and puts it where its contents belong.
func (m *Memory) attach(s *slot) {
	m.revision++
	s.revision = m.revision
	m.changes.push(s)
	if s.live() {
		m.byStep.insert(s, &m.chunks)
		m.byOrder.insert(s, &m.chunks)
	}
	if s.result == netcode.Accepted {
		s.admitted = true
	}
	if !s.admitted {
		s.author.refused.push(s)
		m.boundRefused(s.author)
	}
}

// detach takes a slot out of everything that depends on its contents, before these change. Its author keeps
// it under its key.
func (m *Memory) detach(s *slot) {
	m.changes.remove(s)
	if s.live() {
		m.byStep.remove(s, &m.chunks)
		m.byOrder.remove(s, &m.chunks)
	}
	if !s.admitted {
		s.author.refused.remove(s)
	}
}

// drop removes a record and remembers its key.
func (m *Memory) drop(s *slot) {
	m.detach(s)
	s.author.records.remove(s, &m.chunks)
	s.author.forget(s.header.Key)
	m.buffers.give(s.payload)
	m.slots.give(s)
}
