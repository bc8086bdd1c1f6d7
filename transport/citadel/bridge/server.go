package bridge

import (
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// The codes with which this package closes connections.
const (
	// CodeReplaced: another connection speaks for the same author now. A client that came back at once would
	// only push the other one out, so a [Client] does not.
	CodeReplaced = citadel.CodeApplication + iota

	// CodeRefused: the application did not admit the connection, or there is no such session.
	CodeRefused

	// CodeUnsendable: a frame is larger than the connection's outbound queue (see [citadel.Config]). A client
	// uses it as well.
	CodeUnsendable
)

// Admit decides which session a connection takes part in, and as whom. The connection's identity is all that
// it should trust. An error closes the connection with [CodeRefused] and the error's text as the reason. It is
// called by Pump.
type Admit func(c *citadel.Conn) (netcode.SessionID, netcode.AuthorID, error)

// Server feeds the connections of a listener to a session router. It is not safe for concurrent use: one
// goroutine runs the game loop, and calls Pump in it.
type Server struct {
	listener *citadel.Listener
	admit    Admit
	router   *session.Server
	conns    map[session.ConnID]member
	seats    map[seat]session.ConnID
	onEvent  func(citadel.Event) // handle, made once: a method value costs an allocation
}

// seat is what two connections cannot have at once.
type seat struct {
	session netcode.SessionID
	author  netcode.AuthorID
}

type member struct {
	conn *citadel.Conn
	seat seat
}

// NewServer returns a server without sessions; add them to its Router. The listener stays the caller's to
// close, but nobody else may drain its inbox.
func NewServer(l *citadel.Listener, admit Admit) *Server {
	s := &Server{
		listener: l,
		admit:    admit,
		conns:    make(map[session.ConnID]member),
		seats:    make(map[seat]session.ConnID),
	}
	s.router = session.NewServer(s)
	s.onEvent = s.handle
	return s
}

// Router returns the session router that the connections are bound to.
func (s *Server) Router() *session.Server { return s.router }

// Conn returns the connection behind an id that the router uses, while it is bound.
func (s *Server) Conn(id session.ConnID) (*citadel.Conn, bool) {
	m, ok := s.conns[id]
	return m.conn, ok
}

// Pump handles everything that has arrived since the last call, and returns how many events that were. It
// does not block.
func (s *Server) Pump() int { return s.listener.Inbox().Drain(s.onEvent) }

// Flush lets go of what connections that are configured with ManualFlush have kept back. Call it at the end
// of each turn of the game loop.
func (s *Server) Flush() { s.listener.Flush() }

// Send implements [session.Transport]. A connection that cannot take the frame is closed, which Pump will hear
// of like of any other loss.
func (s *Server) Send(id session.ConnID, frame []byte) {
	if m, ok := s.conns[id]; ok {
		send(m.conn, frame)
	}
}

// send queues a frame. A session whose frames do not all arrive is of no use, so a connection that refuses one
// has no reason to live on.
func send(c *citadel.Conn, frame []byte) {
	if err := c.SendSession(frame); err != nil {
		c.Disconnect(CodeUnsendable, err.Error())
	}
}

func (s *Server) handle(e citadel.Event) {
	id := session.ConnID(e.Conn.ID())
	switch e.Kind {
	case citadel.Opened:
		s.open(id, e.Conn)
	case citadel.Session:
		// Whatever is wrong with a frame, the router has answered it and nobody else is harmed.
		_, _ = s.router.Receive(id, e.Envelope.Body)
	case citadel.Closed:
		s.forget(id)
	}
}

func (s *Server) open(id session.ConnID, c *citadel.Conn) {
	game, author, err := s.admit(c)
	if err == nil {
		err = s.router.Bind(id, game, author)
	}
	if err != nil {
		c.Disconnect(CodeRefused, err.Error())
		return
	}
	// The router has unbound an older connection of this author by now. It might not know yet that it is of
	// no use any more.
	at := seat{game, author}
	if old, ok := s.conns[s.seats[at]]; ok {
		s.forget(s.seats[at])
		old.conn.Disconnect(CodeReplaced, "the author has connected again")
	}
	s.conns[id] = member{c, at}
	s.seats[at] = id
}

// forget is harmless for a connection that was replaced or never admitted.
func (s *Server) forget(id session.ConnID) {
	s.router.Unbind(id)
	m, ok := s.conns[id]
	if !ok {
		return
	}
	delete(s.conns, id)
	delete(s.seats, m.seat)
}
