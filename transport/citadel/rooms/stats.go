package rooms

// Stats counts what the rooms have seen.
type Stats struct {
	Rooms   int // now
	Actors  int // now, in all rooms
	Clients int // connections that have asked for a room and are not closed

	Joined    uint64 // times that somebody became a member
	Left      uint64 // times that somebody ceased to be one
	Rejected  uint64 // requests for rooms that were turned down
	Positions uint64 // relayed, each counted once
	States    uint64 // of actors, applied
	Unsent    uint64 // envelopes that a connection refused: it is closed, or the envelope does not fit

	Drops Drops
}

// Drops counts what clients have sent in vain, by reason.
type Drops struct {
	Malformed     uint64 // the body could not be parsed
	Stray         uint64 // in the wrong direction, or as a datagram although it must be reliable
	NotMember     uint64 // the sender is in no room
	Stale         uint64 // the sender is in another room than it believes
	Limited       uint64 // positions and actors beyond the rates
	Oversized     uint64 // positions beyond Config.MaxRelay
	NotOwner      uint64 // states of actors that do not exist, or are somebody else's
	Predicted     uint64 // states of actors that the server moves
	BadTransform  uint64 // not finite, or without a rotation
	ActorsRefused uint64 // by Config.Spawn, or beyond the bounds
}

// Stats returns the counters.
func (r *Rooms) Stats() Stats {
	s := r.stats
	s.Rooms, s.Clients = len(r.rooms), len(r.clients)
	return s
}
