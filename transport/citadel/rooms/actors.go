package rooms

import (
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// presence lets an actor of a member appear.
func (r *Rooms) presence(p Peer, body []byte) error {
	a, err := wire.ParsePresence(body)
	if err != nil {
		return err
	}
	c, ok := r.member(p)
	switch {
	case !ok:
	case !c.requests.allow(r.cfg.Now(), r.requests):
		r.stats.Drops.Limited++
	case !Sanitise(&a.Transform):
		r.stats.Drops.BadTransform++
	case c.actors >= r.cfg.MaxActors || !r.roomFor(c.room):
		r.stats.Drops.ActorsRefused++
	case r.cfg.Spawn != nil && r.ask(func() error { return r.cfg.Spawn(p, c.room.info(), a) }) != nil:
		r.stats.Drops.ActorsRefused++
	default:
		c.actors++
		c.wants = true
		r.appear(c.room, c, wire.Spawn{Archetype: a.Archetype, Owner: c.id, Transform: a.Transform})
	}
	return nil
}

// roomFor reports whether there is room for one more actor, and an id.
func (r *Rooms) roomFor(m *room) bool {
	return len(m.actors) < r.cfg.MaxRoomActors && r.lastObject < math.MaxUint32
}

// appear adds an actor to a room. Its owner, if it is a member, is the first to know.
func (r *Rooms) appear(m *room, owner *client, a wire.Spawn) uint32 {
	r.lastObject++
	a.Object = r.lastObject
	m.actors = append(m.actors, a)
	r.stats.Actors++
	if owner != nil {
		if owner.sees {
			r.body = wire.AppendSpawn(r.body[:0], a)
			r.send(owner, wire.KindNASpawn)
		} else {
			r.show(owner)
		}
	}
	r.body = wire.AppendSpawn(r.body[:0], a)
	for _, c := range m.members {
		if c.sees && c != owner {
			r.send(c, wire.KindNASpawn)
		}
	}
	r.tellActor(r.cfg.Spawned, m.id, a)
	return a.Object
}

// show tells a member of all actors that there are, its own first, if it is to see them and does not yet.
func (r *Rooms) show(c *client) {
	if c.sees || !c.wants || r.deaf(c) {
		return
	}
	c.sees = true
	r.spawns = r.spawns[:0]
	for _, a := range c.room.actors {
		if a.Owner != c.id {
			r.spawns = append(r.spawns, a)
			continue
		}
		r.body = wire.AppendSpawn(r.body[:0], a)
		r.send(c, wire.KindNASpawn)
	}
	r.body = wire.AppendSpawnBatch(r.body[:0], r.spawns)
	r.send(c, wire.KindNASpawnBatch)
}

// deaf reports whether a member gets nothing of what is fanned out, yet.
func (r *Rooms) deaf(c *client) bool { return r.cfg.WaitForMap && !c.ready }

// hideAll tells a member who is leaving that all actors are gone.
func (r *Rooms) hideAll(c *client) {
	if !c.sees {
		return
	}
	for _, a := range c.room.actors {
		r.body = wire.AppendDespawn(r.body[:0], wire.Despawn{Object: a.Object})
		r.send(c, wire.KindNADespawn)
	}
}

// removeActors removes the actors of a client that is no member any more.
func (r *Rooms) removeActors(c *client, m *room) {
	if c.actors == 0 {
		return
	}
	c.actors = 0
	m.actors = slices.DeleteFunc(m.actors, func(a wire.Spawn) bool {
		if a.Owner != c.id {
			return false
		}
		r.disappear(m, a)
		return true
	})
}

// disappear tells everybody that an actor is gone.
func (r *Rooms) disappear(m *room, a wire.Spawn) {
	r.stats.Actors--
	r.body = wire.AppendDespawn(r.body[:0], wire.Despawn{Object: a.Object})
	for _, c := range m.members {
		if c.sees {
			r.send(c, wire.KindNADespawn)
		}
	}
	r.tellActor(r.cfg.Despawned, m.id, a)
}

// state takes what an owner says of its actor.
func (r *Rooms) state(p Peer, body []byte) {
	s, err := wire.ParseState(body)
	if err != nil {
		r.stats.Drops.Malformed++
		return
	}
	c, ok := r.member(p)
	if !ok {
		return
	}
	i, ok := c.room.find(s.Object)
	switch {
	case !ok || c.room.actors[i].Owner != c.id:
		r.stats.Drops.NotOwner++
	case r.predicted[c.room.actors[i].Archetype]:
		r.stats.Drops.Predicted++
	case !Sanitise(&s.Transform):
		r.stats.Drops.BadTransform++
	default:
		r.stats.States++
		c.room.actors[i].Transform = s.Transform
		if r.cfg.Moved != nil {
			r.cfg.Moved(c.room.id, c.room.actors[i])
		}
	}
}

// Spawn lets an actor of the server appear in a room, and returns its id. A room that does not exist is [ErrNoRoom], a
// transform that cannot be [ErrTransform], and a room without a place for it [ErrActors].
func (r *Rooms) Spawn(id wire.RoomID, archetype uint16, t wire.Transform) (object uint32, err error) {
	r.begin()
	defer r.settle()
	m := r.rooms[id]
	switch {
	case m == nil:
		return 0, ErrNoRoom
	case !Sanitise(&t):
		return 0, ErrTransform
	case !r.roomFor(m):
		return 0, ErrActors
	}
	return r.appear(m, nil, wire.Spawn{Archetype: archetype, Transform: t}), nil
}

// Despawn removes an actor from a room, whoever owns it. It returns false if there is none.
func (r *Rooms) Despawn(id wire.RoomID, object uint32) bool {
	r.begin()
	defer r.settle()
	m := r.rooms[id]
	if m == nil {
		return false
	}
	i, ok := m.find(object)
	if !ok {
		return false
	}
	a := m.actors[i]
	if owner := r.clients[a.Owner]; owner != nil {
		owner.actors--
	}
	m.actors = slices.Delete(m.actors, i, i+1)
	r.disappear(m, a)
	return true
}

// Move changes where an actor is, whoever owns it. Nobody is told but those who join later. Errors are [ErrNoRoom],
// [ErrNoActor] and [ErrTransform].
func (r *Rooms) Move(id wire.RoomID, object uint32, t wire.Transform) error {
	r.begin()
	m := r.rooms[id]
	if m == nil {
		return ErrNoRoom
	}
	i, ok := m.find(object)
	if !ok {
		return ErrNoActor
	}
	if !Sanitise(&t) {
		return ErrTransform
	}
	m.actors[i].Transform = t
	return nil
}

// Actor returns an actor as it is now, and false if there is none.
func (r *Rooms) Actor(id wire.RoomID, object uint32) (wire.Spawn, bool) {
	m := r.rooms[id]
	if m == nil {
		return wire.Spawn{}, false
	}
	i, ok := m.find(object)
	if !ok {
		return wire.Spawn{}, false
	}
	return m.actors[i], true
}

// Observe lets a member see the actors of its room although it has none itself. It returns false if the connection is
// in no room.
func (r *Rooms) Observe(peer uint64) bool {
	r.begin()
	c := r.clients[peer]
	if c == nil || c.room == nil {
		return false
	}
	c.wants = true
	r.show(c)
	return true
}
