package replica

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// PeerID names a receiver, or who an object belongs to. The application gives the numbers.
type PeerID uint64

// Nobody is the owner of what belongs to the server.
const Nobody PeerID = 0

// What a sender is asked for and does not have.
var (
	ErrUnknownObject = errors.New("replica: no such object")
	ErrUnknownPeer   = errors.New("replica: no such receiver")
	ErrObjectExists  = errors.New("replica: object id is in use")
)

// Config is what a [Sender] goes by. The zero value is the format's defaults.
type Config struct {
	// MaxPending is how many states of an object may be unacknowledged at a receiver before a full bunch. The
	// default is 64.
	MaxPending int

	// MaxItems is how many elements a collection may have for differences to be made; an object with a larger one
	// is always sent in full. The default is 4,096.
	MaxItems int

	// AckTimeout is after how many ticks without an acknowledgement the next bunch is a full one. The default is
	// 120.
	AckTimeout uint64

	// Resend is how many ticks [Sender.Send] waits for an acknowledgement before it sends once more what has not
	// changed since. It waits twice as long each time, up to AckTimeout. The default is 8; 1 is every tick at first.
	Resend uint64

	// CellSize and Radius say what is relevant, see package interest. The defaults are 100, and 100 to enter and
	// 125 to leave.
	CellSize float32
	Radius   interest.Radius

	// LastToken is a token that was used before: those that the sender gives out are above it.
	LastToken uint64

	// Unshared packs the values of every bunch anew, instead of once for all receivers with the same baseline. The
	// bytes are the same.
	Unshared bool

	// Reference restores what the format's reference implementation does and this package does not, for
	// conformance tests. See the package documentation for a list.
	Reference bool
}

func (c Config) withDefaults() Config {
	if c.MaxPending <= 0 {
		c.MaxPending = 64
	}
	if c.MaxItems <= 0 {
		c.MaxItems = 4096
	}
	if c.AckTimeout == 0 {
		c.AckTimeout = 120
	}
	if c.Resend == 0 {
		c.Resend = 8
	}
	if c.CellSize == 0 {
		c.CellSize = 100
	}
	if c.Radius == (interest.Radius{}) {
		c.Radius = interest.Radius{Enter: 100, Leave: 125}
	}
	return c
}

// Sender replicates objects to receivers. Make one with [NewSender].
type Sender struct {
	config   Config
	ids      baseline.IDs[uint64]
	tick     uint64
	spawned  uint64
	moves    uint64
	entities map[uint32]*Entity
	peers    map[PeerID]*peer
	grids    map[uint64]*grid
	nowhere  *grid // of the groups without objects

	differ          differ
	bunch           netpeer.Bunch
	payload         payload // for a receiver for which the object keeps none
	buffer          []byte
	acks            []netpeer.AckEntry
	entered, exited []uint32
}

// grid is where the objects of a group are.
type grid struct {
	*interest.Grid[uint32]
	changed uint64 // the sender's count of moves when an object last moved, came or went
}

// peer is a receiver.
type peer struct {
	id       PeerID
	group    uint64
	position [3]float32
	view     interest.View[uint32]
	seen     uint64 // what grid.changed was when the view was made
	moved    bool
	links    map[uint32]*link
	relevant []*link // of the view, ascending by id
}

// NewSender returns a sender without objects and receivers.
func NewSender(c Config) *Sender {
	c = c.withDefaults()
	return &Sender{
		config:   c,
		ids:      baseline.IDs[uint64]{Last: c.LastToken},
		entities: make(map[uint32]*Entity),
		peers:    make(map[PeerID]*peer),
		grids:    make(map[uint64]*grid),
		nowhere:  &grid{Grid: interest.NewGrid[uint32](c.CellSize)},
		differ:   differ{byKey: c.Reference},
	}
}

// Spawn adds an object to a group, at the origin. Only receivers of the group get it. It returns [ErrObjectExists].
func (s *Sender) Spawn(id uint32, c *Class, group uint64, owner PeerID) (*Entity, error) {
	if s.entities[id] != nil {
		return nil, ErrObjectExists
	}
	s.spawned++
	e := &Entity{
		id: id, class: c, group: group, owner: owner, generation: s.spawned,
		state: NewState(c), dirty: NewFields(c.Len()),
	}
	if s.config.Reference {
		e.state.exact = make([]exact, c.Len())
	}
	s.entities[id] = e
	s.move(e, [3]float32{})
	return e, nil
}

// Despawn removes an object and reports whether it was there. The id may be used again: what receivers acknowledge
// of the old object does not count for the new one.
func (s *Sender) Despawn(id uint32) bool {
	e := s.entities[id]
	if e == nil {
		return false
	}
	delete(s.entities, id)
	g := s.grid(e.group)
	g.Remove(id)
	s.moves++
	if g.changed = s.moves; g.Len() == 0 {
		delete(s.grids, e.group)
	}
	for _, p := range s.peers {
		if l := p.links[id]; l != nil {
			delete(p.links, id)
			p.relevant = slices.DeleteFunc(p.relevant, func(r *link) bool { return r == l })
		}
	}
	e.gone = true
	return true
}

