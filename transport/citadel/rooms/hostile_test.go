package rooms_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// requests are whole bodies of what clients send, and answers of what servers send.
func requests() []wire.Envelope {
	return []wire.Envelope{create("name"), join(1), leave(1), ready(1), presence(7, at(1)), state(1, at(1))}
}

func answers() []wire.Envelope {
	return []wire.Envelope{
		joined(1, "level"), spawned(spawn(1, 2, 3, 4)), batch(spawn(1, 2, 3, 4), spawn(2, 2, 3, 4)), despawned(1),
		withID(wire.KindRoomLeave, 1),
		{Kind: wire.KindRoomReject, Body: wire.AppendRoomReject(nil, wire.RoomReject{Reason: []byte("reason")})},
		{Kind: wire.KindMatchClosed, Body: make([]byte, wire.MatchClosedBytes)},
		{Kind: wire.KindPeerPosition, Body: make([]byte, wire.SenderIDBytes)},
	}
}

// Every prefix of every body is dropped, counted, answered by nobody, and changes nothing.
func TestMalformedRequests(t *testing.T) {
	s := newStage(t, rooms.Config{}, 2)
	s.do(1, create("a"), presence(7, at(1)))
	s.do(2, create("a"), presence(7, at(2)))
	s.hush()
	before := s.Stats()
	for _, e := range requests() {
		for n := range len(e.Body) {
			for _, p := range []rooms.Peer{s.peers[0], &peer{id: 99}} {
				require.True(t, s.Frame(p, wire.Envelope{Kind: e.Kind, Body: e.Body[:n]}))
				before.Drops.Malformed++
				require.Equal(t, before, s.Stats(), "%v of %d bytes", e.Kind, n)
			}
		}
	}
	s.silence()
}

func TestMalformedAnswers(t *testing.T) {
	l := newListener(rooms.ClientConfig{})
	l.hear(t, joined(9, "a"), spawned(spawn(9, 9, 9, 9)))
	l.heard()
	var malformed uint64
	for _, e := range answers() {
		for n := range len(e.Body) {
			require.True(t, l.Frame(wire.Envelope{Kind: e.Kind, Body: e.Body[:n]}))
			malformed++
		}
	}
	huge := wire.Envelope{Kind: wire.KindNASpawnBatch, Body: []byte{0xff, 0xff, 0, 0}}
	badText := joined(9, "\xff")
	l.hear(t, huge, badText)
	require.Empty(t, l.heard())
	require.Equal(t, rooms.ClientStats{Malformed: malformed + 2}, l.Stats())
}

// What comes the wrong way is nobody's but ours: it is dropped here, and not passed to somebody who might believe it.
func TestStrays(t *testing.T) {
	s := newStage(t, rooms.Config{}, 1)
	l := newListener(rooms.ClientConfig{})
	var toServer, toClient uint64
	for _, e := range answers() {
		if e.Kind != wire.KindRoomLeave {
			s.do(1, e)
			s.datagram(1, e)
			toServer += 2
		}
		if e.Kind != wire.KindPeerPosition {
			require.True(t, l.Datagram(e))
			toClient++
		}
	}
	for _, e := range append(requests(), position("x")) {
		if e.Kind != wire.KindNAState {
			if e.Kind != wire.KindPosition {
				s.datagram(1, e)
				toServer++
			}
		}
		if e.Kind != wire.KindRoomLeave {
			l.hear(t, e)
			require.True(t, l.Datagram(e))
			toClient += 2
		}
	}
	s.silence()
	require.Empty(t, l.heard())
	require.Equal(t, toServer, s.Stats().Drops.Stray)
	require.Equal(t, rooms.ClientStats{Stray: toClient}, l.Stats())
	for _, kind := range []wire.Kind{0, wire.KindRPCRequest, wire.KindAuth, wire.KindTsyncHello, wire.KindMatchmakerMatched, 100, 0xC001} {
		e := wire.Envelope{Kind: kind, Body: make([]byte, 100)}
		require.False(t, s.Frame(s.peers[0], e), "%v", kind)
		require.False(t, s.Datagram(s.peers[0], e), "%v", kind)
		require.False(t, l.Frame(e), "%v", kind)
		require.False(t, l.Datagram(e), "%v", kind)
	}
}

// A client that floods with whatever makes the server talk to others makes it talk no more than the rates allow.
func TestFlood(t *testing.T) {
	c := &clock{now: time.Unix(1000, 0)}
	s := newStage(t, rooms.Config{Now: c.read}, 3)
	for n := range 2 {
		s.do(n+1, create("a"))
		s.do(n+1, presence(7, at(1)))
	}
	s.hush()
	const floods, seconds = 4000, 10
	for i := range floods {
		c.now = c.now.Add(seconds * time.Second / floods)
		s.do(3, create("a"), presence(7, at(1)), presence(7, at(1)), leave(1), position("x"), state(1, at(9)), ready(1), join(1))
		if i%100 == 0 {
			s.peers[2].out = nil
		}
	}
	heard := len(s.peers[0].take(t))
	most := rooms.DefaultRequestBurst + seconds*rooms.DefaultRequestRate
	require.LessOrEqual(t, heard, 2*most+rooms.DefaultPositionBurst+seconds*rooms.DefaultPositionRate)
	require.NotZero(t, heard)
	a, _ := s.Actor(1, 1)
	require.Equal(t, at(1), a.Transform)
}

