package authority

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Limits bound what an identity may cost, over all its objects and connections. Rates are for a second, which is
// also how much may come at once. Zero values are the defaults; a negative rate allows nothing.
type Limits struct {
	BunchesPerSecond float64 // 240
	BytesPerSecond   float64 // 262,144, of proposals and of what is rebroadcast because of them
	FieldsPerSecond  float64 // 2,048
	ItemsPerSecond   float64 // 4,096 elements removed, added or changed
	MaxBunchBytes    int     // 65,536
	MaxBunchFields   int     // 1,024

	// FieldCooldown is how many milliseconds must pass between two changes of a field, whoever makes them. Zero is
	// no cooldown. It does not hold for collections.
	FieldCooldown uint64
}

func (l Limits) withDefaults() Limits {
	return Limits{
		BunchesPerSecond: rate(l.BunchesPerSecond, 240),
		BytesPerSecond:   rate(l.BytesPerSecond, 256<<10),
		FieldsPerSecond:  rate(l.FieldsPerSecond, 2048),
		ItemsPerSecond:   rate(l.ItemsPerSecond, 4096),
		MaxBunchBytes:    cmp.Or(l.MaxBunchBytes, 64<<10),
		MaxBunchFields:   cmp.Or(l.MaxBunchFields, 1024),
		FieldCooldown:    l.FieldCooldown,
	}
}

// Config is what a [Server] goes by. The zero value is the format's defaults.
type Config struct {
	Limits Limits

	// Replica is for the sender underneath. Its Reference is that of this Config.
	Replica replica.Config

	// Veto, if not nil, is asked about every value of a proposal that has passed all checks, except for
	// collections, and returns true for those that are not to be. The others are applied. It must not change
	// anything.
	Veto func(p *Proposal, object *replica.Entity, field int, v *netpeer.Value) bool

	// Reference restores what the format's reference implementation does and this package does not, for
	// conformance tests. See the package documentation for a list.
	Reference bool
}

// Errors of the methods that a game calls. A proposal is rejected with a [Reason].
var (
	ErrUnknownClass = errors.New("authority: class is not registered")
	ErrItems        = errors.New("authority: initial state has another class")
)

// Server decides what becomes of the proposals of clients. Make one with [NewServer].
type Server struct {
	config   Config
	limits   Limits
	sender   *replica.Sender
	classes  map[uint32]*registered
	objects  map[uint32]*object
	members  map[replica.PeerID]*member
	accounts map[replica.PeerID]*account
	roster   map[uint64][]replica.PeerID // who is in a match, ascending
	left     []replica.PeerID            // identities that have left and whose accounts are kept
	hand     int                         // where in left the next sweep begins
	sessions uint64
	now      uint64
	stats    Stats

	scratch Proposal
	buffer  []byte
	fields  []int
	vetoed  []int
	live    liveSet
}

// object is what the server knows of an object besides its state.
type object struct {
	entity     *replica.Entity
	class      *registered
	persistent bool
	epoch      uint64 // goes up with every change of the owner
	changed    []change
	proposers  map[replica.PeerID]*proposer
}

// change is when a field was last changed by a proposal.
type change struct {
	at  uint64
	was bool
}

// proposer is what is known of an identity that has proposed changes of an object.
type proposer struct {
	highest uint64         // token of the last proposal that was applied
	bound   *replica.Class // version of the last full bunch, if that came on the present connection
	session uint64         // the connection
}

// member is a connection that is in a match.
type member struct {
	match   uint64
	guest   bool
	session uint64 // a number of its own for every connection
}

// NewServer returns a server without classes, objects and connections.
func NewServer(c Config) *Server {
	c.Replica.Reference = c.Reference
	return &Server{
		config:   c,
		limits:   c.Limits.withDefaults(),
		sender:   replica.NewSender(c.Replica),
		classes:  make(map[uint32]*registered),
		objects:  make(map[uint32]*object),
		members:  make(map[replica.PeerID]*member),
		accounts: make(map[replica.PeerID]*account),
		roster:   make(map[uint64][]replica.PeerID),
	}
}

// Spec is what an object starts with.
type Spec struct {
	Object, Class uint32
	Match         uint64
	Owner         replica.PeerID // or replica.Nobody

	// Persistent objects outlast the match, and guests may not write them.
	Persistent bool
}

// Spawn adds an object, in place of one with the same id if there is one. Its state, which the caller fills, is that
// of the entity returned: proposals of the object that was there before do not apply to it. It returns
// [ErrUnknownClass].
func (s *Server) Spawn(spec Spec) (*replica.Entity, error) {
	class := s.classes[spec.Class]
	if class == nil {
		return nil, ErrUnknownClass
	}
	s.Despawn(spec.Object)
	e, err := s.sender.Spawn(spec.Object, class.class, spec.Match, spec.Owner)
	if err != nil {
		return nil, err
	}
	s.objects[spec.Object] = &object{
		entity: e, class: class, persistent: spec.Persistent, epoch: 1,
		changed: make([]change, class.class.Len()), proposers: make(map[replica.PeerID]*proposer),
	}
	return e, nil
}

// Despawn removes an object and reports whether it was there.
func (s *Server) Despawn(id uint32) bool {
	delete(s.objects, id)
	return s.sender.Despawn(id)
}

// Entity returns an object, or nil. Its state is the caller's to change at any time; changes go out with
// [Server.Update], or with the next rebroadcast.
func (s *Server) Entity(id uint32) *replica.Entity { return s.sender.Entity(id) }

// SetOwner gives an object to someone else, and returns the new owner epoch. Proposals that were validated before do
// not apply any more, also if the owner is the same. For an object that is not there it returns
// [replica.ErrUnknownObject].
func (s *Server) SetOwner(id uint32, owner replica.PeerID) (epoch uint64, err error) {
	o := s.objects[id]
	if o == nil {
		return 0, replica.ErrUnknownObject
	}
	o.epoch++
	return o.epoch, s.sender.SetOwner(id, owner)
}

