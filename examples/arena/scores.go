package main

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// scores are a duel as a client sees it, and what the client says of its own fighter.
type scores struct {
	link     *live.ReplicaClient
	fighters map[uint32]*FighterReplica // by object
	board    ScoreboardReplica

	name   string
	object uint32         // the client's own, which wish and author are for
	wish   FighterReplica // what its fighter is to be like
	author *replica.Author
}

func newScores(conn *citadel.Conn, name string) *scores {
	return &scores{
		link:     live.NewReplicaClient(conn, replica.NewReceiver(maxPlayers+1, ReplicatedClasses()...)),
		fighters: make(map[uint32]*FighterReplica),
		name:     name,
	}
}

// handle takes an event of the connection, and reports whether it was about scores.
func (s *scores) handle(e citadel.Event) (bool, error) { return s.link.Handle(e, s.changed) }

// changed takes over what has arrived.
func (s *scores) changed(u replica.Update) {
	switch u.Class() {
	case FighterClass():
		f := s.fighters[u.Object]
		if f == nil {
			f = new(FighterReplica)
			s.fighters[u.Object] = f
		}
		f.ReadReplica(u.State, u.Changed)
	case ScoreboardClass():
		before := s.listed()
		s.board.ReadReplica(u.State, u.Changed)
		now := s.listed()
		for object := range before {
			if _, still := now[object]; !still { // the only notice there is
				s.link.Receiver().Forget(object)
				delete(s.fighters, object)
			}
		}
	}
}

// listed returns the scores on the board, by object.
func (s *scores) listed() map[uint32]uint16 {
	list := make(map[uint32]uint16, s.board.Lines().Len())
	for _, l := range s.board.Lines().All() {
		list[l.object()] = l.score()
	}
	return list
}

// down reports whether the fighter of an object is down.
func (s *scores) down(object uint32) bool {
	f := s.fighters[object]
	return f != nil && f.down()
}

// propose sends what the client says of its own object, 0 if it has none. The server has to have shown it first.
func (s *scores) propose(object uint32) error {
	if s.fighters[object] == nil {
		return nil
	}
	if s.object != object {
		s.link.Receiver().Own(s.object, false)
		s.link.Receiver().Own(object, true)
		s.object, s.wish, s.author = object, FighterReplica{}, replica.NewAuthor(FighterClass(), object, 0)
	}
	s.wish.SetName(s.name)
	s.wish.SetEmote(s.mood())
	return s.link.Propose(s.author, &s.wish)
}

// mood is how the client's fighter feels: it weeps when it is down, and cheers when nobody has a higher score.
func (s *scores) mood() Emote {
	if s.down(s.object) {
		return Weeps
	}
	list := s.listed()
	mine := list[s.object]
	for _, score := range list {
		if mine == 0 || score > mine {
			return Calm
		}
	}
	return Cheers
}
