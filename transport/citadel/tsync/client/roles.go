package client

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// knownRole is what is known of an object.
type knownRole struct {
	told   tsync.Role
	exited bool // it is the client's own, and out of view
}

// role takes what an object is to the client. Roles may come twice and out of order: one of an earlier life or an
// earlier ownership is ignored.
func (c *Client) role(r tsync.Role) (Event, error) {
	old, known := c.roles[r.Object]
	if r.Event == tsync.RoleExit {
		return c.exit(r, old, known), nil
	}
	if known && overtaken(&old, &r) {
		c.stats.StaleRoles++
		return nil, nil
	}
	if !known && len(c.roles) >= c.cfg.View.MaxObjects {
		return nil, ErrObjects
	}
	c.learn(&r)
	mine := c.mine(&r)
	if mine {
		if err := c.own(&r); err != nil {
			return nil, err
		}
	} else {
		c.disown(r.Object)
	}
	c.roles[r.Object] = knownRole{told: r}
	return RoleChanged{Role: r, Mine: mine}, nil
}

// exit takes that an object is out of view. One of the client's own that only left it may come back, and inputs then
// count on; it goes from the screen when the snapshots say so.
func (c *Client) exit(r tsync.Role, old knownRole, known bool) Event {
	gone := r.OwnershipEpoch == 0 && r.Gen == 0 // all that a server says of an object that it does not have any more
	mine := c.mine(&r) && c.find(r.Object) != nil
	// One that is out of view already may have become somebody else's there.
	if !known || old.exited && mine || !gone && newerGen(old.told.Gen, r.Gen) {
		c.stats.StaleRoles++
		return nil
	}
	if mine {
		old.exited = true
		c.roles[r.Object] = old
		return RoleChanged{Role: r, Mine: true}
	}
	c.disown(r.Object)
	delete(c.roles, r.Object)
	return RoleChanged{Role: r}
}

// mine reports whether a role says that the client predicts the object.
func (c *Client) mine(r *tsync.Role) bool {
	return r.Role == tsync.OwnerPredicted && r.Owner == c.participant && r.Owner != 0
}

// overtaken reports whether a role tells nothing that is newer than what is known.
func overtaken(old *knownRole, r *tsync.Role) bool {
	if old.told.Gen != r.Gen {
		return newerGen(old.told.Gen, r.Gen)
	}
	if old.told.OwnershipEpoch != r.OwnershipEpoch {
		return newer(old.told.OwnershipEpoch, r.OwnershipEpoch)
	}
	was := old.told
	was.Event = r.Event
	return was == *r && !old.exited
}

// learn finds out who the client is.
func (c *Client) learn(r *tsync.Role) {
	given := r.Event == tsync.RoleAssign || r.Event == tsync.RoleHandoff
	if c.participant == 0 && given && r.Role == tsync.OwnerPredicted {
		c.participant = r.Owner
	}
}

// own makes an object one of the client's own. In the same ownership inputs count on, even if the object was put
// somewhere else by another life; those of another ownership are void.
func (c *Client) own(r *tsync.Role) error {
	n, ok := c.place(r.Object)
	if ok {
		o := c.owned[n]
		if o.epoch != r.OwnershipEpoch {
			o.begin(r, c.view)
		} else if newerGen(r.Gen, o.gen) {
			o.gen = r.Gen
		}
		return nil
	}
	if len(c.owned) >= c.cfg.MaxOwned && !c.evict() {
		return ErrOwned
	}
	o, err := c.take(r.Object)
	if err != nil {
		return err
	}
	o.begin(r, c.view)
	n, _ = c.place(r.Object)
	c.owned = slices.Insert(c.owned, n, o)
	return nil
}

// evict forgets an object that is out of view, because there are too many: rather one of which the server said so.
func (c *Client) evict() bool {
	n := slices.IndexFunc(c.owned, func(o *own) bool { return !o.placed && c.roles[o.object].exited })
	if n < 0 {
		n = slices.IndexFunc(c.owned, func(o *own) bool { return !o.placed })
	}
	if n < 0 {
		return false
	}
	object := c.owned[n].object
	c.disown(object)
	delete(c.roles, object)
	return true
}

// take returns something to own an object with: preferably what it was owned with before, because inputs of that time
// may still be acknowledged.
func (c *Client) take(object uint32) (*own, error) {
	if len(c.spare) > 0 {
		n := max(0, slices.IndexFunc(c.spare, func(o *own) bool { return o.object == object }))
		o := c.spare[n]
		c.spare = slices.Delete(c.spare, n, n+1)
		return o, nil
	}
	p, err := NewPredictor(c.cfg.Predictor, tsync.State{Rotation: [4]float32{3: 1}})
	if err != nil {
		return nil, err
	}
	s, err := NewSender(c.cfg.Sender, 0, 0)
	if err != nil {
		return nil, err
	}
	return &own{predictor: p, sender: s}, nil
}

// disown makes an object one that is shown as it was, and its inputs void.
func (c *Client) disown(object uint32) {
	if n, ok := c.place(object); ok {
		c.spare = append(c.spare, c.owned[n])
		c.owned = slices.Delete(c.owned, n, n+1)
	}
}
