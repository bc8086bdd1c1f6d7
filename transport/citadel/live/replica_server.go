package live

import (
	"errors"
	"slices"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// ReplicaServer feeds an [authority.Server] what connections propose and acknowledge, and sends them what it has to
// say. It can share the connections of a [Server]: each takes the frames that are its own. It is not safe for
// concurrent use.
type ReplicaServer struct {
	authority *authority.Server
	cfg       ReplicaServerConfig
	start     time.Time
	order     []replica.PeerID // of joining
	conns     map[replica.PeerID]*citadel.Conn
	peers     map[*citadel.Conn]replica.PeerID
	emit      authority.Emit // made once: a method value costs an allocation
}

// ReplicaServerConfig is what an application wants to know of replication. The zero value is nothing.
type ReplicaServerConfig struct {
	// Dropped is told about a frame of a connection that had no effect and why: an [authority.Reason] for a proposal,
	// or an error of [authority.Server.Ack]. Nil means nothing. It is called by [ReplicaServer.Handle]; the client learns
	// nothing.
	Dropped func(c *citadel.Conn, kind wire.Kind, err error)
}

// NewReplicaServer returns a server that nobody has joined. Classes and objects are the caller's to add to the
// authority, at any time.
func NewReplicaServer(a *authority.Server, cfg ReplicaServerConfig) *ReplicaServer {
	s := &ReplicaServer{
		authority: a,
		cfg:       cfg,
		start:     time.Now(),
		conns:     make(map[replica.PeerID]*citadel.Conn),
		peers:     make(map[*citadel.Conn]replica.PeerID),
	}
	s.emit = func(to replica.PeerID, kind wire.Kind, body []byte) {
		if c, ok := s.conns[to]; ok {
			deliver(c, kind, body)
		}
	}
	return s
}

// Authority returns the authority.
func (s *ReplicaServer) Authority() *authority.Server { return s.authority }

// Join puts a connection into a match of the authority and sends it what it needs to begin: the table of schemas and
// every relevant object in full, see [authority.Server.Bootstrap], whose errors it returns. Bring the states of the objects
// up to date before. Peer id and guest say who the connection is, as in [authority.Server.Join]. A connection that has the
// peer id already is replaced; ending it is left to the caller.
func (s *ReplicaServer) Join(c *citadel.Conn, id replica.PeerID, match uint64, guest bool) error {
	if old, ok := s.conns[id]; ok {
		s.forget(old, id)
	}
	s.Leave(c) // if it was somebody else
	s.order = append(s.order, id)
	s.conns[id], s.peers[c] = c, id
	s.authority.Join(id, match, guest)
	return s.authority.Bootstrap(id, s.emit)
}

// Leave takes a connection out of its match and reports whether it was in one. What it owned stays its own.
func (s *ReplicaServer) Leave(c *citadel.Conn) bool {
	id, ok := s.peers[c]
	if ok {
		s.authority.Leave(id)
		s.forget(c, id)
	}
	return ok
}

// forget takes a connection off the lists.
func (s *ReplicaServer) forget(c *citadel.Conn, id replica.PeerID) {
	s.order = slices.DeleteFunc(s.order, func(o replica.PeerID) bool { return o == id })
	delete(s.conns, id)
	delete(s.peers, c)
}

// Handle takes an event of a connection: a proposal, which is applied and goes to the others if it is allowed, or an
// acknowledgement. It returns false for everything else. That includes the end of a connection, for which it calls
// [ReplicaServer.Leave], so that whoever is asked next hears of it too.
func (s *ReplicaServer) Handle(e citadel.Event) bool {
	switch e.Kind {
	case citadel.Closed:
		s.Leave(e.Conn)
		return false
	case citadel.Frame, citadel.Datagram:
		return s.receive(e.Conn, e.Envelope)
	}
	return false
}

func (s *ReplicaServer) receive(c *citadel.Conn, e wire.Envelope) bool {
	from, ok := s.peers[c]
	if !ok {
		from = replica.Nobody // is in no match, for which the authority rejects it
	}
	var err error
	switch e.Kind {
	case wire.KindRepDelta:
		err = s.authority.Receive(from, uint64(time.Since(s.start).Milliseconds()), e.Body, s.emit)
	case wire.KindRepAck:
		err = s.authority.Ack(from, e.Body)
	default:
		return false
	}
	if err != nil && s.cfg.Dropped != nil {
		s.cfg.Dropped(c, e.Kind, err)
	}
	return true
}

// Send tells every connection what has changed of the objects that are relevant to it. Call it once for every step,
// when the states of the objects are up to date, and [citadel.Listener.Flush] or [Server.Flush] after it. An error is one of
// [authority.Server.Update]; the other connections are told all the same.
func (s *ReplicaServer) Send() error {
	s.authority.Sender().Advance()
	var failed error
	for _, id := range s.order {
		if err := s.authority.Update(id, s.emit); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// Conn returns the connection of a peer, while it is in a match.
func (s *ReplicaServer) Conn(id replica.PeerID) (*citadel.Conn, bool) {
	c, ok := s.conns[id]
	return c, ok
}