// Entity returns an object, or nil.
func (s *Sender) Entity(id uint32) *Entity { return s.entities[id] }

// SetOwner gives an object to someone else. If that changes which fields somebody sees, the next bunch to them is a
// full one.
func (s *Sender) SetOwner(id uint32, owner PeerID) error {
	e := s.entities[id]
	if e == nil {
		return ErrUnknownObject
	}
	e.owner = owner
	return nil
}

// Move puts an object somewhere.
func (s *Sender) Move(id uint32, position [3]float32) error {
	e := s.entities[id]
	if e == nil {
		return ErrUnknownObject
	}
	s.move(e, position)
	return nil
}

// Join adds a receiver to a group, at the origin. One that is there already starts from nothing.
func (s *Sender) Join(id PeerID, group uint64) {
	s.Leave(id)
	s.peers[id] = &peer{id: id, group: group, moved: true, links: make(map[uint32]*link)}
}

// Leave removes a receiver and reports whether it was there.
func (s *Sender) Leave(id PeerID) bool {
	p := s.peers[id]
	if p == nil {
		return false
	}
	for _, l := range p.links {
		l.forget()
	}
	delete(s.peers, id)
	return true
}

// Look puts the viewpoint of a receiver somewhere.
func (s *Sender) Look(id PeerID, position [3]float32) error {
	p := s.peers[id]
	if p == nil {
		return ErrUnknownPeer
	}
	p.position, p.moved = position, true
	return nil
}

// Admit says whether a receiver is to see a field with the condition schema.Custom. Nobody does unless admitted, and
// who is remains so, also while the object is not relevant, until the object is despawned or the receiver leaves. A
// change makes the next bunch a full one. It returns [ErrUnknownPeer], [ErrUnknownObject], and [netpeer.ErrField]
// for a field with another condition.
func (s *Sender) Admit(to PeerID, object uint32, field int, yes bool) error {
	p, e := s.peers[to], s.entities[object]
	switch {
	case p == nil:
		return ErrUnknownPeer
	case e == nil:
		return ErrUnknownObject
	case !e.class.custom.Has(field):
		return netpeer.ErrField
	}
	l := s.link(p, e)
	if l.custom.Has(field) == yes {
		return nil
	}
	if l.custom == nil {
		l.custom = NewFields(e.class.Len())
	}
	if l.custom.Remove(field); yes {
		l.custom.Add(field)
	}
	l.forget()
	return nil
}

// Advance begins the next tick.
func (s *Sender) Advance() { s.tick++ }

// Relevant brings up to date which objects a receiver is to know about, and returns their ids in ascending order;
// they are valid until the next call. What the receiver had of an object that is relevant no longer is forgotten:
// when it becomes so again, the first bunch is a full one. For a receiver that is not there it returns nil.
func (s *Sender) Relevant(id PeerID) []uint32 {
	p := s.peers[id]
	if p == nil {
		return nil
	}
	g := s.grids[p.group]
	if g == nil {
		g = s.nowhere
	}
	if !p.moved && p.seen == g.changed && p.seen != 0 {
		return p.view.IDs()
	}
	s.entered, s.exited = p.view.Update(g.Grid, p.position, s.config.Radius, s.entered[:0], s.exited[:0])
	p.moved, p.seen = false, g.changed
	for _, object := range s.exited {
		if l := p.links[object]; l != nil {
			if l.forget(); l.custom.Empty() {
				delete(p.links, object) // else it knows what the receiver is admitted to
			}
		}
	}
	if len(s.entered)+len(s.exited) > 0 || len(p.relevant) != p.view.Len() {
		p.relevant = p.relevant[:0]
		for _, object := range p.view.IDs() {
			p.relevant = append(p.relevant, s.link(p, s.entities[object]))
		}
	}
	return p.view.IDs()
}

// Send makes the bunches of a tick for a receiver, one for each object that is relevant and of which the receiver
// is not known to have the present state, in ascending order of ids. It gives them to emit, which must not retain
// them, and stops at the first error emit returns. Errors of encoding are returned too, after the other objects
// were served.
func (s *Sender) Send(to PeerID, emit func(object uint32, body []byte) error) error {
	p := s.peers[to]
	if p == nil {
		return ErrUnknownPeer
	}
	s.Relevant(to)
	var failed error
	for _, l := range p.relevant {
		e := l.entity
		latest := e.freeze()
		if role := roleOf(e, to); l.idle(latest) && l.role == role || s.waits(l, latest, role) {
			continue
		}
		body, h, err := s.build(s.buffer[:0], l, roleOf(e, to))
		s.buffer = body[:0]
		if err != nil {
			failed = cmp.Or(failed, fmt.Errorf("object %d: %w", e.id, err))
			continue
		}
		if h.Result == 0 {
			continue
		}
		if err := emit(e.id, body); err != nil {
			l.unsent()
			return err
		}
	}
	return failed
}

