package session

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// ConnID names a connection. The application chooses it and never uses one twice.
type ConnID uint64

// Transport carries frames to peers, reliably and in order per connection. The application implements it;
// package bridge under transport/citadel is one that is ready.
type Transport interface {
	// Send passes one frame on. The frame is borrowed for the call. Send must not block and reports no
	// error: a connection that cannot take a frame is lost, and the transport says so in its own time by
	// [Server.Unbind] or [Client.Disconnect]. It may call these from inside Send, and Bind too.
	Send(conn ConnID, frame []byte)
}

// Server routes frames between connections and the sessions that this process has authority over. It is not
// safe for concurrent use.
type Server struct {
	transport Transport
	sessions  map[netcode.SessionID]*hosted
	bindings  map[ConnID]*binding

	// Scratch of a synchronisation burst.
	records  []journal.Record
	sent     map[netcode.Key]struct{}
	snapshot []byte

	frame []byte
}

// hosted is a session and the connections bound to it, in the order of binding. The slice is replaced, never
// changed, so that a broadcast can go on over the one it started with.
type hosted struct {
	host     *Host
	bindings []*binding
}

// binding is a connection that speaks for an author. It is gone when session is nil.
type binding struct {
	conn    ConnID
	author  netcode.AuthorID
	session *hosted

	// Extensions: what the peer offered, and what the last mark sent to it said.
	resume       bool
	synchronized bool
	outcomes     uint64 // outcome frames since the last sync complete
	marked       netcode.Revision
}

// NewServer returns a router without sessions.
func NewServer(t Transport) *Server {
	return &Server{
		transport: t,
		sessions:  make(map[netcode.SessionID]*hosted),
		bindings:  make(map[ConnID]*binding),
		sent:      make(map[netcode.Key]struct{}),
	}
}

// Add starts routing for a host, which must be in server mode: [ErrWrongMode]. A session is hosted once:
// [ErrHosted].
func (s *Server) Add(h *Host) error {
	if h.cfg.Mode != netcode.Server {
		return ErrWrongMode
	}
	id := h.cfg.Start.Session
	if _, ok := s.sessions[id]; ok {
		return ErrHosted
	}
	x := &hosted{host: h}
	s.sessions[id] = x
	h.out = func(frame []byte) { s.broadcast(x, frame) }
	return nil
}

// Remove stops routing for a session, unbinds its connections and returns them, in the order in which they
// were bound, so that the application can close them.
func (s *Server) Remove(id netcode.SessionID) []ConnID {
	x, ok := s.sessions[id]
	if !ok {
		return nil
	}
	delete(s.sessions, id)
	x.host.out = nil
	conns := make([]ConnID, 0, len(x.bindings))
	for _, b := range x.bindings {
		b.session = nil
		delete(s.bindings, b.conn)
		conns = append(conns, b.conn)
	}
	x.bindings = nil
	return conns
}

// Bind attaches an authenticated connection to a session as author. From now on frames from it count as the
// author's, and it is told what is decided.
//
// An author has one connection: binding a second one unbinds the first, which is reported as a [Replaced]
// event of the host. What the old connection's clean-up does afterwards does not touch the new one. The
// authority's own author cannot be bound: [ErrNotYours].
func (s *Server) Bind(conn ConnID, id netcode.SessionID, author netcode.AuthorID) error {
	if _, ok := s.bindings[conn]; ok {
		return ErrBound
	}
	x, ok := s.sessions[id]
	if !ok {
		return ErrNoSession
	}
	if author == x.host.cfg.Start.Author {
		return ErrNotYours
	}
	if i := slices.IndexFunc(x.bindings, func(b *binding) bool { return b.author == author }); i >= 0 {
		old := x.bindings[i].conn
		s.Unbind(old)
		x.host.events.add(Event{
			Kind: Replaced, Conn: old, Header: netcode.Header{Key: netcode.Key{Session: id, Author: author}},
		})
	}
	b := &binding{conn: conn, author: author, session: x}
	s.bindings[conn] = b
	x.bindings = append(slices.Clone(x.bindings), b)
	return nil
}

// Unbind detaches a connection and says whether it was bound. What it sent before stays in force.
func (s *Server) Unbind(conn ConnID) bool {
	b, ok := s.bindings[conn]
	if !ok {
		return false
	}
	delete(s.bindings, conn)
	x := b.session
	b.session = nil
	x.bindings = slices.DeleteFunc(slices.Clone(x.bindings), func(o *binding) bool { return o == b })
	return true
}

