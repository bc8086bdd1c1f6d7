package rooms_test

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The bounds of the worlds of the property test: small, so that they are met.
const (
	worldRooms      = 3
	worldMembers    = 3
	worldActors     = 2
	worldRoomActors = 5
	worldParams     = 3
	worldPredicted  = 66
)

// world is what the rooms of a server should be, told as simply as it can be: lists that are searched.
type world struct {
	waitForMap bool
	lastRoom   wire.RoomID
	lastObject uint32
	rooms      []*worldRoom
	people     []*person
}

type worldRoom struct {
	id     wire.RoomID
	name   string
	keep   bool
	actors []wire.Spawn
}

// person is a client and what it should have been told by now.
type person struct {
	id    uint64
	room  *worldRoom
	ready bool
	wants bool

	shown     map[uint32]wire.Transform // actors, as they appeared to it
	rejected  int
	positions []string
}

func (w *world) members(m *worldRoom) (in []*person) {
	for _, p := range w.people {
		if p.room == m {
			in = append(in, p)
		}
	}
	return in
}

func (w *world) byID(id wire.RoomID) *worldRoom {
	for _, m := range w.rooms {
		if m.id == id {
			return m
		}
	}
	return nil
}

func (w *world) byName(name string) *worldRoom {
	for _, m := range w.rooms {
		if m.name == name {
			return m
		}
	}
	return nil
}

// denied is the admission policy.
func denied(id uint64, name string) bool { return name == "c" && id%3 == 0 }

// sees reports whether a person is told of actors.
func (w *world) sees(p *person) bool { return p.room != nil && p.wants && w.hears(p) }
func (w *world) hears(p *person) bool {
	return p.room != nil && (p.ready || !w.waitForMap)
}

// show brings everybody's view up to date.
func (w *world) show() {
	for _, p := range w.people {
		if !w.sees(p) {
			p.shown = nil
			continue
		}
		if p.shown == nil {
			p.shown = map[uint32]wire.Transform{}
		}
		there := map[uint32]bool{}
		for _, a := range p.room.actors {
			there[a.Object] = true
			if _, ok := p.shown[a.Object]; !ok {
				p.shown[a.Object] = a.Transform
			}
		}
		for object := range p.shown {
			if !there[object] {
				delete(p.shown, object)
			}
		}
	}
}

func (w *world) receive(p *person, e wire.Envelope) {
	switch e.Kind {
	case wire.KindRoomCreate:
		r, _ := wire.ParseRoomCreate(e.Body)
		name := string(r.Params)
		m := w.byName(name)
		switch {
		case len(name) > worldParams:
			p.rejected++
		case m != nil:
			w.enter(p, m, true)
		case len(w.rooms) >= worldRooms || denied(p.id, name):
			p.rejected++
		default:
			m = w.open(name, false)
			w.enter(p, m, true)
		}
	case wire.KindRoomJoin:
		id, _ := wire.ParseRoomID(e.Body)
		if m := w.byID(id); m != nil {
			w.enter(p, m, true)
		} else {
			p.rejected++
		}
	case wire.KindRoomLeave:
		if id, _ := wire.ParseRoomID(e.Body); p.room != nil && p.room.id == id {
			w.leave(p)
		}
	case wire.KindRoomMapReady:
		if id, _ := wire.ParseRoomID(e.Body); p.room != nil && p.room.id == id {
			p.ready = true
		}
	case wire.KindNAPresence:
		a, _ := wire.ParsePresence(e.Body)
		own := 0
		if p.room != nil {
			for _, b := range p.room.actors {
				if b.Owner == p.id {
					own++
				}
			}
		}
		if p.room != nil && own < worldActors && len(p.room.actors) < worldRoomActors {
			p.wants = true
			w.spawn(p.room, p.id, a.Archetype, a.Transform)
		}
	case wire.KindNAState:
		s, _ := wire.ParseState(e.Body)
		if p.room != nil {
			for i, a := range p.room.actors {
				if a.Object == s.Object && a.Owner == p.id && a.Archetype != worldPredicted {
					p.room.actors[i].Transform = s.Transform
				}
			}
		}
	case wire.KindPosition:
		for _, other := range w.people {
			if p.room != nil && other != p && other.room == p.room && w.hears(other) {
				other.positions = append(other.positions, string(e.Body))
			}
		}
	}
	w.show()
}

func (w *world) open(name string, keep bool) *worldRoom {
	w.lastRoom++
	m := &worldRoom{id: w.lastRoom, name: name, keep: keep}
	w.rooms = append(w.rooms, m)
	return m
}

func (w *world) enter(p *person, m *worldRoom, ask bool) {
	switch {
	case p.room == m:
	case len(w.members(m)) >= worldMembers || ask && denied(p.id, m.name):
		if ask {
			p.rejected++
		}
	default:
		w.leave(p)
		p.room = m
	}
	w.show()
}

func (w *world) leave(p *person) {
	m := p.room
	if m == nil {
		return
	}
	p.room, p.ready, p.wants = nil, false, false
	m.actors = slices.DeleteFunc(m.actors, func(a wire.Spawn) bool { return a.Owner == p.id })
	if len(w.members(m)) == 0 && !m.keep {
		w.close(m)
	}
	w.show()
}

func (w *world) close(m *worldRoom) {
	m.keep = true
	for _, p := range w.members(m) {
		w.leave(p)
	}
	w.rooms = slices.DeleteFunc(w.rooms, func(o *worldRoom) bool { return o == m })
}

func (w *world) spawn(m *worldRoom, owner uint64, archetype uint16, t wire.Transform) {
	w.lastObject++
	m.actors = append(m.actors, wire.Spawn{Object: w.lastObject, Owner: owner, Archetype: archetype, Transform: t})
	w.show()
}

func (w *world) despawn(m *worldRoom, object uint32) {
	m.actors = slices.DeleteFunc(m.actors, func(a wire.Spawn) bool { return a.Object == object })
	w.show()
}
