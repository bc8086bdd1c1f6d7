package server

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// AssignOwner hands an object to a participant, whose inputs move it from now on; with 0 it stands still. It returns the
// new ownership epoch. Whatever an earlier owner, or the same one, has sent and the world not applied is void, and
// inputs count from 1 again. The clients concerned hear of it in [Client.Roles]. The error is [ErrObject].
func (w *World) AssignOwner(id uint32, participant uint64) (epoch uint32, err error) {
	p := w.find(id)
	if p == nil {
		return 0, ErrObject
	}
	before := p.Owner
	p.Role = tsync.OwnerPredicted
	p.Owner = participant
	p.OwnershipEpoch++
	p.InputSeq = 0
	p.queue.Reset()
	if before != participant { // who only came back has not got more time
		p.allowance.Reset()
	}
	event := tsync.RoleAssign
	if before != 0 && before != participant {
		event = tsync.RoleHandoff
	}
	for _, c := range w.clients {
		if c.concerns(p) || c.participant == before {
			c.tell(p, event)
		}
	}
	return p.OwnershipEpoch, nil
}

// tellLife tells the clients that know an object, own it or owned it in its life before, that it begins one.
func (w *World) tellLife(p *object, before uint64) {
	for _, c := range w.clients {
		switch {
		case p.Owner == c.participant && p.Role == tsync.OwnerPredicted:
			c.tell(p, tsync.RoleAssign)
		case c.view.Contains(p.ID):
			c.tell(p, tsync.RoleEnter)
		case c.participant == before:
			c.tell(p, tsync.RoleHandoff)
		}
	}
}

// concerns reports whether a client has to do with an object.
func (c *Client) concerns(p *object) bool {
	return c.participant == p.Owner || c.view.Contains(p.ID)
}

// tell notes what an object is to the client from now on.
func (c *Client) tell(p *object, event tsync.RoleEvent) {
	role := tsync.Role{
		Object: p.ID, Role: p.Role, Owner: p.Owner,
		OwnershipEpoch: p.OwnershipEpoch, Gen: p.Gen, Event: event,
	}
	if p.Role == tsync.OwnerPredicted && p.Owner != c.participant {
		role.Role = tsync.RemoteInterpolated
	}
	c.note(role)
}

// leastRoles is how many roles may wait to be asked for before it is worth a look what has been overtaken.
const leastRoles = 1024

// note keeps a role until it is asked for. If nobody asks, those that others have overtaken are dropped, and at last the
// oldest.
func (c *Client) note(r tsync.Role) {
	if len(c.roles) >= max(c.manyRoles, leastRoles) {
		c.roles = overtaken(c.roles)
		most := 2 * c.world.config.MaxObjects
		c.roles = slices.Delete(c.roles, 0, max(len(c.roles)-most, 0))
		c.manyRoles = 2 * len(c.roles)
	}
	c.roles = append(c.roles, r)
}

// overtaken drops the roles after which nothing is the same as without them: all but an object's last one, and its last
// one that gives it to the client, which learns from that who it is.
func overtaken(roles []tsync.Role) []tsync.Role {
	type said struct{ last, given bool }
	later := make(map[uint32]said, len(roles)/2)
	kept := len(roles)
	for i := len(roles) - 1; i >= 0; i-- {
		r := &roles[i]
		s := later[r.Object]
		gives := (r.Event == tsync.RoleAssign || r.Event == tsync.RoleHandoff) && r.Role == tsync.OwnerPredicted
		if s.last && (s.given || !gives) {
			continue
		}
		later[r.Object] = said{true, s.given || gives}
		kept--
		roles[kept] = *r
	}
	return append(roles[:0], roles[kept:]...)
}

// Roles returns what has changed in what objects are to the client, since the last call, in order: for kind-11
// frames, which have to arrive in this order. To tell a client twice does no harm: what is not newer by its epochs and
// its event says nothing new.
//
// Call it after [Client.AppendSnapshot], [World.AssignOwner] and [World.Spawn]. The slice is valid until the next call.
// What nobody asks for does not grow for ever: of an object, what has been overtaken is dropped.
func (c *Client) Roles() []tsync.Role {
	c.told, c.roles, c.manyRoles = c.roles, c.told[:0], 0
	return c.told
}
