package server

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// Ack takes the body of a kind-10 frame. Snapshots that it names and that the server never sent, or does not keep any
// more, count for nothing, and what was acknowledged before is not taken back. It returns an error of
// [tsync.ParseAck], or [ErrNotAck].
func (c *Client) Ack(body []byte) error {
	a, err := tsync.ParseAck(body)
	if err != nil {
		c.stats.Malformed++
		return err
	}
	return c.ack(a)
}

func (c *Client) ack(a tsync.Ack) error {
	window, err := baseline.FromWire(a.ID, a.History)
	if err != nil {
		c.stats.Malformed++
		return fmt.Errorf("%w: %w", ErrNotAck, err)
	}
	if !c.acked(window) {
		c.stats.AcksIgnored++
	}
	c.lagMeter.Acked(a.ID, a.History, c.ids.Last)
	return nil
}

// acked makes the newest snapshot that a window names, and that the server still keeps, the base. It reports whether it
// is newer than the one before.
func (c *Client) acked(window baseline.Window[uint32]) bool {
	for id := range window.All() {
		if id > c.ids.Last && !c.world.config.Reference {
			continue // never sent
		}
		c.newestAck = max(c.newestAck, id)
		if c.states.rebase(id) {
			c.ackedTick = c.states.confirmed().tick
			return true
		}
	}
	return false
}
