package authority_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const (
	simSeeds    = 300
	simClients  = 5
	simObjects  = 6
	simTicks    = 150 // in which things happen
	simCalm     = 200 // in which they come to rest
	simMaxDelay = 6
)

// simCounts is what happened in simulations. Each must have.
type simCounts struct {
	fulls, deltas, applied, stale, missing, strangers   int
	lost, acksLost, ackGaps, flaps, respawns, transfers int
	crashes, rejoins, accepted, rejected, overtaken     int
	vetoes, corrections, compared                       int
}

// TestSimulation runs a server and its clients over bad networks and checks two things. Whatever a client applies,
// it then shows what the server had when it made that bunch, of the fields that the client may see, and nothing
// else. And when everything has come to rest, every client shows the server's state of every object that is
// relevant to it, and nothing is sent any more.
func TestSimulation(t *testing.T) {
	var total simCounts
	for seed := range uint64(simSeeds) {
		s := newSim(t, seed)
		s.run()
		require.Greater(t, s.n.applied, 50, "seed %d", seed)
		require.Greater(t, s.n.compared, 0, "seed %d", seed)
		total.add(s.n)
	}
	t.Logf("%d seeds: %+v", simSeeds, total)
	for name, n := range total.all() {
		require.Greater(t, n, simSeeds/10, name)
	}
}

func (c *simCounts) all() map[string]int {
	return map[string]int{
		"fulls": c.fulls, "deltas": c.deltas, "applied": c.applied, "stale": c.stale, "missing": c.missing,
		"strangers": c.strangers, "lost": c.lost, "acksLost": c.acksLost, "ackGaps": c.ackGaps, "flaps": c.flaps,
		"respawns": c.respawns, "transfers": c.transfers, "crashes": c.crashes, "rejoins": c.rejoins,
		"accepted": c.accepted, "rejected": c.rejected, "overtaken": c.overtaken, "vetoes": c.vetoes,
		"corrections": c.corrections, "compared": c.compared,
	}
}

func (c *simCounts) add(o simCounts) {
	c.fulls, c.deltas, c.applied, c.stale = c.fulls+o.fulls, c.deltas+o.deltas, c.applied+o.applied, c.stale+o.stale
	c.missing, c.strangers, c.lost, c.acksLost = c.missing+o.missing, c.strangers+o.strangers, c.lost+o.lost, c.acksLost+o.acksLost
	c.ackGaps, c.flaps, c.respawns, c.transfers = c.ackGaps+o.ackGaps, c.flaps+o.flaps, c.respawns+o.respawns, c.transfers+o.transfers
	c.crashes, c.rejoins, c.accepted, c.rejected = c.crashes+o.crashes, c.rejoins+o.rejoins, c.accepted+o.accepted, c.rejected+o.rejected
	c.overtaken, c.vetoes, c.corrections, c.compared = c.overtaken+o.overtaken, c.vetoes+o.vetoes, c.corrections+o.corrections, c.compared+o.compared
}

type sim struct {
	t        *testing.T
	seed     uint64
	rng      *rand.Rand
	s        *authority.Server
	clients  []*simClient
	expected map[uint64]expectation // by token
	reliable bool
	chaos    bool
	tick     int
	n        simCounts
}

// expectation is what a client must show after a bunch.
type expectation struct {
	values     []netpeer.Value
	correction bool
}

type packet struct {
	at   int
	kind wire.Kind
	body []byte
}

type simClient struct {
	id       replica.PeerID
	r        *replica.Receiver
	down, up []packet
	lastDown int // when the last packet of a reliable link arrives
	lastUp   int
	mute     int // until when acknowledgements are lost
	owns     map[uint32]int
	authors  map[uint32]*replica.Author
	notices  []notice
	far      bool
	stranger bool // has another version of the class
}

// notice is what a client learns from elsewhere about an object.
type notice struct {
	at      int
	object  uint32
	own     bool
	respawn bool
}

