package server

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// giveSlot gives a client the lowest free slot, if there is one, and an object to go with it.
func (w *World) giveSlot(c *Client) {
	for i, taken := range w.slots {
		if taken != nil {
			continue
		}
		id := uint32(i + 1)
		_, err := w.Spawn(Object{
			ID: id, Role: tsync.OwnerPredicted, Owner: c.participant,
			State: w.config.SpawnPoint(id), ReplicateVelocity: true, Shape: rewind.Shape{Radius: rewind.DefaultRadius},
		})
		if err != nil {
			return
		}
		w.slots[i], c.slot = c, i+1
		c.Follow(id)
		return
	}
}

// freeSlot takes the slot of a client back.
func (w *World) freeSlot(c *Client) {
	if c.slot != 0 {
		w.slots[c.slot-1] = nil
		w.Despawn(uint32(c.slot))
		c.slot = 0
	}
}
