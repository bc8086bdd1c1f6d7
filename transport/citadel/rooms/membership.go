package rooms

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// client returns what is known of a peer, from its first request on.
func (r *Rooms) client(p Peer) *client {
	c := r.clients[p.ID()]
	if c == nil {
		c = &client{peer: p, id: p.ID()}
		r.clients[c.id] = c
	}
	return c
}

// member returns a peer that is in a room.
func (r *Rooms) member(p Peer) (*client, bool) {
	c := r.clients[p.ID()]
	if c == nil || c.room == nil {
		r.stats.Drops.NotMember++
		return nil, false
	}
	return c, true
}

// create answers a request for a room with certain parameters.
func (r *Rooms) create(p Peer, body []byte) error {
	req, err := wire.ParseRoomCreate(body)
	if err != nil {
		return err
	}
	c := r.client(p)
	switch m := r.names[string(req.Params)]; {
	case !c.requests.allow(r.cfg.Now(), r.requests):
		r.reject(c, wire.KindRoomCreate, ReasonBusy)
	case len(req.Params) > r.cfg.MaxParams:
		r.reject(c, wire.KindRoomCreate, ReasonParams)
	case m != nil:
		r.admit(c, wire.KindRoomCreate, m)
	case len(r.rooms) >= r.cfg.MaxRooms:
		r.reject(c, wire.KindRoomCreate, ReasonTooMany)
	default:
		settings, err := r.settingsFor(p, req.Params)
		if err != nil {
			r.reject(c, wire.KindRoomCreate, reasonFor(err))
			return nil
		}
		// The room is not among the others until somebody is in it.
		r.admit(c, wire.KindRoomCreate, newRoom(r.lastRoom+1, string(req.Params), settings))
	}
	return nil
}

func (r *Rooms) settingsFor(p Peer, params []byte) (s Settings, err error) {
	if r.cfg.Create == nil {
		return r.cfg.Settings, nil
	}
	err = r.ask(func() error {
		s, err = r.cfg.Create(p, params)
		return err
	})
	if err != nil {
		return Settings{}, err
	}
	return r.cfg.settings(s)
}

// join answers a request for a room with a certain id.
func (r *Rooms) join(p Peer, body []byte) error {
	id, err := wire.ParseRoomID(body)
	if err != nil {
		return err
	}
	c := r.client(p)
	switch m := r.rooms[id]; {
	case !c.requests.allow(r.cfg.Now(), r.requests):
		r.reject(c, wire.KindRoomJoin, ReasonBusy)
	case m == nil:
		r.reject(c, wire.KindRoomJoin, ReasonNoRoom)
	default:
		r.admit(c, wire.KindRoomJoin, m)
	}
	return nil
}

// admit lets a client into a room if it may be there. If it is in another room, it leaves that only then.
func (r *Rooms) admit(c *client, request wire.Kind, m *room) {
	switch {
	case c.room == m:
		_ = c.peer.Send(wire.KindRoomJoined, m.joined) // it may not have understood
	case len(m.members) >= m.settings.MaxMembers:
		r.reject(c, request, ReasonFull)
	default:
		if r.cfg.Admit != nil {
			if err := r.ask(func() error { return r.cfg.Admit(c.peer, m.info()) }); err != nil {
				r.reject(c, request, reasonFor(err))
				return
			}
		}
		r.enter(c, m)
	}
}

// enter makes a client a member.
func (r *Rooms) enter(c *client, m *room) {
	r.leave(c, true)
	if m.id > r.lastRoom {
		r.add(m)
	}
	m.members = append(m.members, c)
	c.room = m
	r.stats.Joined++
	r.sent(c.peer.Send(wire.KindRoomJoined, m.joined))
	r.tellMember(r.cfg.Joined, m.info(), c.peer)
}

func (r *Rooms) reject(c *client, request wire.Kind, reason string) {
	r.stats.Rejected++
	r.body = wire.AppendRoomReject(r.body[:0], refusal(request, reason))
	r.send(c, wire.KindRoomReject)
}

// requestLeave lets a client leave its room. It is told so, as of any other removal.
func (r *Rooms) requestLeave(p Peer, body []byte) error {
	id, err := wire.ParseRoomID(body)
	if err != nil {
		return err
	}
	if c, ok := r.inRoom(p, id); ok {
		r.leave(c, true)
	}
	return nil
}

// mapReady notes that a member has loaded the map.
func (r *Rooms) mapReady(p Peer, body []byte) error {
	id, err := wire.ParseRoomID(body)
	if err != nil {
		return err
	}
	c, ok := r.inRoom(p, id)
	if !ok || c.ready {
		return nil
	}
	c.ready = true
	c.room.ready++
	r.tellMember(r.cfg.Ready, c.room.info(), p)
	r.show(c)
	return nil
}