func newSim(t *testing.T, seed uint64) *sim {
	s := &sim{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), expected: make(map[uint64]expectation),
		reliable: seed%3 == 0, chaos: true,
	}
	s.s = authority.NewServer(authority.Config{
		Replica: replica.Config{AckTimeout: 30, Resend: seed % 4, Unshared: seed%5 == 0},
		Veto: func(_ *authority.Proposal, _ *replica.Entity, field int, v *netpeer.Value) bool {
			n, err := v.Int(unitClass.Schema().Field(field))
			veto := field == fieldHealth && err == nil && n%5 == 0
			if veto {
				s.n.vetoes++
			}
			return veto
		},
	})
	require.NoError(t, s.s.RegisterVersions(unitClass, 2, oldUnitClass))
	require.NoError(t, s.s.Register(crateClass))
	for i := range simClients {
		c := &simClient{id: replica.PeerID(i + 1), owns: make(map[uint32]int), authors: make(map[uint32]*replica.Author)}
		c.stranger = i == simClients-1
		s.clients = append(s.clients, c)
		c.r = s.receiver(c)
		s.s.Join(c.id, 1, false)
		require.NoError(t, s.s.Bootstrap(c.id, s.emit(replica.Nobody)))
	}
	for object := range uint32(simObjects) {
		s.spawn(object, s.anyone())
	}
	return s
}

func (s *sim) receiver(c *simClient) *replica.Receiver {
	if c.stranger {
		return replica.NewReceiver(0, oldUnitClass, crateClass)
	}
	return replica.NewReceiver(0, unitClass, crateClass)
}

func (s *sim) anyone() replica.PeerID { return replica.PeerID(s.rng.IntN(simClients)) } // 0 is nobody

func (s *sim) spawn(object uint32, owner replica.PeerID) {
	spec := authority.Spec{Object: object, Class: unitClass.ID(), Match: 1, Owner: owner}
	if object%3 == 2 {
		spec.Class = crateClass.ID()
	}
	e, err := s.s.Spawn(spec)
	require.NoError(s.t, err)
	for i := range e.Class().Len() {
		if spec.Class == crateClass.ID() || s.rng.IntN(2) == 0 {
			s.change(e, i)
		}
	}
	s.tell(object, owner, true)
}

// tell lets clients learn who owns an object, some time later.
func (s *sim) tell(object uint32, owner replica.PeerID, respawn bool) {
	for _, c := range s.clients {
		c.notices = append(c.notices, notice{s.tick + s.rng.IntN(simMaxDelay), object, c.id == owner, respawn})
	}
}

// change sets a field of a server's object to anything.
func (s *sim) change(e *replica.Entity, field int) {
	st, f := e.State(), e.Class().Schema().Field(field)
	var err error
	switch f.Kind() {
	case netpeer.KindBool:
		err = st.SetBool(field, s.rng.IntN(2) == 0)
	case netpeer.KindInt:
		err = st.SetInt(field, s.rng.Int64N(100))
	case netpeer.KindScalar:
		err = st.SetScalar(field, s.rng.Float32())
	case netpeer.KindVector:
		err = st.SetVector(field, [3]float32{100 * s.rng.Float32(), s.rng.Float32(), 1})
	case netpeer.KindBytes:
		err = st.SetBytes(field, make([]byte, s.rng.IntN(8)))
	case netpeer.KindCollection:
		id := netpeer.ElementID{Index: uint32(s.rng.IntN(4)), Generation: uint32(s.rng.IntN(2))}
		if s.rng.IntN(3) == 0 {
			_ = st.RemoveItem(field, id)
			return
		}
		var v netpeer.Value
		if f.Item().Kind() == netpeer.KindInt {
			v, err = f.Item().Int(s.rng.Int64N(1000))
		} else {
			v, err = f.Item().Bytes(make([]byte, s.rng.IntN(8)))
		}
		require.NoError(s.t, err)
		if err = st.PutItem(field, netpeer.Element{ID: id, Key: uint64(1 + s.tick), Value: v}); errors.Is(err, replica.ErrTooManyItems) {
			err = nil
		}
	}
	require.NoError(s.t, err)
}

func (s *sim) run() {
	for s.tick = 1; s.tick <= simTicks; s.tick++ {
		s.happen()
		s.step()
	}
	s.chaos = false
	// The last changes, after which a client that has lost its states without anybody's knowledge gets differences
	// to them, and, as it does not acknowledge these, full bunches.
	for object := range uint32(simObjects) {
		e, field := s.s.Entity(object), fieldScore
		if e.Class() == crateClass {
			field = 0
		}
		require.NoError(s.t, e.State().SetInt(field, (e.State().Int(field)+1)%10))
	}
	for _, c := range s.clients {
		require.NoError(s.t, s.s.Look(c.id, [3]float32{}))
	}
	for ; s.tick <= simTicks+simCalm; s.tick++ {
		s.step()
	}
	s.compare()
}

