package live

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The codes with which a [Server] closes connections. They lie beside those of package bridge, so that one connection can
// carry both.
const (
	// CodeReplaced: another connection speaks for the same participant now.
	CodeReplaced = citadel.CodeApplication + 0x10 + iota

	// CodeRefused: the application or the world did not let the participant in.
	CodeRefused

	// CodeExhausted: the connection has had as many snapshots as there are numbers, which takes years.
	CodeExhausted
)

// observations is how often a second the server looks at the statistics of a connection.
const observations = 5

// ServerConfig is what an application has to say about the participants. The zero value lets everybody in. All
// functions are called by [Server.Handle].
type ServerConfig struct {
	// Participant says who a connection is in the world, which is not 0. The connection's identity is all that it should
	// trust. An error closes the connection with [CodeRefused] and the error's text as the reason. Nil means that
	// everybody is somebody else: the number of the connection.
	Participant func(c *citadel.Conn) (uint64, error)

	// Joined is told that a participant is in the world. Nil means nothing.
	Joined func(c *citadel.Conn, client *server.Client)

	// Left is told that a participant is about to be taken out of the world. Nil means nothing.
	Left func(c *citadel.Conn, client *server.Client)
}

// Server feeds a world what the connections of a listener send, and sends them what the world tells. It is not
// safe for concurrent use.
type Server struct {
	listener *citadel.Listener
	world    *server.World
	cfg      ServerConfig
	members  map[uint64]*member // by the number of the connection
	joined   []*member          // in the order of joining
	simRate  float64
	buf      []byte
	onEvent  func(citadel.Event) // made once: a method value costs an allocation
}

// member is a connection that has said something of transform sync.
type member struct {
	conn     *citadel.Conn
	client   *server.Client // nil before the hello
	manifest []byte         // of a client that offered version 2 before its hello
	observed uint64         // step of the last observation
	out      bool           // it was disconnected; what it has sent before it knew is void
}

// NewServer returns a server of a world without clients. The listener stays the caller's to close.
func NewServer(l *citadel.Listener, w *server.World, cfg ServerConfig) *Server {
	s := &Server{
		listener: l,
		world:    w,
		cfg:      cfg,
		members:  make(map[uint64]*member),
		simRate:  float64(w.Codec().Hello().SimRate),
	}
	s.onEvent = func(e citadel.Event) { s.Handle(e) }
	return s
}

// Pump handles everything that has arrived since the last call, and returns how many events that were. It does
// not block. An application that also wants to hear of other things drains the inbox itself, and calls [Server.Handle].
func (s *Server) Pump() int { return s.listener.Inbox().Drain(s.onEvent) }

// Handle takes an event of a connection. It returns false for frames and datagrams of another protocol, which the
// application may have a use for.
func (s *Server) Handle(e citadel.Event) bool {
	switch e.Kind {
	case citadel.Closed:
		if m := s.members[e.Conn.ID()]; m != nil {
			s.leave(m)
			delete(s.members, e.Conn.ID())
		}
		return true
	case citadel.Frame, citadel.Datagram:
		return s.receive(e.Conn, e.Envelope)
	}
	return e.Kind == citadel.Opened
}

// receive takes a frame. The client counts what is wrong with it.
func (s *Server) receive(c *citadel.Conn, e wire.Envelope) bool {
	switch e.Kind {
	case wire.KindTsyncHello:
		s.hello(c, e.Body)
		return true
	case wire.KindTsyncV2Hello:
		s.offer(c, e.Body)
		return true
	case wire.KindTsyncInput, wire.KindTsyncV2Input, wire.KindTsyncAck:
	default:
		return false
	}
	m := s.members[c.ID()]
	if m == nil || m.client == nil {
		return true // a datagram that has overtaken the hello
	}
	switch e.Kind {
	case wire.KindTsyncInput:
		_ = m.client.Input(e.Body)
	case wire.KindTsyncV2Input:
		_ = m.client.InputV2(e.Body)
	case wire.KindTsyncAck:
		_ = m.client.Ack(e.Body)
	}
	return true
}

// hello lets a connection into the world, or answers again.
func (s *Server) hello(c *citadel.Conn, body []byte) {
	m := s.member(c)
	if m.out {
		return
	}
	if m.client == nil {
		if err := s.join(m, body); err != nil {
			s.expel(m, CodeRefused, err.Error())
			return
		}
		s.upgrade(m)
	}
	s.buf = m.client.AppendHello(s.buf[:0])
	deliver(c, wire.KindTsyncHello, s.buf)
}

// member returns what is known of a connection.
func (s *Server) member(c *citadel.Conn) *member {
	m := s.members[c.ID()]
	if m == nil {
		m = &member{conn: c}
		s.members[c.ID()] = m
	}
	return m
}

