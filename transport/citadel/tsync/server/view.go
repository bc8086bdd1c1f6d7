package server

import "github.com/ariadne-netcode/ariadne/transport/citadel/tsync"

// track is what the server keeps, between snapshots and within one, of an object in a client's view.
type track struct {
	id     uint32
	place  int32   // in the frame; a hint between snapshots
	base   int32   // in the objects of the base, or -1
	weight float32 // gained since the object was last told
	waited uint16  // snapshots that had no room for it in a row
	fields tsync.Fields
	plan   plan
}

// plan is what a snapshot is to say of an object.
type plan uint8

const (
	planNothing plan = iota
	planDelta                 // the fields that differ from the base
	planFull                  // everything: the base has another life of the object, or less of it, or nothing
	planAnew                  // the same, after a removal, because the base has a velocity that is to be forgotten
	planChosen  plan = 1 << 7 // there is room for it
)

// updateView finds out what is in the client's view now.
func (c *Client) updateView() {
	w, s := c.world, &c.scratch
	if c.following {
		if at, ok := w.grid.Position(c.follows); ok {
			c.viewer = at
		}
	}
	s.entered, s.exited = c.view.Update(w.grid, c.viewer, c.radius, s.entered[:0], s.exited[:0])
	if len(s.entered) == 0 && len(s.exited) == 0 {
		return
	}
	for _, id := range s.exited {
		c.tellPassing(id, tsync.RoleExit)
	}
	for _, id := range s.entered {
		c.tellPassing(id, tsync.RoleEnter)
	}
	c.follow()
}

// tellPassing notes that an object has come into view or gone.
func (c *Client) tellPassing(id uint32, event tsync.RoleEvent) {
	at, ok := c.world.places[id]
	if !ok {
		c.note(tsync.Role{Object: id, Role: tsync.StaticReplicated, Event: event})
		return
	}
	c.tell(&c.world.objects[at], event)
}

// follow makes the tracks those of the view.
func (c *Client) follow() {
	old, tracks := c.tracks, c.scratch.tracks[:0]
	for _, id := range c.view.IDs() {
		for len(old) > 0 && old[0].id < id {
			old = old[1:]
		}
		if len(old) > 0 && old[0].id == id {
			tracks = append(tracks, old[0])
			old = old[1:]
			continue
		}
		tracks = append(tracks, track{id: id, place: -1})
	}
	c.tracks, c.scratch.tracks = tracks, c.tracks
}