// happen lets things happen to the world.
func (s *sim) happen() {
	for object := range uint32(simObjects) {
		e := s.s.Entity(object)
		if s.rng.IntN(3) == 0 {
			s.change(e, s.rng.IntN(e.Class().Len()))
		}
		switch s.rng.IntN(120) {
		case 0:
			s.spawn(object, s.anyone())
			s.n.respawns++
		case 1, 2, 3:
			owner := s.anyone()
			_, err := s.s.SetOwner(object, owner)
			require.NoError(s.t, err)
			s.tell(object, owner, false)
			s.n.transfers++
		}
	}
	for _, c := range s.clients {
		switch s.rng.IntN(100) {
		case 0, 1, 2:
			if c.far = !c.far; c.far {
				s.n.flaps++
				require.NoError(s.t, s.s.Look(c.id, [3]float32{500, 0, 0}))
			} else {
				require.NoError(s.t, s.s.Look(c.id, [3]float32{float32(s.rng.IntN(90)), 0, 0}))
			}
		case 3:
			c.mute = s.tick + s.rng.IntN(100)
			s.n.ackGaps++
		case 4:
			c.r = s.receiver(c) // it has lost everything, and the server does not know
			for object := range c.owns {
				c.r.Own(object, true)
			}
			s.n.crashes++
		case 5:
			c.down, c.up = nil, nil
			s.s.Leave(c.id)
			s.s.Join(c.id, 1, false)
			c.r, c.far = s.receiver(c), false
			for _, a := range c.authors {
				a.Reset(nil)
			}
			for object := range c.owns {
				c.r.Own(object, true)
			}
			require.NoError(s.t, s.s.Bootstrap(c.id, s.emit(replica.Nobody)))
			s.n.rejoins++
		}
		s.propose(c)
	}
}

// propose lets a client propose something for an object that it takes for its own, or, seldom, for another.
func (s *sim) propose(c *simClient) {
	object := uint32(s.rng.IntN(simObjects))
	if _, owned := c.owns[object]; !owned && s.rng.IntN(20) > 0 {
		return
	}
	class := unitClass
	if object%3 == 2 {
		class = crateClass
	}
	a := c.authors[object]
	if a == nil {
		a = replica.NewAuthor(class, object, 0)
		c.authors[object] = a
	}
	draft := a.Begin(nil)
	if class == crateClass {
		draft.Int(0, s.rng.Int64N(10))
	} else {
		if s.rng.IntN(2) == 0 {
			draft.Bool(fieldAlive, s.rng.IntN(2) == 0)
		}
		if s.rng.IntN(2) == 0 {
			draft.Int(fieldHealth, s.rng.Int64N(105)) // above 100 is out of bounds
		}
		if s.rng.IntN(3) == 0 {
			draft.Vector(fieldAim, [3]float32{s.rng.Float32(), 2, 3})
		}
		if s.rng.IntN(3) == 0 {
			draft.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{
				item(s.t, uint32(s.rng.IntN(8)), uint32(s.rng.IntN(2)), 1, s.rng.Int64N(1000)),
			}})
		}
		if s.rng.IntN(30) == 0 {
			draft.Int(fieldScore, 9)
		}
	}
	body, err := a.End()
	require.NoError(s.t, err)
	at := max(c.lastUp, s.tick+1+s.rng.IntN(simMaxDelay))
	c.lastUp = at
	c.up = append(c.up, packet{at, wire.KindRepDelta, body})
}

// step is a tick of the server and of the network.
func (s *sim) step() {
	s.s.Sender().Advance()
	for _, c := range s.clients {
		s.learn(c)
		s.toServer(c)
	}
	for _, c := range s.clients {
		require.NoError(s.t, s.s.Update(c.id, s.emit(replica.Nobody)))
	}
	for _, c := range s.clients {
		s.toClient(c)
		s.acknowledge(c)
	}
}