// Bound returns the session and author that a connection speaks for.
func (s *Server) Bound(conn ConnID) (netcode.SessionID, netcode.AuthorID, bool) {
	b, ok := s.bindings[conn]
	if !ok {
		return 0, 0, false
	}
	return b.session.host.cfg.Start.Session, b.author, true
}

// Receive takes in a frame from a connection and answers it. The frame is borrowed. The result is what
// became of the proposal, cancellation or join; the error says why it is not good news: [ErrNotBound], a
// [*protocol.FrameError], or the reason of a refusal. Nothing a peer sends can harm more than itself, so an
// application may ignore both.
func (s *Server) Receive(conn ConnID, frame []byte) (netcode.Result, error) {
	b, ok := s.bindings[conn]
	if !ok {
		return netcode.Rejected, ErrNotBound
	}
	h := b.session.host
	if err := h.enter(); err != nil {
		return netcode.Rejected, err
	}
	defer h.leave()
	h.countIn(frame)

	kind, err := protocol.PeekKind(frame)
	if err != nil {
		return netcode.InvalidMessage, err
	}
	switch kind {
	case protocol.KindProposal:
		var p protocol.Proposal
		if err := p.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return s.propose(b, p)
	case protocol.KindCancel:
		var c protocol.Cancel
		if err := c.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return s.cancel(b, c)
	case protocol.KindSyncRequest:
		var r protocol.SyncRequest
		if err := r.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return s.sync(b, r)
	case protocol.KindOffer:
		var o protocol.Offer
		if err := o.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		if h.cfg.NoExtensions || o.Session != h.cfg.Start.Session {
			return netcode.InvalidMessage, ErrUnexpected
		}
		b.resume = o.Extensions.Has(protocol.ExtResume)
		return netcode.Accepted, nil
	}
	return netcode.InvalidMessage, ErrUnexpected
}

func (s *Server) propose(b *binding, p protocol.Proposal) (netcode.Result, error) {
	x := b.session
	v := x.host.admit(p, b.author)
	if v.outcome.Result == netcode.Accepted {
		x.host.announce(v)
	} else {
		s.reply(b, v.outcome)
	}
	return v.outcome.Result, v.reason
}

func (s *Server) cancel(b *binding, c protocol.Cancel) (netcode.Result, error) {
	x := b.session
	result := netcode.Cancelled
	_, err := x.host.cancel(b.author, c.Key)
	if err != nil {
		result = netcode.Rejected
	}
	o := cancellationReply(c.Key, result)
	if result == netcode.Cancelled {
		x.host.announce(verdict{outcome: o})
	} else {
		s.reply(b, o)
	}
	return result, err
}

// reply sends an outcome without payload to one connection.
func (s *Server) reply(b *binding, o netcode.Outcome) {
	s.frame = (&protocol.Outcome{Result: o.Result, Header: o.Header}).Append(s.frame[:0])
	s.sendOutcome(b, s.frame)
}

// BroadcastStep tells the connections of a session which step its authority has completed. Call it once per
// tick, after [Host.Tick].
func (s *Server) BroadcastStep(id netcode.SessionID) error {
	x, ok := s.sessions[id]
	if !ok {
		return ErrNoSession
	}
	h := x.host
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	s.frame = (&protocol.StepUpdate{Session: id, Step: h.Step()}).Append(s.frame[:0])
	for _, b := range x.bindings {
		s.send(b, s.frame)
	}
	revision := h.cfg.Journal.Revision()
	for _, b := range x.bindings {
		if b.resume && b.synchronized && b.marked != revision {
			b.marked = revision
			s.frame = (&protocol.Mark{Session: id, Revision: revision, Outcomes: b.outcomes}).Append(s.frame[:0])
			s.send(b, s.frame)
		}
	}
	return nil
}

// broadcast sends an outcome to every connection of a session. Connections that are unbound on the way get
// nothing more; one that is bound on the way learns from its own join.
func (s *Server) broadcast(x *hosted, frame []byte) {
	for _, b := range x.bindings {
		s.sendOutcome(b, frame)
	}
}

func (s *Server) sendOutcome(b *binding, frame []byte) {
	b.outcomes++
	s.send(b, frame)
}

func (s *Server) send(b *binding, frame []byte) {
	if b.session == nil {
		return
	}
	b.session.host.countOut(frame)
	s.transport.Send(b.conn, frame)
}