// Join puts a connection into a match, where it looks from the origin. The peer id is that of the identity behind
// the connection, an account for instance: what it may cost, and which tokens it has used, outlive the connection.
// Joining again starts without a baseline and without a schema.
func (s *Server) Join(id replica.PeerID, match uint64, guest bool) {
	s.strike(id)
	s.sender.Join(id, match)
	s.sessions++
	s.members[id] = &member{match: match, guest: guest, session: s.sessions}
	at, _ := slices.BinarySearch(s.roster[match], id)
	s.roster[match] = slices.Insert(s.roster[match], at, id)
	if old := s.accounts[id]; old == nil || s.config.Reference {
		s.accounts[id] = newAccount(&s.limits)
		s.accounts[id].left = old != nil && old.left
	}
	s.sweep()
}

// Leave takes a connection out of its match and reports whether it was in one.
func (s *Server) Leave(id replica.PeerID) bool {
	if s.members[id] == nil {
		return false
	}
	s.strike(id)
	delete(s.members, id)
	if a := s.accounts[id]; !a.left {
		a.left = true
		s.left = append(s.left, id)
	}
	s.sweep()
	return s.sender.Leave(id)
}

// strike takes a connection off the list of its match.
func (s *Server) strike(id replica.PeerID) {
	m := s.members[id]
	if m == nil {
		return
	}
	list := s.roster[m.match]
	if at, ok := slices.BinarySearch(list, id); ok {
		list = slices.Delete(list, at, at+1)
	}
	if s.roster[m.match] = list; len(list) == 0 {
		delete(s.roster, m.match)
	}
}

// known returns what is known of a member with respect to an object, with nothing from former connections but the
// tokens used there, and for the reference not even these.
func (s *Server) known(o *object, from replica.PeerID, m *member) *proposer {
	p := o.proposers[from]
	if p != nil && p.session != m.session {
		p.session, p.bound = m.session, nil
		if s.config.Reference {
			p.highest = 0
		}
	}
	return p
}

// sweepStep is how many of those who have left are looked at whenever somebody joins or leaves. At more than one for
// each of them the list is gone through before it has doubled, and no crowd makes a sweep long.
const sweepStep = 4

// sweep forgets the accounts of those who have left once they are as good as new, so that there are never many more
// of them than identities that were here within the last seconds.
func (s *Server) sweep() {
	for range min(sweepStep, len(s.left)) {
		if s.hand >= len(s.left) {
			s.hand = 0
		}
		id := s.left[s.hand]
		a, back := s.accounts[id], s.members[id] != nil
		if !back && !a.full(s.now) {
			s.hand++
			continue
		}
		if a.left = false; !back {
			delete(s.accounts, id)
		}
		last := len(s.left) - 1
		s.left[s.hand] = s.left[last]
		s.left = s.left[:last]
	}
}

// Look puts the viewpoint of a connection somewhere.
func (s *Server) Look(id replica.PeerID, position [3]float32) error {
	return s.sender.Look(id, position)
}

// Move puts an object somewhere.
func (s *Server) Move(id uint32, position [3]float32) error { return s.sender.Move(id, position) }

// Sender returns the sender underneath, for forcing full bunches, custom conditions and the tick. Objects and
// receivers are to be added and removed by the methods of the server.
func (s *Server) Sender() *replica.Sender { return s.sender }

// Stats returns what became of the proposals so far.
func (s *Server) Stats() Stats { return s.stats }

// Ack takes the body of a wire.KindRepAck envelope of a connection. See [replica.Sender.Ack].
func (s *Server) Ack(from replica.PeerID, body []byte) error {
	_, err := s.sender.Ack(from, body)
	return err
}

// Emit is given what is to be sent: to whom, in an envelope of which kind, and its body, which it must not retain. It
// must not call the server, which is in the middle of something.
type Emit func(to replica.PeerID, kind wire.Kind, body []byte)

// Bootstrap sends a connection what it needs to begin: the table of schemas, and every relevant object in full, by
// ids, as its peers see it. What only an owner or a new receiver sees comes with the first [Server.Update], in a full
// bunch of its own. Bootstrap does nothing for a connection that is in no match.
func (s *Server) Bootstrap(id replica.PeerID, emit Emit) error {
	if s.members[id] == nil {
		return nil
	}
	entries := make([]netpeer.TableEntry, 0, len(s.classes))
	for _, class := range slices.Sorted(maps.Keys(s.classes)) {
		entries = append(entries, s.classes[class].class.TableEntry())
	}
	body, err := netpeer.AppendTable(s.buffer[:0], entries)
	if err != nil {
		return err
	}
	emit(id, wire.KindRepSchema, body)
	for _, object := range s.sender.Relevant(id) {
		if err := s.sender.ForceFull(id, object); err != nil {
			return err
		}
		if body, _, err = s.sender.AppendBunch(body[:0], id, object, replica.Peer); err != nil {
			return err
		}
		emit(id, wire.KindRepDelta, body)
	}
	s.buffer = body[:0]
	return nil
}

// Update sends a connection what has changed of its relevant objects since it last acknowledged, whoever changed it:
// what a server does with every tick for what it changes itself. Unlike rebroadcasts it follows the conditions of
// the fields, so that an owner gets what is for owners.
func (s *Server) Update(id replica.PeerID, emit Emit) error {
	if s.members[id] == nil {
		return nil
	}
	return s.sender.Send(id, func(_ uint32, body []byte) error {
		emit(id, wire.KindRepDelta, body)
		return nil
	})
}