func (s *sim) learn(c *simClient) {
	c.notices = slices.DeleteFunc(c.notices, func(n notice) bool {
		if n.at > s.tick {
			return false
		}
		if a := c.authors[n.object]; a != nil && n.respawn {
			a.Reset(nil)
		}
		if n.own {
			c.owns[n.object] = 0
			c.r.Own(n.object, true)
		} else if _, owned := c.owns[n.object]; owned {
			c.owns[n.object] = s.tick + 3*simMaxDelay // until no correction can be under way
		}
		return true
	})
	for object, until := range c.owns {
		if until > 0 && s.tick >= until {
			delete(c.owns, object)
			c.r.Own(object, false)
		}
	}
}

func (s *sim) toServer(c *simClient) {
	c.up = slices.DeleteFunc(c.up, func(p packet) bool {
		if p.at > s.tick {
			return false
		}
		if p.kind == wire.KindRepAck {
			require.NoError(s.t, s.s.Ack(c.id, p.body))
			return true
		}
		// Ownership may change between validating and applying.
		var proposal authority.Proposal
		err := s.s.Validate(c.id, uint64(s.tick*100), p.body, &proposal)
		if err == nil && s.chaos && s.rng.IntN(10) == 0 {
			_, err := s.s.SetOwner(proposal.Object, c.id)
			require.NoError(s.t, err)
		}
		if err == nil {
			err = s.s.Apply(&proposal, s.emit(c.id))
		}
		switch {
		case err == nil:
			s.n.accepted++
		case errors.Is(err, authority.Overtaken):
			s.n.overtaken++
		default:
			s.n.rejected++
		}
		return true
	})
}

// emit sends packets to clients and remembers what they must lead to. What goes to the client whose proposal is being
// applied is a correction.
func (s *sim) emit(from replica.PeerID) authority.Emit {
	return func(to replica.PeerID, kind wire.Kind, body []byte) {
		c := s.clients[to-1]
		if kind == wire.KindRepDelta {
			s.expect(to, body, to == from)
		}
		lossy := !s.reliable && s.chaos && kind == wire.KindRepDelta
		if lossy && s.rng.IntN(4) == 0 {
			s.n.lost++
			return
		}
		at := s.tick + s.rng.IntN(simMaxDelay)
		if !lossy {
			at = max(at, c.lastDown)
			c.lastDown = at
		}
		c.down = append(c.down, packet{at, kind, append([]byte(nil), body...)})
	}
}

func (s *sim) expect(to replica.PeerID, body []byte, correction bool) {
	h, err := netpeer.PeekHeader(body)
	require.NoError(s.t, err)
	if _, used := s.expected[h.Result]; used {
		s.t.Fatalf("seed %d: token %d was used again", s.seed, h.Result)
	}
	e := s.s.Entity(h.Object)
	if correction {
		s.expected[h.Result] = expectation{correction: true}
		return
	}
	values := make([]netpeer.Value, e.Class().Len())
	if h.Full {
		s.n.fulls++
	} else {
		s.n.deltas++
		copy(values, s.expected[h.Base].values)
	}
	role := s.s.Sender().RoleOf(to, h.Object)
	for i := range values {
		delta, first := simSees(role, e.Class().Layout().Properties[i].Condition)
		switch seen := delta || h.Full && first; {
		case seen:
			values[i] = e.State().Value(i)
		case h.Full && e.Class().Schema().Field(i).Kind() == netpeer.KindCollection:
			values[i], err = e.Class().Schema().Field(i).Collection(&netpeer.CollectionDelta{})
			require.NoError(s.t, err)
		}
	}
	s.expected[h.Result] = expectation{values: values}
}

// simSees is the table of conditions once more: who sees a field in differences, and who in full bunches.
func simSees(role replica.Role, c schema.Condition) (delta, full bool) {
	owner, peer := role == replica.Owner, role == replica.Peer
	delta = map[schema.Condition]bool{
		schema.Always: true, schema.OwnerOnly: owner, schema.SkipOwner: !owner, schema.SimulatedOnly: !owner,
		schema.AutonomousOnly: owner,
	}[c]
	return delta, delta || c == schema.InitialOnly && !peer
}

func (s *sim) toClient(c *simClient) {
	late := c.down[:0:0]
	var now []packet
	for _, p := range c.down {
		if p.at > s.tick {
			late = append(late, p)
		} else {
			now = append(now, p)
		}
	}
	c.down = late
	if !s.reliable && s.chaos {
		s.rng.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
	}
	for _, p := range now {
		if p.kind == wire.KindRepSchema {
			err := c.r.Table(p.body)
			require.Equal(s.t, c.stranger, errors.Is(err, replica.ErrUnknownClass))
			continue
		}
		s.apply(c, p.body)
	}
}

