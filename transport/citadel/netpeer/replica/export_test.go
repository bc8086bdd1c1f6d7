package replica

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// ClassOf returns a class whose identity is that of a schema, whatever its table would give, for data that have
// schemas without tables. All its fields go to everybody.
func ClassOf(wire *netpeer.Schema) *Class {
	c := &Class{wire: wire}
	properties := make([]schema.Property, wire.Len())
	for i := range properties {
		if wire.Field(i).Kind() == netpeer.KindCollection {
			c.lists = append(c.lists, i)
		}
	}
	for role := range c.views {
		c.views[role] = newView(Role(role), properties)
	}
	return c
}

// AckWindow gives a sender the window of a receiver, without an envelope around it.
func (s *Sender) AckWindow(to PeerID, object uint32, latest uint64, history uint32) (uint64, bool, error) {
	if s.peers[to] == nil {
		_, err := baseline.FromWire(latest, history)
		return 0, false, err
	}
	return s.peers[to].ack(object, latest, history)
}

// Snapshots returns how many snapshots of an object are in memory, in use or not.
func (s *Sender) Snapshots(object uint32) int {
	e := s.entities[object]
	seen := map[*snapshot]bool{e.latest: true}
	for _, shot := range e.free {
		seen[shot] = true
	}
	for _, p := range s.peers {
		if l := p.links[object]; l != nil {
			seen[l.acked] = true
			for _, p := range l.pending {
				seen[p.sent] = true
			}
		}
	}
	delete(seen, nil)
	return len(seen)
}

// Stored returns how many states of an object are kept.
func (r *Receiver) Stored(object uint32) int { return len(r.objects[object].stored) }

// Groups returns how many groups the sender has a grid for.
func (s *Sender) Groups() int { return len(s.grids) }

// Recount returns what [Receiver.Memory] should, from the states that are there.
func (r *Receiver) Recount() (n int) {
	for _, o := range r.objects {
		for _, s := range o.stored {
			n += valueSize * len(s.values)
			for i := range s.values {
				n += extra(&s.values[i])
			}
		}
	}
	return n
}
