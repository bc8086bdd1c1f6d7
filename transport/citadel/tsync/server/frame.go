package server

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// frame is the world as it was at the end of a step. Everything that clients are told comes from it, and each object
// was quantised for it once, however many clients hear of it.
type frame struct {
	tick    uint64
	objects []latched     // by place
	exact   []tsync.State // by place, with Config.Reference
}

// latched is an object in a frame.
type latched struct {
	id       uint32
	gen      uint16
	live     bool
	velocity bool // is replicated
	predicts bool // the owner predicts it, and is owed the last input that counted
	codes    codes
	owner    uint64
	inputSeq uint32
	weight   float32
}

// codes are [tsync.Codes] in half the room: no axis of a server has more than 32 bits.
type codes struct {
	position, velocity [3]uint32
	rotation           uint64
}

func narrow(c *tsync.Codes) (n codes) {
	for i := range c.Position {
		n.position[i], n.velocity[i] = uint32(c.Position[i]), uint32(c.Velocity[i])
	}
	n.rotation = c.Rotation
	return n
}

func (n *codes) widen(c *tsync.Codes) {
	for i := range n.position {
		c.Position[i], c.Velocity[i] = uint64(n.position[i]), uint64(n.velocity[i])
	}
	c.Rotation = n.rotation
}

// changed returns the fields in which n and base differ.
func (n *codes) changed(base *codes) tsync.Fields {
	return fields(n.position != base.position, n.rotation != base.rotation, n.velocity != base.velocity)
}

func fields(position, rotation, velocity bool) (f tsync.Fields) {
	if position {
		f |= tsync.FieldPosition
	}
	if rotation {
		f |= tsync.FieldRotation
	}
	if velocity {
		f |= tsync.FieldVelocity
	}
	return f
}

// latch makes the frame that of the world as it is now.
func (w *World) latch() {
	w.frame.tick = w.tick
	for i := range w.objects {
		p, l := &w.objects[i], &w.frame.objects[i]
		if l.live && (!p.live || p.ID != l.id) {
			w.grid.Remove(l.id)
			*l = latched{}
		}
		if !p.live {
			continue
		}
		l.gen, l.velocity, l.weight = p.Gen, p.ReplicateVelocity, p.weight()
		l.owner, l.inputSeq = p.Owner, p.InputSeq
		l.predicts = p.Role == tsync.OwnerPredicted && p.Owner != 0
		if !p.stale && l.live {
			continue
		}
		p.stale = false
		var wide tsync.Codes
		if err := w.codec.Quantize(&p.State, tsync.StateFields, &wide); err != nil {
			panic("server: a state that is not finite got into the world: " + err.Error())
		}
		l.codes = narrow(&wide)
		if !l.live {
			l.id, l.live = p.ID, true
		}
		w.grid.Move(p.ID, p.State.Position)
	}
	if w.config.Reference {
		w.frame.exact = w.frame.exact[:0]
		for i := range w.objects {
			w.frame.exact = append(w.frame.exact, w.objects[i].State)
		}
	}
}

// Latched is an object in a frame, or as a client knows it.
type Latched struct {
	ID                uint32
	Gen               uint16
	ReplicateVelocity bool
	Codes             tsync.Codes // the velocity is zero unless it is replicated
}

// Latched returns an object as it is in the last frame: what a client has that is up to date.
func (w *World) Latched(id uint32) (Latched, bool) {
	at, ok := w.places[id]
	if !ok {
		return Latched{}, false
	}
	l := &w.frame.objects[at]
	if !l.live || l.id != id {
		return Latched{}, false
	}
	return known{id: l.id, gen: l.gen, velocity: l.velocity, codes: l.codes}.latched(), true
}

// latchedAt returns the place of an object of the frame, which is most likely the one that is guessed, or -1.
func (w *World) latchedAt(id uint32, guess int32) int32 {
	if guess >= 0 && int(guess) < len(w.frame.objects) && w.frame.objects[guess].id == id && w.frame.objects[guess].live {
		return guess
	}
	if at, ok := w.places[id]; ok && w.frame.objects[at].id == id && w.frame.objects[at].live {
		return at
	}
	return -1
}
