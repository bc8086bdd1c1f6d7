package server

import (
	"iter"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// known is what a client knows of an object once it has applied a snapshot.
type known struct {
	id       uint32
	gen      uint16
	velocity bool // was told
	codes    codes
}

func (k known) latched() Latched {
	o := Latched{ID: k.id, Gen: k.gen, ReplicateVelocity: k.velocity}
	k.codes.widen(&o.Codes)
	if !k.velocity {
		o.Codes.Velocity = [3]uint64{}
	}
	return o
}

// state is all that a client knows once it has applied a snapshot.
type state struct {
	id      uint32 // of the snapshot
	tick    uint64
	objects []known       // by ascending id
	exact   []tsync.State // of the objects, with Config.Reference
}

// states are those a client may base snapshots on: the one it has acknowledged, if any, and after it those of
// the snapshots that are on their way. The memory of those that are let go is used again, the last first.
type states struct {
	kept  []*state // by ascending id
	base  uint32   // id of the first, or 0
	spare []*state
}

// add returns a state to be filled in for a new snapshot, whose id is above all others. Of more than limit states
// the oldest that is not the base is let go.
func (s *states) add(id uint32, limit int) *state {
	n := len(s.spare)
	if n == 0 {
		s.spare = append(s.spare, new(state))
		n = 1
	}
	next := s.spare[n-1]
	s.spare = s.spare[:n-1]
	*next = state{id: id, objects: next.objects[:0], exact: next.exact[:0]}
	s.kept = append(s.kept, next)
	if len(s.kept) > limit {
		oldest := 0
		if s.base != 0 {
			oldest = 1
		}
		s.release(oldest, oldest+1)
	}
	return next
}

// release lets go of kept[i:j].
func (s *states) release(i, j int) {
	s.spare = append(s.spare, s.kept[i:j]...)
	s.kept = slices.Delete(s.kept, i, j)
}

// find returns where a snapshot's state is kept.
func (s *states) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(s.kept, id, func(k *state, id uint32) int {
		switch {
		case k.id < id:
			return -1
		case k.id > id:
			return 1
		}
		return 0
	})
}

// rebase makes a kept state the base, unless the base is as new, and lets go of what is older. It reports whether it
// did.
func (s *states) rebase(id uint32) bool {
	if id <= s.base {
		return false
	}
	i, ok := s.find(id)
	if !ok {
		return false
	}
	s.release(0, i)
	s.base = id
	return true
}

// confirmed returns the base, or nil.
func (s *states) confirmed() *state {
	if s.base == 0 {
		return nil
	}
	return s.kept[0]
}

// Known yields the objects that the client has once it has applied a snapshot, by ascending id, and nothing if the
// server does not remember that snapshot. What waits for room is as the client had it before.
func (c *Client) Known(snapshot uint32) iter.Seq[Latched] {
	return func(yield func(Latched) bool) {
		i, ok := c.states.find(snapshot)
		if !ok {
			return
		}
		for _, k := range c.states.kept[i].objects {
			if !yield(k.latched()) {
				return
			}
		}
	}
}
