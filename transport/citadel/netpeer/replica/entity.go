package replica

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// Entity is an object of a [Sender].
type Entity struct {
	id         uint32
	class      *Class
	group      uint64
	owner      PeerID
	generation uint64

	state  *State
	dirty  Fields // what an object reported and could not be written
	latest *snapshot
	frozen uint64 // version of the state that latest is of
	serial uint64
	free   []*snapshot
	gone   bool

	payloads []payload // for the latest snapshot
	used     int
}

// payload is the packed values of a bunch, for all receivers that have the same baseline and see the same fields.
type payload struct {
	from   uint64 // serial of the baseline, 0 for a full bunch
	role   Role
	values []netpeer.Prepared
	arena  []byte
}

// maxPayloads is how many payloads of an object are kept. Receivers with yet other baselines get their own.
const maxPayloads = 8

// ID returns the number of the object.
func (e *Entity) ID() uint32 { return e.id }

// Class returns the class of the object.
func (e *Entity) Class() *Class { return e.class }

// Owner returns who owns the object, or [Nobody].
func (e *Entity) Owner() PeerID { return e.owner }

// Group returns the group that the object is in.
func (e *Entity) Group() uint64 { return e.group }

// Generation returns a number that no other object of the sender has or had, also none with the same id.
func (e *Entity) Generation() uint64 { return e.generation }

// State returns the state of the object, which is the caller's to change.
func (e *Entity) State() *State { return e.state }

// Capture brings the state up to date with a value of the game. After an error, which is one of the setters of
// [State], the fields that were reported as dirty are written again next time; what could be written is there.
func (e *Entity) Capture(o Object) error {
	if o.ReplicaClass() != e.class {
		return ErrClass
	}
	o.TakeDirty(e.dirty)
	if e.dirty.Empty() {
		return nil
	}
	if err := o.WriteReplica(e.state, e.dirty); err != nil {
		return err
	}
	e.dirty.Clear()
	return nil
}

// freeze returns the snapshot of what the state is now.
func (e *Entity) freeze() *snapshot {
	s := e.state
	if e.latest != nil && e.frozen == s.version {
		return e.latest
	}
	var shot *snapshot
	if n := len(e.free); n > 0 {
		shot, e.free = e.free[n-1], e.free[:n-1]
	} else {
		shot = new(snapshot)
	}
	e.serial++
	shot.serial, shot.refs = e.serial, 1
	shot.values = append(shot.values[:0], s.values...)
	shot.exact = nil
	if s.exact != nil {
		shot.exact = append([]exact(nil), s.exact...)
	}
	s.own.Clear()
	if e.latest != nil {
		e.release(e.latest)
	}
	e.latest, e.frozen, e.used = shot, s.version, 0
	return shot
}

func (e *Entity) release(s *snapshot) {
	if s.refs--; s.refs == 0 && !e.gone {
		clear(s.values) // let go of byte strings and collections
		e.free = append(e.free, s)
	}
}

// payload returns the payload that is kept for a baseline and a role, or, without one, room for a new one, or nil.
func (e *Entity) payload(from uint64, role Role) (p *payload, ready bool) {
	for i := range e.payloads[:e.used] {
		if p := &e.payloads[i]; p.from == from && p.role == role {
			return p, true
		}
	}
	if e.used == maxPayloads {
		return nil, false
	}
	if e.used == len(e.payloads) {
		e.payloads = append(e.payloads, payload{})
	}
	p = &e.payloads[e.used]
	p.from, p.role, p.values, p.arena = from, role, p.values[:0], p.arena[:0]
	return p, false
}
