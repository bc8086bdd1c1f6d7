package session

import (
	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// sync answers a join or resume in one burst: a status, a snapshot if the journal cannot serve what the
// client lacks, the outcomes it lacks, and the end.
func (s *Server) sync(b *binding, r protocol.SyncRequest) (netcode.Result, error) {
	h := b.session.host
	start := &h.cfg.Start
	if r.Session != start.Session {
		s.status(b, protocol.StatusSessionNotFound, r.Session, r.Protocol)
		return netcode.Rejected, ErrForeign
	}
	if r.Protocol != start.Protocol {
		s.status(b, protocol.StatusProtocolMismatch, start.Session, start.Protocol)
		return netcode.Conflict, ErrForeign
	}

	revision := h.cfg.Journal.Revision()
	replay := false
	s.records = s.records[:0]
	if r.HasRevision && r.Step <= h.Step() {
		s.records, replay = h.cfg.Journal.AppendChangesAfter(s.records, r.Revision)
	}
	var snapshot Snapshot
	if !replay {
		var err error
		if snapshot, err = h.capture(); err == nil {
			s.snapshot, err = snapshot.Append(s.snapshot[:0])
		}
		if err != nil {
			return netcode.Rejected, err
		}
	}

	b.synchronized = false
	clear(s.sent)
	if replay {
		s.status(b, protocol.StatusReplay, start.Session, start.Protocol)
		s.resumeInfo(b)
		for _, rec := range s.records {
			settled := rec.Cancelled || rec.Result == netcode.Accepted || rec.Result == netcode.Cancelled
			mine := rec.Header.Key.Author == b.author && (!r.HasLastResolved || rec.Header.Key.Sequence > r.LastResolved)
			if settled || mine {
				s.record(b, rec)
			}
		}
	} else {
		s.status(b, protocol.StatusSnapshot, start.Session, start.Protocol)
		s.resumeInfo(b)
		s.send(b, s.snapshot)
		s.records = h.cfg.Journal.AppendAcceptedAfter(s.records[:0], snapshot.Cursor)
		for _, rec := range s.records {
			s.record(b, rec)
		}
	}
	s.records = h.cfg.Journal.AppendOutcomesAfter(s.records[:0], b.author, r.LastResolved, r.HasLastResolved)
	for _, rec := range s.records {
		s.record(b, rec)
	}

	b.synchronized, b.outcomes, b.marked = true, 0, revision
	s.frame = (&protocol.SyncComplete{Session: start.Session, Revision: revision, HasRevision: true, Step: h.Step()}).Append(s.frame[:0])
	s.send(b, s.frame)
	return netcode.Accepted, nil
}

func (s *Server) status(b *binding, status protocol.Status, id netcode.SessionID, p netcode.ProtocolID) {
	s.frame = (&protocol.SyncStatus{Status: status, Session: id, Protocol: p}).Append(s.frame[:0])
	s.send(b, s.frame)
}

// resumeInfo tells a client that offered the extension which run of the authority this is, and where its
// author's sequences go on, so that a fresh process does not use one again.
func (s *Server) resumeInfo(b *binding) {
	if !b.resume || b.session == nil {
		return
	}
	h := b.session.host
	next, ok := h.cfg.Journal.NextSequence(b.author)
	s.frame = (&protocol.ResumeInfo{
		Session: h.cfg.Start.Session, Epoch: h.cfg.Epoch, NextSequence: next, HasNext: ok,
	}).Append(s.frame[:0])
	s.send(b, s.frame)
}

// record sends what is recorded about a command, once per burst.
func (s *Server) record(b *binding, rec journal.Record) {
	if _, ok := s.sent[rec.Header.Key]; ok {
		return
	}
	s.sent[rec.Header.Key] = struct{}{}
	o := OutcomeOf(rec)
	s.frame = o.Append(s.frame[:0])
	s.sendOutcome(b, s.frame)
}