// waits reports whether a receiver may have what there is, and is given the time to say so.
func (s *Sender) waits(l *link, latest *snapshot, role Role) bool {
	if len(l.pending) == 0 || l.role != role {
		return false
	}
	last := &l.pending[len(l.pending)-1]
	if last.sent != latest {
		return false
	}
	patience := s.config.AckTimeout
	if l.repeats < 32 {
		patience = min(patience, s.config.Resend<<l.repeats)
	}
	return s.tick-last.tick < patience
}

func roleOf(e *Entity, p PeerID) Role {
	if e.owner == p && p != Nobody {
		return Owner
	}
	return Observer
}

// AppendBunch appends what a receiver needs to come to the present state of an object, whether or not the object is
// relevant to it, and returns the header of the bunch. If the receiver needs nothing, that is zero and dst is as it
// was; so it is after an error, and then no token is used. It returns [ErrUnknownPeer], [ErrUnknownObject] or an
// error of [netpeer.Schema.AppendBunch].
//
// The role says what the receiver sees. If it is another than the last time, the bunch is a full one.
func (s *Sender) AppendBunch(dst []byte, to PeerID, object uint32, as Role) ([]byte, netpeer.Header, error) {
	p, e := s.peers[to], s.entities[object]
	switch {
	case p == nil:
		return dst, netpeer.Header{}, ErrUnknownPeer
	case e == nil:
		return dst, netpeer.Header{}, ErrUnknownObject
	}
	return s.build(dst, s.link(p, e), as)
}

// RoleOf returns the role in which a receiver got its last bunch of an object, or [Peer] if it has got none.
func (s *Sender) RoleOf(to PeerID, object uint32) Role {
	if p := s.peers[to]; p != nil && p.links[object] != nil {
		return p.links[object].role
	}
	return Peer
}

// NextToken returns a token that no bunch has, for one that the caller makes himself. After the last there is it
// returns [baseline.ErrExhausted].
func (s *Sender) NextToken() (uint64, error) { return s.ids.Next() }

// ForceFull makes the next bunch of an object to a receiver a full one.
func (s *Sender) ForceFull(to PeerID, object uint32) error {
	p := s.peers[to]
	if p == nil {
		return ErrUnknownPeer
	}
	if l := p.links[object]; l != nil {
		l.forget()
	}
	return nil
}

// Ack takes the body of a wire.KindRepAck envelope of a receiver, as a whole or not at all, and returns how many
// baselines it moved. Entries of objects that the receiver was never sent, of tokens that were not sent or whose
// states are no longer kept, and such that are older than the baseline change nothing; so do those with a history
// and no latest token. It returns [ErrUnknownPeer] or an error of [netpeer.ParseAcks].
func (s *Sender) Ack(from PeerID, body []byte) (moved int, err error) {
	p := s.peers[from]
	if p == nil {
		return 0, ErrUnknownPeer
	}
	if err := netpeer.ParseAcks(body, &s.acks); err != nil {
		return 0, err
	}
	for _, a := range s.acks {
		if _, ok, _ := p.ack(a.Object, a.Result, a.History); ok {
			moved++
		}
	}
	return moved, nil
}

// ack takes the window of the receiver for one object.
func (p *peer) ack(object uint32, latest uint64, history uint32) (id uint64, moved bool, err error) {
	w, err := baseline.FromWire(latest, history)
	if err != nil {
		return 0, false, err
	}
	if l := p.links[object]; l != nil {
		id, moved = l.ack(w)
	}
	return id, moved, nil
}

// Baseline returns the token of the state that a receiver has acknowledged last of an object, zero if there is
// none, and how many states are kept that it may yet acknowledge.
func (s *Sender) Baseline(to PeerID, object uint32) (acked uint64, pending int) {
	if p := s.peers[to]; p != nil && p.links[object] != nil {
		l := p.links[object]
		return l.ackedID, len(l.pending)
	}
	return 0, 0
}

func (s *Sender) grid(group uint64) *grid {
	g := s.grids[group]
	if g == nil {
		g = &grid{Grid: interest.NewGrid[uint32](s.config.CellSize)}
		s.grids[group] = g
	}
	return g
}

func (s *Sender) move(e *Entity, position [3]float32) {
	g := s.grid(e.group)
	if old, ok := g.Position(e.id); ok && old == position {
		return
	}
	g.Move(e.id, position)
	s.moves++
	g.changed = s.moves
}

func (s *Sender) link(p *peer, e *Entity) *link {
	l := p.links[e.id]
	if l == nil {
		l = newLink(e, s.config.Reference)
		p.links[e.id] = l
	}
	return l
}