func (s *sim) apply(c *simClient, body []byte) {
	h, err := netpeer.PeekHeader(body)
	require.NoError(s.t, err)
	var before []netpeer.Value
	if st := c.r.State(h.Object); st != nil {
		before = stateValues(st)
	}
	u, err := c.r.Apply(body)
	switch {
	case errors.Is(err, replica.ErrStale):
		s.n.stale++
	case errors.Is(err, replica.ErrMissingBase):
		s.n.missing++
	case errors.Is(err, replica.ErrUnknownClass):
		require.True(s.t, c.stranger)
		s.n.strangers++
	default:
		require.NoError(s.t, err)
		s.n.applied++
		s.check(c, h, u, before)
		return
	}
	if st := c.r.State(h.Object); st != nil {
		require.True(s.t, sameValues(before, stateValues(st)), "seed %d: a refused bunch shows", s.seed)
	}
}

func (s *sim) check(c *simClient, h netpeer.Header, u replica.Update, before []netpeer.Value) {
	require.False(s.t, c.stranger && u.Class() == unitClass)
	want := s.expected[h.Result]
	got := stateValues(u.State)
	if want.correction {
		s.n.corrections++
		if _, owned := c.owns[h.Object]; owned && before != nil && !u.New {
			for i := range got {
				if !u.Changed.Has(i) {
					require.True(s.t, got[i].Equal(&before[i]))
				} else {
					require.Equal(s.t, schema.ClientOwned, u.Class().Layout().Properties[i].Authority)
				}
			}
		}
		return
	}
	for i := range got {
		if !got[i].Equal(&want.values[i]) {
			s.t.Fatalf("seed %d tick %d client %d object %d token %d %s: %+v, not %+v", s.seed, s.tick, c.id, h.Object,
				h.Result, u.Class().Layout().Properties[i].Name, got[i], want.values[i])
		}
		if before != nil && !u.New && got[i].Equal(&before[i]) == u.Changed.Has(i) {
			s.t.Fatalf("seed %d tick %d: field %d has changed, or has not", s.seed, s.tick, i)
		}
	}
}

func (s *sim) acknowledge(c *simClient) {
	body, err := c.r.AppendAcks(nil)
	if require.NoError(s.t, err); len(body) == 0 {
		return
	}
	if s.chaos && (s.tick < c.mute || s.rng.IntN(5) == 0) {
		s.n.acksLost++
		return
	}
	c.up = append(c.up, packet{s.tick + 1 + s.rng.IntN(simMaxDelay), wire.KindRepAck, body})
}

// compare looks at the end of the simulation.
func (s *sim) compare() {
	for _, c := range s.clients {
		if !c.stranger { // who is sent its objects again and again
			require.Empty(s.t, c.down, "seed %d: client %d is still being sent something", s.seed, c.id)
		}
		for _, object := range s.s.Sender().Relevant(c.id) {
			e := s.s.Entity(object)
			if c.stranger && e.Class() == unitClass {
				require.Nil(s.t, c.r.State(object))
				continue
			}
			role := replica.Observer
			if e.Owner() == c.id {
				role = replica.Owner
			}
			st := c.r.State(object)
			require.NotNil(s.t, st, "seed %d client %d object %d", s.seed, c.id, object)
			for i := range e.Class().Len() {
				p := e.Class().Layout().Properties[i]
				at := fmt.Sprintf("seed %d client %d object %d %s", s.seed, c.id, object, p.Name)
				got, want := st.Value(i), e.State().Value(i)
				if delta, first := simSees(role, p.Condition); delta {
					require.True(s.t, got.Equal(&want), at)
				} else if !first {
					require.True(s.t, got.Kind() == netpeer.KindNone || len(st.Items(i)) == 0 && got.Kind() == netpeer.KindCollection, at)
				}
				s.n.compared++
			}
		}
	}
}

func stateValues(st *replica.State) []netpeer.Value {
	values := make([]netpeer.Value, st.Class().Len())
	for i := range values {
		values[i] = st.Value(i)
	}
	return values
}

func sameValues(a, b []netpeer.Value) bool {
	return slices.EqualFunc(a, b, func(v, w netpeer.Value) bool { return v.Equal(&w) })
}