// Nothing that a client makes up keeps the server's memory once it has gone.
func TestNothingIsKept(t *testing.T) {
	s := newStage(t, rooms.Config{MaxRooms: 10}, 0)
	for i := range 5000 {
		p := &peer{id: uint64(i + 1)}
		require.True(t, s.Frame(p, create(fmt.Sprint("room ", i))))
		require.True(t, s.Frame(p, presence(1, at(0))))
		s.Closed(p)
		_, in := s.RoomOf(p.id)
		require.False(t, in)
	}
	stats := s.Stats()
	require.Zero(t, stats.Rooms)
	require.Zero(t, stats.Actors)
	require.Zero(t, stats.Clients)
	require.EqualValues(t, 5000, stats.Joined)
	require.Zero(t, stats.Rejected)
	s.Closed(&peer{id: 1})
}

// FuzzServer lets two clients send anything. The books must balance afterwards, and nobody may hear of what is not
// his business.
func FuzzServer(f *testing.F) {
	var whole []byte
	for _, e := range append(requests(), position("x")) {
		whole = append(whole, byte(e.Kind), byte(len(e.Body)))
		whole = append(whole, e.Body...)
	}
	f.Add(whole)
	f.Add([]byte{21, 3, 0, 1, 'a', 0x80 | 21, 3, 0, 1, 'a', 24, 8, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Add([]byte{22, 0, 0x40, 0xff})
	f.Fuzz(func(t *testing.T, script []byte) {
		s := newStage(t, unlimited(rooms.Config{MaxRooms: 2, MaxMembers: 2, MaxActors: 2}), 2)
		views := []*listener{newListener(rooms.ClientConfig{}), newListener(rooms.ClientConfig{})}
		for len(script) >= 2 {
			op, n := script[0], min(int(script[1]), len(script)-2)
			e := wire.Envelope{Kind: wire.Kind(op & 0x3f), Body: script[2 : 2+n]}
			script = script[2+n:]
			p := s.peers[op>>7]
			if op&0x40 != 0 {
				s.Datagram(p, e)
			} else {
				s.Frame(p, e)
			}
		}
		stats := s.Stats()
		members, actors := 0, 0
		for m := range s.All() {
			members += m.Members
			actors += m.Actors
			require.NotZero(t, m.Members, "a room that nobody keeps")
		}
		require.EqualValues(t, members, stats.Joined-stats.Left)
		require.Equal(t, actors, stats.Actors)
		require.Zero(t, stats.Unsent)
		for i, p := range s.peers {
			room, in := s.RoomOf(p.id)
			view := views[i]
			for _, out := range p.out {
				if out.reliable {
					require.True(t, view.Frame(wire.Envelope{Kind: out.kind, Body: out.body}))
				} else {
					require.True(t, view.Datagram(wire.Envelope{Kind: out.kind, Body: out.body}))
				}
			}
			require.Equal(t, rooms.ClientStats{}, view.Stats(), "a server tells nothing in vain")
			got, told := view.Room()
			require.Equal(t, in, told)
			require.Equal(t, room.ID, got.Room)
			own := false
			for a := range s.Actors(room.ID) {
				own = own || a.Owner == p.id
			}
			if own {
				require.Len(t, view.Actors(), room.Actors)
			}
		}
	})
}

// FuzzClient lets a server send anything.
func FuzzClient(f *testing.F) {
	var whole []byte
	for _, e := range answers() {
		whole = append(whole, byte(e.Kind), byte(len(e.Body)))
		whole = append(whole, e.Body...)
	}
	f.Add(whole)
	f.Add([]byte{18, 2, 0xff, 0xff, 0x40 | 2, 8, 0, 0, 0, 0, 0, 0, 0, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		shown := map[uint32]bool{}
		in := false
		cfg := rooms.ClientConfig{
			MaxActors: 3,
			Joined:    func(rooms.Joined) { in = true },
			Left: func(wire.RoomID) {
				require.True(t, in)
				require.Empty(t, shown, "actors without a room")
				in = false
			},
			Spawned: func(a wire.Spawn, _ bool) {
				require.False(t, shown[a.Object], "twice")
				shown[a.Object] = true
				require.LessOrEqual(t, len(shown), 3)
			},
			Despawned: func(a wire.Spawn) {
				require.True(t, shown[a.Object], "never seen")
				delete(shown, a.Object)
			},
		}
		c := rooms.NewClient(&peer{id: 1}, cfg)
		require.NoError(t, c.Announce(3, at(0)))
		for len(script) >= 2 {
			op, n := script[0], min(int(script[1]), len(script)-2)
			e := wire.Envelope{Kind: wire.Kind(op & 0x3f), Body: script[2 : 2+n]}
			script = script[2+n:]
			if op&0x40 != 0 {
				c.Datagram(e)
			} else {
				c.Frame(e)
			}
		}
		require.Len(t, c.Actors(), len(shown))
		_, told := c.Room()
		require.Equal(t, in, told)
		c.Closed()
		require.Empty(t, shown)
		require.False(t, in)
	})
}

// Random bytes as bodies, of every kind.
func TestGarbage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := newStage(t, unlimited(rooms.Config{}), 3)
	l := newListener(rooms.ClientConfig{})
	for range 20_000 {
		body := make([]byte, rng.IntN(80))
		for i := range body {
			body[i] = byte(rng.Uint32()) & byte(rng.Uint32()) // small numbers are more interesting
		}
		e := wire.Envelope{Kind: wire.Kind(rng.IntN(36)), Body: body}
		p := s.peers[rng.IntN(3)]
		s.Frame(p, e)
		s.Datagram(p, e)
		l.Frame(e)
		l.Datagram(e)
	}
	stats := s.Stats()
	require.NotZero(t, stats.Drops.Malformed)
	require.NotZero(t, stats.Joined)
	require.NotZero(t, l.Stats().Malformed)
	require.NotEmpty(t, l.heard())
	for _, p := range s.peers {
		s.Closed(p)
	}
	require.Zero(t, s.Stats().Rooms)
	require.Zero(t, s.Stats().Actors)
}