// join puts a connection into the world, in the place of an older one of the same participant.
func (s *Server) join(m *member, body []byte) error {
	if len(body) > 0 { // before anybody has to leave
		return server.ErrNotOptIn
	}
	who := m.conn.ID()
	if s.cfg.Participant != nil {
		var err error
		if who, err = s.cfg.Participant(m.conn); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(s.joined, func(o *member) bool { return o.client.Participant() == who }); i >= 0 {
		s.expel(s.joined[i], CodeReplaced, "the participant has connected again")
	}
	client, err := s.world.Join(who, body)
	if err != nil {
		return err
	}
	m.client, m.observed = client, s.world.Now()
	client.SetMaxPayload(SafePayload) // until the path has been looked at
	s.joined = append(s.joined, m)
	if s.cfg.Joined != nil {
		s.cfg.Joined(m.conn, client)
	}
	return nil
}

// offer takes the manifest of a client that speaks version 2.
func (s *Server) offer(c *citadel.Conn, body []byte) {
	if len(body) > 64 {
		return // no manifest is that long
	}
	m := s.member(c)
	m.manifest = append(m.manifest[:0], body...)
	if m.client != nil {
		s.upgrade(m)
	}
}

// upgrade answers a manifest, if there was one and the world speaks version 2.
func (s *Server) upgrade(m *member) {
	if m.manifest == nil {
		return
	}
	body, err := m.client.Upgrade(s.buf[:0], m.manifest)
	m.manifest = nil
	s.buf = body
	if err == nil {
		deliver(m.conn, wire.KindTsyncV2Hello, body)
	}
}

// expel ends a connection and takes it out of the world.
func (s *Server) expel(m *member, code citadel.Code, reason string) {
	s.leave(m)
	m.out = true
	m.conn.Disconnect(code, reason)
}

// leave takes a connection out of the world. It is harmless for one that is not in it.
func (s *Server) leave(m *member) {
	if m.client == nil {
		return
	}
	if s.cfg.Left != nil {
		s.cfg.Left(m.conn, m.client)
	}
	s.joined = slices.DeleteFunc(s.joined, func(o *member) bool { return o == m })
	s.world.Leave(m.client)
	m.client = nil
}

// Send tells every client what there is to tell: a snapshot if one is due, roles, and what its shots have hit.
// Call it after each [server.World.Tick].
func (s *Server) Send() {
	for _, m := range s.joined { // ends of connections are events: nobody leaves meanwhile
		s.observe(m)
		s.snapshot(m)
		for _, r := range m.client.Roles() {
			s.buf = tsync.AppendRole(s.buf[:0], r)
			deliver(m.conn, wire.KindTsyncRole, s.buf)
		}
		for _, r := range m.client.Rewinds() {
			s.buf = tsync.AppendRewind(s.buf[:0], r)
			deliver(m.conn, wire.KindTsyncRewind, s.buf)
		}
	}
}

func (s *Server) snapshot(m *member) {
	if !m.client.Due() {
		return
	}
	body, err := m.client.AppendSnapshot(s.buf[:0])
	if err != nil {
		m.conn.Disconnect(CodeExhausted, err.Error())
		return
	}
	s.buf = body
	if len(body) > 0 {
		deliver(m.conn, m.client.SnapshotKind(), body)
	}
}

// observe tells the client how its connection does, and how much its datagrams carry, if it is time.
func (s *Server) observe(m *member) {
	seconds := float64(s.world.Now()-m.observed) / s.simRate
	if seconds < 1.0/observations {
		return
	}
	m.observed = s.world.Now()
	m.client.Observe(Path(m.conn.Stats()), seconds)
	if most := m.conn.MaxDatagram(); most > 0 {
		m.client.SetMaxPayload(most + wire.KindBytes)
	} else {
		m.client.SetMaxPayload(0) // all goes reliably, in pieces of any size
	}
}

// Path returns what the statistics of a connection say of its path, for [server.Client.Observe].
func Path(s citadel.Stats) congestion.Path {
	const millisecond = 1e6
	return congestion.Path{
		RTT:    float64(s.Link.RTT) / millisecond,
		MinRTT: float64(s.Link.MinRTT) / millisecond,
		Jitter: float64(s.Link.RTTJitter) / millisecond,
		Sent:   s.Link.PacketsSent,
		Lost:   s.Link.PacketsLost,
		Drops:  s.Drops.OutboundDatagrams + s.Drops.OversizedDatagrams + s.Link.DatagramsDropped,
	}
}

// Flush lets go of what connections that are configured with ManualFlush have kept back. Call it at the end of each
// turn of the game loop.
func (s *Server) Flush() { s.listener.Flush() }

// Conn returns the connection of a client of the world, while it is in it.
func (s *Server) Conn(client *server.Client) (*citadel.Conn, bool) {
	for _, m := range s.joined {
		if m.client == client {
			return m.conn, true
		}
	}
	return nil, false
}

// Client returns the client of the world that a connection is, while it is in it.
func (s *Server) Client(c *citadel.Conn) (*server.Client, bool) {
	m := s.members[c.ID()]
	if m == nil || m.client == nil {
		return nil, false
	}
	return m.client, true
}
