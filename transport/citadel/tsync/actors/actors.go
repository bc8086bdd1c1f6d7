package actors

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Actors are the actors of a world. They are not safe for concurrent use, and use the world when they are called.
type Actors struct {
	config  Config
	world   *server.World
	clients []*client          // in the order of joining
	index   map[uint64]*client // the same by participant
	actors  []actor            // by ascending object id
	next    uint64             // object id, beyond 32 bits when there is none left
	stats   Stats

	body   []byte
	spawns []wire.Spawn
}

type client struct {
	participant uint64
	actors      int
	sees        bool // is told of actors
}

type actor struct {
	object    uint32
	archetype uint16
	owner     uint64 // 0 for the server
	predicted bool
}

// Stats counts.
type Stats struct {
	Clients, Actors int // now

	Spawned, Despawned uint64
	States             uint64 // applied

	Malformed    uint64 // bodies that could not be parsed
	Strangers    uint64 // presences and states of clients that have not joined
	BadTransform uint64 // presences and states that are not finite, or without rotation
	Denied       uint64 // presences beyond a bound or refused by [Config].Admit
	NotOwner     uint64 // states of actors that there are not, or that are somebody else's
	Predicted    uint64 // states of actors that the server moves
}

// New returns the actors of a world, of which there are none yet. Its only error is [ErrConfig].
func New(world *server.World, config Config) (*Actors, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	return &Actors{config: config, world: world, index: map[uint64]*client{}, next: uint64(config.FirstObject)}, nil
}

// Join adds a participant, who sees nothing yet. It returns [ErrJoined].
func (a *Actors) Join(participant uint64) error {
	if participant == 0 || a.index[participant] != nil {
		return ErrJoined
	}
	c := &client{participant: participant}
	a.clients = append(a.clients, c)
	a.index[participant] = c
	a.stats.Clients++
	return nil
}

// Leave removes a participant and its actors, of which the others are told.
func (a *Actors) Leave(participant uint64) {
	c := a.index[participant]
	if c == nil {
		return
	}
	delete(a.index, participant)
	a.clients = slices.DeleteFunc(a.clients, func(o *client) bool { return o == c })
	a.stats.Clients--
	if c.actors == 0 {
		return
	}
	a.actors = slices.DeleteFunc(a.actors, func(x actor) bool {
		if x.owner != participant {
			return false
		}
		a.vanish(x)
		return true
	})
}

// Presence takes the body of a kind-16 frame: a participant's actor is to appear. The errors are [wire.ErrTooShort],
// [ErrStranger], [ErrTransform], [ErrTooMany], and [ErrDenied] with that of Config.Admit.
func (a *Actors) Presence(participant uint64, body []byte) error {
	p, err := wire.ParsePresence(body)
	if err != nil {
		a.stats.Malformed++
		return err
	}
	c := a.index[participant]
	if c == nil {
		a.stats.Strangers++
		return ErrStranger
	}
	if !motion.Sanitise((*tsync.State)(&p.Transform)) {
		a.stats.BadTransform++
		return ErrTransform
	}
	if c.actors >= a.config.MaxPerClient || !a.room() {
		a.stats.Denied++
		return ErrTooMany
	}
	if a.config.Admit != nil {
		if err := a.config.Admit(participant, p); err != nil {
			a.stats.Denied++
			return &denied{err}
		}
		switch { // it may have done anything
		case a.index[participant] != c:
			a.stats.Strangers++
			return ErrStranger
		case c.actors >= a.config.MaxPerClient || !a.room():
			a.stats.Denied++
			return ErrTooMany
		}
	}
	if _, err := a.appear(c, p); err != nil {
		a.stats.Denied++
		return err
	}
	return nil
}

// denied is an error of Config.Admit.
type denied struct{ cause error }

func (d *denied) Error() string   { return ErrDenied.Error() + ": " + d.cause.Error() }
func (d *denied) Unwrap() []error { return []error{ErrDenied, d.cause} }

// State takes the body of a kind-20 frame: where a participant says that its actor is. The errors are
// [wire.ErrTooShort], [ErrStranger], [ErrNotOwner], [ErrPredicted] and [ErrTransform].
func (a *Actors) State(participant uint64, body []byte) error {
	s, err := wire.ParseState(body)
	if err != nil {
		a.stats.Malformed++
		return err
	}
	if a.index[participant] == nil {
		a.stats.Strangers++
		return ErrStranger
	}
	i, ok := a.find(s.Object)
	switch {
	case !ok || a.actors[i].owner != participant:
		a.stats.NotOwner++
		return ErrNotOwner
	case a.actors[i].predicted:
		a.stats.Predicted++
		return ErrPredicted
	case !motion.Sanitise((*tsync.State)(&s.Transform)):
		a.stats.BadTransform++
		return ErrTransform
	}
	if a.world.SetState(s.Object, tsync.State(s.Transform)) != nil { // the game has removed it behind our back
		a.stats.NotOwner++
		return ErrNotOwner
	}
	a.stats.States++
	return nil
}

// Observe lets a participant see actors although it has none itself. It returns [ErrStranger].
func (a *Actors) Observe(participant uint64) error {
	c := a.index[participant]
	if c == nil {
		return ErrStranger
	}
	a.show(c)
	return nil
}

