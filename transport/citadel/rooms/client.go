package rooms

import (
	"maps"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// DefaultMaxClientActors is how many actors a [Client] knows at most by default.
const DefaultMaxClientActors = 4096

// Conn is what a client needs of a connection. A [*citadel.Conn] is one. Sending neither blocks nor retains the body.
type Conn interface {
	ID() uint64
	Send(kind wire.Kind, body []byte) error
	SendDatagram(kind wire.Kind, body []byte) error
}

var _ Conn = (*citadel.Conn)(nil)

// Joined is what a client is told of the room that it is in.
type Joined struct {
	Room wire.RoomID
	Map  string // the level to load; say [Client.MapReady] when that is done
	Mode string
}

// ClientConfig configures a [Client]. The zero value is useful. The functions are called inside Receive, when the
// client knows what they tell, and may call the client; a nil one is skipped.
type ClientConfig struct {
	// MaxActors bounds the actors that are kept in mind. Zero means DefaultMaxClientActors. What a server
	// announces beyond is ignored and counted.
	MaxActors int

	// Joined is told that the server has let the client in. That may be again, for the same room.
	Joined func(Joined)

	// Left is told that the client is in a room no longer: because it wanted to leave, because the server
	// wanted it, or because the connection has closed.
	Left func(room wire.RoomID)

	// Rejected is told that a request was turned down: wire.KindRoomCreate or wire.KindRoomJoin. The reason is
	// in the server's words, at most 256 bytes. The client is where it was.
	Rejected func(request wire.Kind, reason string)

	// MatchClosed is told that the match of the client's room is over. Left follows.
	MatchClosed func(wire.MatchClosed)

	// Spawned is told that an actor has appeared. own says that it belongs to this client, as the answer to
	// [Client.Announce]; all others are proxies, not to be controlled.
	Spawned func(actor wire.Spawn, own bool)

	// Despawned is told that an actor is gone, or out of sight.
	Despawned func(actor wire.Spawn)

	// Position is told what another member has reported of itself. The payload is borrowed; by convention it is
	// a [wire.Position], but nobody has checked that.
	Position func(sender uint64, payload []byte)
}

// ClientStats counts what a server has sent in vain.
type ClientStats struct {
	Malformed uint64 // the body could not be parsed
	Stray     uint64 // in the wrong direction, or as a datagram although it must be reliable
	Stale     uint64 // about a room in which the client is not, an actor that it does not know, or one that it knows already
	TooMany   uint64 // actors beyond ClientConfig.MaxActors
}

// Client is a player's side of a server's rooms. It belongs to one goroutine, the game loop.
type Client struct {
	conn  Conn
	cfg   ClientConfig
	stats ClientStats

	room      Joined
	in        bool
	self      uint64          // this session, as the server calls it; 0 if that is not known
	announced []wire.Presence // what has been asked for, while self is not known
	actors    map[uint32]wire.Spawn
	body      []byte
}

// NewClient returns a client for a connection whose events are given to Receive.
func NewClient(conn Conn, cfg ClientConfig) *Client {
	if cfg.MaxActors <= 0 {
		cfg.MaxActors = DefaultMaxClientActors
	}
	return &Client{conn: conn, cfg: cfg, actors: make(map[uint32]wire.Spawn)}
}

// Room returns the room that the client is in, and false if it is in none.
func (c *Client) Room() (Joined, bool) { return c.room, c.in }

// Session returns the id by which the server knows this client, and false as long as it has not told: that it does
// when the client's first actor appears.
func (c *Client) Session() (uint64, bool) { return c.self, c.self != 0 }

// Actor returns an actor as it was when it appeared, and false if there is none.
func (c *Client) Actor(object uint32) (wire.Spawn, bool) {
	a, ok := c.actors[object]
	return a, ok
}

// Actors returns the ids of all actors, in their order.
func (c *Client) Actors() []uint32 { return slices.Sorted(maps.Keys(c.actors)) }

// Stats returns the counters.
func (c *Client) Stats() ClientStats { return c.stats }

// Create asks for the room with these parameters, which by convention are its name. If there is none, it is created.
// Errors of this and the other requests are those of the connection.
func (c *Client) Create(params []byte) error {
	c.body = wire.AppendRoomCreate(c.body[:0], wire.RoomCreate{Params: params})
	return c.conn.Send(wire.KindRoomCreate, c.body)
}

// Join asks for the room with this id.
func (c *Client) Join(room wire.RoomID) error { return c.sendID(wire.KindRoomJoin, room) }

// Leave asks to be let go. When the server has done so, Left is called. Without a room it returns [ErrNotInRoom].
func (c *Client) Leave() error { return c.sendRoom(wire.KindRoomLeave) }

// MapReady says that the map of the room is loaded. Without a room it returns [ErrNotInRoom].
func (c *Client) MapReady() error { return c.sendRoom(wire.KindRoomMapReady) }

func (c *Client) sendRoom(kind wire.Kind) error {
	if !c.in {
		return ErrNotInRoom
	}
	return c.sendID(kind, c.room.Room)
}

func (c *Client) sendID(kind wire.Kind, id wire.RoomID) error {
	c.body = wire.AppendRoomID(c.body[:0], id)
	return c.conn.Send(kind, c.body)
}

// Announce asks for an actor of this client's own. If the server agrees, Spawned is called for it; there is no answer
// if it does not.
//
// The protocol does not tell a client who it is. It finds out from the first actor that appears with the archetype, the
// position and the velocity that it has announced, and knows all its actors from then on. A server of this package
// lets no other appear before that one, unless by [Rooms.Observe].
func (c *Client) Announce(archetype uint16, t wire.Transform) error {
	p := wire.Presence{Archetype: archetype, Transform: t}
	c.body = wire.AppendPresence(c.body[:0], p)
	err := c.conn.Send(wire.KindNAPresence, c.body)
	// A server that answers none of many announcements does not make the list longer than it may make that of
	// actors.
	if err == nil && c.self == 0 && len(c.announced) < c.cfg.MaxActors {
		c.announced = append(c.announced, p)
	}
	return err
}

// SendState says, unreliably, where one of the client's own actors is.
func (c *Client) SendState(object uint32, t wire.Transform) error {
	c.body = wire.AppendState(c.body[:0], wire.State{Object: object, Transform: t})
	return c.conn.SendDatagram(wire.KindNAState, c.body)
}

// SendPosition says, unreliably, where the player is, to be relayed to the others in the room.
func (c *Client) SendPosition(p wire.Position) error {
	c.body = wire.AppendPosition(c.body[:0], p)
	return c.conn.SendDatagram(wire.KindPosition, c.body)
}

// Receive takes an event of the inbox and reports whether it was about rooms, their actors or positions. Closed
// events must come here too, but are nobody's alone: it returns false. Events of other connections are left alone.
func (c *Client) Receive(e citadel.Event) bool {
	if e.Conn == nil || e.Conn.ID() != c.conn.ID() {
		return false
	}
	switch e.Kind {
	case citadel.Frame:
		return c.Frame(e.Envelope)
	case citadel.Datagram:
		return c.Datagram(e.Envelope)
	case citadel.Closed:
		c.Closed()
	}
	return false
}

// Frame is [Client.Receive] for connections that are not citadel's: it takes a reliable envelope and reports whether
// it was about rooms. It borrows the body.
func (c *Client) Frame(e wire.Envelope) bool { return c.receive(e, true) }

// Datagram does for unreliable envelopes what [Client.Frame] does for reliable ones.
func (c *Client) Datagram(e wire.Envelope) bool { return c.receive(e, false) }

// Closed takes the news that the connection is over: the client is in no room any more.
func (c *Client) Closed() { c.leave() }

func (c *Client) receive(e wire.Envelope, reliable bool) bool {
	handle := c.handler(e.Kind)
	switch {
	case handle != nil:
		if !reliable && e.Kind != wire.KindPeerPosition {
			c.stats.Stray++
		} else if handle(c, e.Body) != nil {
			c.stats.Malformed++
		}
		return true
	case toServer(e.Kind):
		c.stats.Stray++
		return true
	}
	return false
}

// toServer reports whether a kind is about rooms, and not for clients.
func toServer(kind wire.Kind) bool {
	switch kind {
	case wire.KindPosition, wire.KindNAPresence, wire.KindNAState, wire.KindRoomCreate, wire.KindRoomJoin, wire.KindRoomMapReady:
		return true
	}
	return false
}

func (c *Client) handler(kind wire.Kind) func(*Client, []byte) error {
	switch kind {
	case wire.KindPeerPosition:
		return (*Client).position
	case wire.KindRoomJoined:
		return (*Client).joined
	case wire.KindRoomLeave:
		return (*Client).removed
	case wire.KindRoomReject:
		return (*Client).rejected
	case wire.KindMatchClosed:
		return (*Client).matchClosed
	case wire.KindNASpawn:
		return (*Client).spawn
	case wire.KindNASpawnBatch:
		return (*Client).spawnBatch
	case wire.KindNADespawn:
		return (*Client).despawn
	}
	return nil
}

func (c *Client) position(body []byte) error {
	t, err := wire.ParseTagged(body)
	if err == nil && c.cfg.Position != nil {
		c.cfg.Position(t.Sender, t.Payload)
	}
	return err
}

func (c *Client) joined(body []byte) error {
	j, err := wire.ParseRoomJoined(body)
	if err != nil {
		return err
	}
	if c.in && c.room.Room != j.Room {
		c.leave() // a server that did not say so
	}
	c.room, c.in = Joined{Room: j.Room, Map: string(j.Map), Mode: string(j.Mode)}, true
	if c.cfg.Joined != nil {
		c.cfg.Joined(c.room)
	}
	return nil
}

func (c *Client) removed(body []byte) error {
	id, err := wire.ParseRoomID(body)
	switch {
	case err != nil:
	case !c.in || c.room.Room != id:
		c.stats.Stale++
	default:
		c.leave()
	}
	return err
}

// leave forgets the room and everything in it.
func (c *Client) leave() {
	for _, object := range c.Actors() {
		c.forget(object)
	}
	if !c.in {
		return
	}
	id := c.room.Room
	c.room, c.in = Joined{}, false
	if c.cfg.Left != nil {
		c.cfg.Left(id)
	}
}

func (c *Client) rejected(body []byte) error {
	r, err := wire.ParseRoomReject(body)
	if err == nil && c.cfg.Rejected != nil {
		c.cfg.Rejected(r.Request, clip(r.Reason))
	}
	return err
}

func (c *Client) matchClosed(body []byte) error {
	m, err := wire.ParseMatchClosed(body)
	switch {
	case err != nil:
	case !c.in || c.room.Room != m.Room:
		c.stats.Stale++
	default:
		if c.cfg.MatchClosed != nil {
			c.cfg.MatchClosed(m)
		}
		if c.in && c.room.Room == m.Room {
			c.leave()
		}
	}
	return err
}

func (c *Client) spawn(body []byte) error {
	a, err := wire.ParseSpawn(body)
	if err != nil {
		return err
	}
	if c.self == 0 && a.Owner != 0 && slices.ContainsFunc(c.announced, func(p wire.Presence) bool { return answers(a, p) }) {
		c.self, c.announced = a.Owner, nil
	}
	c.see(a)
	return nil
}

// answers reports whether an actor is what has been announced. Its rotation may have been normalised.
func answers(a wire.Spawn, p wire.Presence) bool {
	return a.Archetype == p.Archetype &&
		a.Transform.Position == p.Transform.Position && a.Transform.Velocity == p.Transform.Velocity
}

func (c *Client) spawnBatch(body []byte) error {
	batch, err := wire.ParseSpawnBatch(body)
	if err != nil {
		return err
	}
	for i := range batch.Len() {
		c.see(batch.At(i))
	}
	return nil
}

func (c *Client) see(a wire.Spawn) {
	if _, known := c.actors[a.Object]; known {
		c.stats.Stale++
		return
	}
	if len(c.actors) >= c.cfg.MaxActors {
		c.stats.TooMany++
		return
	}
	c.actors[a.Object] = a
	if c.cfg.Spawned != nil {
		c.cfg.Spawned(a, c.self != 0 && a.Owner == c.self)
	}
}

func (c *Client) despawn(body []byte) error {
	d, err := wire.ParseDespawn(body)
	if err == nil && !c.forget(d.Object) {
		c.stats.Stale++
	}
	return err
}

// forget forgets an actor and returns false if there is none.
func (c *Client) forget(object uint32) bool {
	a, ok := c.actors[object]
	if !ok {
		return false
	}
	delete(c.actors, object)
	if c.cfg.Despawned != nil {
		c.cfg.Despawned(a)
	}
	return true
}