// inRoom returns a peer that is in this very room.
func (r *Rooms) inRoom(p Peer, id wire.RoomID) (*client, bool) {
	c, ok := r.member(p)
	if ok && c.room.id != id {
		r.stats.Drops.Stale++
		return nil, false
	}
	return c, ok
}

// leave takes a client out of its room, if it is in one. connected says whether it can still be told.
func (r *Rooms) leave(c *client, connected bool) {
	m := c.room
	if m == nil {
		return
	}
	if connected {
		r.hideAll(c)
		r.body = wire.AppendRoomID(r.body[:0], m.id)
		r.send(c, wire.KindRoomLeave)
	}
	i := slices.Index(m.members, c)
	m.members = slices.Delete(m.members, i, i+1)
	if c.ready {
		m.ready--
	}
	r.removeActors(c, m)
	c.room, c.ready, c.wants, c.sees = nil, false, false, false
	r.stats.Left++
	r.tellMember(r.cfg.Left, m.info(), c.peer)
	if len(m.members) == 0 && !m.settings.Keep && !m.closing {
		r.remove(m)
	}
}

func newRoom(id wire.RoomID, params string, s Settings) *room {
	return &room{
		id: id, params: params, settings: s,
		joined: wire.AppendRoomJoined(nil, wire.RoomJoined{Room: id, Map: []byte(s.Map), Mode: []byte(s.Mode)}),
	}
}

// add puts a room among the others. Its id is the next one.
func (r *Rooms) add(m *room) {
	r.lastRoom = m.id
	r.rooms[m.id], r.names[m.params] = m, m
	r.tellRoom(r.cfg.Opened, m.info())
}

// remove removes a room without members.
func (r *Rooms) remove(m *room) {
	r.stats.Actors -= len(m.actors)
	for _, a := range m.actors {
		r.tellActor(r.cfg.Despawned, m.id, a)
	}
	m.actors = nil
	delete(r.rooms, m.id)
	delete(r.names, m.params)
	r.tellRoom(r.cfg.Closed, m.info())
}

// Open creates a room without members, which lasts until a first member has come and the last one is gone, or until
// Close. It does not retain params. Parameters that another room has are [ErrExists], too long ones [ErrParams]; too
// many rooms are [ErrTooManyRooms], and settings that cannot work a [*ConfigError].
func (r *Rooms) Open(params []byte, s Settings) (wire.RoomID, error) {
	r.begin()
	defer r.settle()
	s, err := r.cfg.settings(s)
	switch {
	case err != nil:
		return 0, err
	case len(params) > r.cfg.MaxParams:
		return 0, ErrParams
	case r.names[string(params)] != nil:
		return 0, ErrExists
	case len(r.rooms) >= r.cfg.MaxRooms:
		return 0, ErrTooManyRooms
	}
	m := newRoom(r.lastRoom+1, string(params), s)
	r.add(m)
	return m.id, nil
}

// Close removes a room. Its members are told that the match is over, with the reason, whose meaning is the
// application's, and whether they should look for another one; then that they have left. It returns false if there
// is no such room.
func (r *Rooms) Close(id wire.RoomID, reason uint8, requeue bool) bool {
	r.begin()
	defer r.settle()
	m := r.rooms[id]
	if m == nil {
		return false
	}
	over := wire.AppendMatchClosed(nil, wire.MatchClosed{Room: id, Reason: reason, Requeue: requeue})
	for _, c := range m.members {
		r.sent(c.peer.Send(wire.KindMatchClosed, over))
	}
	m.closing = true
	for len(m.members) > 0 {
		r.leave(m.members[0], true)
	}
	r.remove(m)
	return true
}

// Enter makes a connection a member of a room, without asking Config.Admit; if it is a member of another one, it
// leaves that. A room that does not exist is [ErrNoRoom], one without a place left [ErrFull].
//
// The connection must be open: what is known of it is forgotten when Closed comes.
func (r *Rooms) Enter(p Peer, id wire.RoomID) error {
	r.begin()
	defer r.settle()
	m := r.rooms[id]
	if m == nil {
		return ErrNoRoom
	}
	c := r.client(p)
	switch {
	case c.room == m:
	case len(m.members) >= m.settings.MaxMembers:
		return ErrFull
	default:
		r.enter(c, m)
	}
	return nil
}

// Remove takes a connection out of its room, which it is told. It returns false if it is in none.
func (r *Rooms) Remove(peer uint64) bool {
	r.begin()
	defer r.settle()
	c := r.clients[peer]
	if c == nil || c.room == nil {
		return false
	}
	r.leave(c, true)
	return true
}
