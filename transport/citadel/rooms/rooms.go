package rooms

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Peer is what a server needs of a connection. A [*citadel.Conn] is one. Sending neither blocks nor retains the body;
// errors of it are counted, and come again as the end of the connection if they are serious.
type Peer interface {
	ID() uint64 // not 0, and no other connection has, had or will have it
	Identity() citadel.Identity
	Send(kind wire.Kind, body []byte) error
	SendDatagram(kind wire.Kind, body []byte) error
}

var _ Peer = (*citadel.Conn)(nil)

// Rooms are the rooms of a server. They belong to one goroutine, the game loop.
type Rooms struct {
	cfg       Config
	requests  rate
	positions rate
	predicted map[uint16]bool

	rooms      map[wire.RoomID]*room
	names      map[string]*room // by parameters
	clients    map[uint64]*client
	lastRoom   wire.RoomID
	lastObject uint32
	stats      Stats

	body     []byte       // what is being sent
	spawns   []wire.Spawn // a batch
	news     []func()     // hooks to be called when the operation is over
	settling bool         // they are being called
	asking   bool         // a deciding function is being called
}

// New returns a server's rooms, of which there are none yet. A configuration that cannot work is a [*ConfigError].
func New(cfg Config) (*Rooms, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	r := &Rooms{
		cfg:       cfg,
		requests:  perSecond(cfg.RequestRate, cfg.RequestBurst),
		positions: perSecond(cfg.PositionRate, cfg.PositionBurst),
		predicted: make(map[uint16]bool),
		rooms:     make(map[wire.RoomID]*room),
		names:     make(map[string]*room),
		clients:   make(map[uint64]*client),
	}
	for _, archetype := range cfg.Predicted {
		r.predicted[archetype] = true
	}
	return r, nil
}

// Receive takes an event of the inbox and reports whether it was about rooms, their actors or positions. Closed
// events must come here too, but are nobody's alone: it returns false.
func (r *Rooms) Receive(e citadel.Event) bool {
	switch e.Kind {
	case citadel.Frame:
		return r.Frame(e.Conn, e.Envelope)
	case citadel.Datagram:
		return r.Datagram(e.Conn, e.Envelope)
	case citadel.Closed:
		r.Closed(e.Conn)
	}
	return false
}

// Frame is [Rooms.Receive] for peers that are no citadel connections: it takes a reliable envelope and reports whether
// it was about rooms. It borrows the body.
func (r *Rooms) Frame(p Peer, e wire.Envelope) bool { return r.receive(p, e, true) }

// Datagram does for unreliable envelopes what [Rooms.Frame] does for reliable ones.
func (r *Rooms) Datagram(p Peer, e wire.Envelope) bool { return r.receive(p, e, false) }

// Closed takes the news that a peer is gone: it is no member any more. Nothing of it may come afterwards.
func (r *Rooms) Closed(p Peer) {
	r.begin()
	defer r.settle()
	c := r.clients[p.ID()]
	if c == nil {
		return
	}
	r.leave(c, false)
	delete(r.clients, c.id)
}

func (r *Rooms) receive(p Peer, e wire.Envelope, reliable bool) bool {
	r.begin()
	var err error
	switch e.Kind {
	case wire.KindPosition:
		r.relay(p, e.Body)
		return true
	case wire.KindNAState:
		r.state(p, e.Body)
		return true
	case wire.KindNAPresence, wire.KindRoomCreate, wire.KindRoomJoin, wire.KindRoomLeave, wire.KindRoomMapReady:
		if !reliable {
			r.stats.Drops.Stray++
			return true
		}
	case wire.KindPeerPosition, wire.KindNASpawn, wire.KindNASpawnBatch, wire.KindNADespawn,
		wire.KindRoomJoined, wire.KindRoomReject, wire.KindMatchClosed:
		r.stats.Drops.Stray++
		return true
	default:
		return false
	}
	defer r.settle()
	switch e.Kind {
	case wire.KindNAPresence:
		err = r.presence(p, e.Body)
	case wire.KindRoomCreate:
		err = r.create(p, e.Body)
	case wire.KindRoomJoin:
		err = r.join(p, e.Body)
	case wire.KindRoomLeave:
		err = r.requestLeave(p, e.Body)
	case wire.KindRoomMapReady:
		err = r.mapReady(p, e.Body)
	}
	if err != nil {
		r.stats.Drops.Malformed++
	}
	return true
}

// begin begins what may change something.
func (r *Rooms) begin() {
	if r.asking {
		panic("rooms: a function that decides about the rooms changes them")
	}
}

// ask calls a function that decides.
func (r *Rooms) ask(decide func() error) error {
	r.asking = true
	defer func() { r.asking = false }()
	return decide()
}

// later lets a hook be called when the operation is over and everything fits together again.
func (r *Rooms) later(hook func()) { r.news = append(r.news, hook) }

// settle ends what may have changed something. Of operations that hooks begin, only the outermost one tells.
func (r *Rooms) settle() {
	if r.settling || len(r.news) == 0 {
		return
	}
	r.settling = true
	told := 0
	defer func() {
		r.news = append(r.news[:0], r.news[told:]...) // there is a rest only if a hook panicked
		r.settling = false
	}()
	for told < len(r.news) {
		hook := r.news[told]
		r.news[told] = nil
		told++
		hook()
	}
}

func (r *Rooms) tellRoom(hook func(Room), room Room) {
	if hook != nil {
		r.later(func() { hook(room) })
	}
}

func (r *Rooms) tellMember(hook func(Room, Peer), room Room, p Peer) {
	if hook != nil {
		r.later(func() { hook(room, p) })
	}
}

func (r *Rooms) tellActor(hook func(wire.RoomID, wire.Spawn), room wire.RoomID, actor wire.Spawn) {
	if hook != nil {
		r.later(func() { hook(room, actor) })
	}
}

// send sends what is in r.body reliably.
func (r *Rooms) send(c *client, kind wire.Kind) { r.sent(c.peer.Send(kind, r.body)) }

func (r *Rooms) sent(err error) {
	if err != nil {
		r.stats.Unsent++
	}
}
