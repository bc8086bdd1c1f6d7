package rooms

import "github.com/ariadne-netcode/ariadne/transport/citadel/wire"

// relay passes a position on to the others in the room. What it holds is not this package's business.
func (r *Rooms) relay(p Peer, body []byte) {
	c, ok := r.member(p)
	switch {
	case !ok:
		return
	case len(body) > r.cfg.MaxRelay:
		r.stats.Drops.Oversized++
		return
	case !c.positions.allow(r.cfg.Now(), r.positions):
		r.stats.Drops.Limited++
		return
	}
	r.stats.Positions++
	r.body = wire.AppendTagged(r.body[:0], wire.Tagged{Sender: c.id, Payload: body})
	for _, other := range c.room.members {
		if other != c && !r.deaf(other) {
			r.sent(other.peer.SendDatagram(wire.KindPeerPosition, r.body))
		}
	}
}

// Broadcast sends an envelope reliably to the members of a room, except to the connection with the given id; 0 is
// nobody's. With Config.WaitForMap, it goes to those who are ready. It does not retain body, and returns to how many
// it was sent.
func (r *Rooms) Broadcast(id wire.RoomID, kind wire.Kind, body []byte, except uint64) (sent int) {
	return r.broadcast(id, except, func(p Peer) error { return p.Send(kind, body) })
}

// BroadcastDatagram does unreliably what [Rooms.Broadcast] does reliably.
func (r *Rooms) BroadcastDatagram(id wire.RoomID, kind wire.Kind, body []byte, except uint64) (sent int) {
	return r.broadcast(id, except, func(p Peer) error { return p.SendDatagram(kind, body) })
}

func (r *Rooms) broadcast(id wire.RoomID, except uint64, send func(Peer) error) (sent int) {
	m := r.rooms[id]
	if m == nil {
		return 0
	}
	for _, c := range m.members {
		if c.id == except || r.deaf(c) {
			continue
		}
		err := send(c.peer)
		r.sent(err)
		if err == nil {
			sent++
		}
	}
	return sent
}