// Spawn lets an actor of the server appear and returns its object id. It is relayed, which is to say that the game moves
// it by the world, whatever its archetype is for clients. The errors are [ErrTransform] and [ErrTooMany].
func (a *Actors) Spawn(archetype uint16, t wire.Transform) (object uint32, err error) {
	if !motion.Sanitise((*tsync.State)(&t)) {
		return 0, ErrTransform
	}
	if !a.room() {
		return 0, ErrTooMany
	}
	return a.appear(nil, wire.Presence{Archetype: archetype, Transform: t})
}

// Despawn removes an actor, whoever owns it, and reports whether there was one. Objects that are actors are to be
// removed by this and not by the world, which would not tell.
func (a *Actors) Despawn(object uint32) bool {
	i, ok := a.find(object)
	if !ok {
		return false
	}
	x := a.actors[i]
	if c := a.index[x.owner]; c != nil {
		c.actors--
	}
	a.actors = slices.Delete(a.actors, i, i+1)
	a.vanish(x)
	return true
}

// Actor returns an actor as it is now, and false if there is none.
func (a *Actors) Actor(object uint32) (wire.Spawn, bool) {
	i, ok := a.find(object)
	if !ok {
		return wire.Spawn{}, false
	}
	return a.spawn(a.actors[i])
}

// All yields the actors by ascending object id, as they are now.
func (a *Actors) All() iter.Seq[wire.Spawn] {
	return func(yield func(wire.Spawn) bool) {
		for _, x := range a.actors {
			if s, ok := a.spawn(x); ok && !yield(s) {
				return
			}
		}
	}
}

// Stats returns the counters.
func (a *Actors) Stats() Stats {
	s := a.stats
	s.Actors = len(a.actors)
	return s
}

// room reports whether one more actor may be.
func (a *Actors) room() bool { return len(a.actors) < a.config.MaxActors && a.next <= math.MaxUint32 }

// appear spawns an actor, of a client or of the server. Only the world can refuse it.
func (a *Actors) appear(owner *client, p wire.Presence) (object uint32, err error) {
	for a.taken(a.next) {
		a.next++
	}
	if a.next > math.MaxUint32 {
		return 0, ErrTooMany
	}
	kind := a.config.archetype(p.Archetype)
	x := actor{object: uint32(a.next), archetype: p.Archetype}
	o := server.Object{
		ID: x.object, Role: tsync.RemoteInterpolated, State: tsync.State(p.Transform),
		ReplicateVelocity: kind.ReplicateVelocity, Priority: kind.Priority, Shape: kind.Shape,
	}
	switch {
	case owner == nil:
		o.Role = tsync.ServerSimulated
	case kind.Predicted:
		x.predicted = true
		o.Role, o.Owner = tsync.OwnerPredicted, owner.participant
	}
	if _, err := a.world.Spawn(o); err != nil {
		return 0, ErrTooMany // anything else was checked before
	}
	a.next++
	a.stats.Spawned++
	if owner != nil {
		owner.actors++
		x.owner = owner.participant
	}
	a.actors = append(a.actors, x)
	a.tell(owner, x)
	return x.object, nil
}

func (a *Actors) taken(object uint64) bool {
	if object > math.MaxUint32 {
		return false
	}
	_, live := a.world.Object(uint32(object))
	return live
}

// tell says that an actor has appeared, to its owner first.
func (a *Actors) tell(owner *client, x actor) {
	s, ok := a.spawn(x)
	if !ok {
		return
	}
	if owner != nil {
		a.body = wire.AppendSpawn(a.body[:0], s)
		a.config.Send(owner.participant, wire.KindNASpawn, a.body)
		a.show(owner)
	}
	a.body = wire.AppendSpawn(a.body[:0], s)
	for _, c := range a.clients {
		if c.sees && c != owner {
			a.config.Send(c.participant, wire.KindNASpawn, a.body)
		}
	}
}

// show tells a client of all actors but its own, once.
func (a *Actors) show(c *client) {
	if c.sees {
		return
	}
	c.sees = true
	a.spawns = a.spawns[:0]
	for _, x := range a.actors {
		if x.owner == c.participant {
			continue
		}
		if s, ok := a.spawn(x); ok {
			a.spawns = append(a.spawns, s)
		}
	}
	a.body = wire.AppendSpawnBatch(a.body[:0], a.spawns)
	a.config.Send(c.participant, wire.KindNASpawnBatch, a.body)
}

// vanish removes an actor from the world and tells everybody who sees.
func (a *Actors) vanish(x actor) {
	a.world.Despawn(x.object)
	a.stats.Despawned++
	a.body = wire.AppendDespawn(a.body[:0], wire.Despawn{Object: x.object})
	for _, c := range a.clients {
		if c.sees {
			a.config.Send(c.participant, wire.KindNADespawn, a.body)
		}
	}
}

// spawn describes an actor, unless the world has lost it.
func (a *Actors) spawn(x actor) (wire.Spawn, bool) {
	o, live := a.world.Object(x.object)
	return wire.Spawn{
		Object: x.object, Archetype: x.archetype, Owner: x.owner, Transform: wire.Transform(o.State),
	}, live
}

func (a *Actors) find(object uint32) (int, bool) {
	return slices.BinarySearchFunc(a.actors, object, func(x actor, id uint32) int { return cmp.Compare(x.object, id) })
}
