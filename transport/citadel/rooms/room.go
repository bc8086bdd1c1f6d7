package rooms

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Room describes a room at one moment.
type Room struct {
	ID       wire.RoomID
	Params   string // its name, by convention
	Settings        // with defaults filled in
	Members  int
	Ready    int // members that have loaded the map
	Actors   int
}

// room is a room.
type room struct {
	id       wire.RoomID
	params   string
	settings Settings
	members  []*client    // in the order in which they joined
	ready    int          // of the members
	actors   []wire.Spawn // in the order of their ids
	closing  bool         // it is about to be removed, and not because the last member leaves
	joined   []byte       // the body of the answer to everybody who joins
}

func (m *room) info() Room {
	return Room{
		ID: m.id, Params: m.params, Settings: m.settings,
		Members: len(m.members), Ready: m.ready, Actors: len(m.actors),
	}
}

// find returns where in actors an object is.
func (m *room) find(object uint32) (i int, ok bool) {
	return slices.BinarySearchFunc(m.actors, object, func(a wire.Spawn, object uint32) int {
		return cmp.Compare(a.Object, object)
	})
}

// client is a connection that has asked for a room.
type client struct {
	peer      Peer
	id        uint64
	requests  limiter
	positions limiter

	room   *room // nil if it is in none
	ready  bool  // it has loaded the map
	wants  bool  // to see actors: it has one, or the server says so
	sees   bool  // it knows all actors of the room
	actors int   // its own
}

// Room returns what is known of a room, and false if there is none.
func (r *Rooms) Room(id wire.RoomID) (Room, bool) {
	m := r.rooms[id]
	if m == nil {
		return Room{}, false
	}
	return m.info(), true
}

// Named returns the room with these parameters, and false if there is none.
func (r *Rooms) Named(params []byte) (Room, bool) {
	m := r.names[string(params)]
	if m == nil {
		return Room{}, false
	}
	return m.info(), true
}

// RoomOf returns the room in which a connection is a member, and false if there is none.
func (r *Rooms) RoomOf(peer uint64) (Room, bool) {
	c := r.clients[peer]
	if c == nil || c.room == nil {
		return Room{}, false
	}
	return c.room.info(), true
}

// All returns all rooms in the order of their ids.
func (r *Rooms) All() iter.Seq[Room] {
	return func(yield func(Room) bool) {
		for _, id := range slices.Sorted(maps.Keys(r.rooms)) {
			if m := r.rooms[id]; m != nil && !yield(m.info()) {
				return
			}
		}
	}
}

// Members returns the members of a room in the order in which they joined: none if there is no such room. The room
// must not change meanwhile.
func (r *Rooms) Members(id wire.RoomID) iter.Seq[Peer] {
	return func(yield func(Peer) bool) {
		m := r.rooms[id]
		if m == nil {
			return
		}
		for _, c := range m.members {
			if !yield(c.peer) {
				return
			}
		}
	}
}

// Actors returns the actors of a room in the order of their ids, as they are now: none if there is no such room. The
// room must not change meanwhile.
func (r *Rooms) Actors(id wire.RoomID) iter.Seq[wire.Spawn] {
	return func(yield func(wire.Spawn) bool) {
		m := r.rooms[id]
		if m == nil {
			return
		}
		for i := range m.actors {
			if !yield(m.actors[i]) {
				return
			}
		}
	}
}
