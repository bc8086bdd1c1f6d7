package rooms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// listener is a client that writes down what it is told.
type listener struct {
	*rooms.Client
	conn *peer
	told []string
}

func newListener(cfg rooms.ClientConfig) *listener {
	l := &listener{conn: &peer{id: 77}}
	cfg.Joined = func(j rooms.Joined) { l.tell("joined %d %s %s", j.Room, j.Map, j.Mode) }
	cfg.Left = func(id wire.RoomID) { l.tell("left %d", id) }
	cfg.Rejected = func(k wire.Kind, reason string) { l.tell("rejected %v: %s", k, reason) }
	cfg.MatchClosed = func(m wire.MatchClosed) { l.tell("match closed %d %d %v", m.Room, m.Reason, m.Requeue) }
	cfg.Spawned = func(a wire.Spawn, own bool) { l.tell("spawned %s own=%v", actor(a), own) }
	cfg.Despawned = func(a wire.Spawn) { l.tell("despawned %s", actor(a)) }
	cfg.Position = func(sender uint64, payload []byte) { l.tell("position of %d: %s", sender, payload) }
	l.Client = rooms.NewClient(l.conn, cfg)
	return l
}

func (l *listener) tell(format string, args ...any) {
	l.told = append(l.told, fmt.Sprintf(format, args...))
}

// heard returns what the client has been told since the last time.
func (l *listener) heard() []string {
	told := l.told
	l.told = nil
	return told
}

// What a server sends.

func joined(id wire.RoomID, level string) wire.Envelope {
	return wire.Envelope{Kind: wire.KindRoomJoined, Body: wire.AppendRoomJoined(nil, wire.RoomJoined{Room: id, Map: []byte(level), Mode: []byte("hunt")})}
}

func spawn(object uint32, owner uint64, archetype uint16, x float32) wire.Spawn {
	return wire.Spawn{Object: object, Owner: owner, Archetype: archetype, Transform: at(x)}
}

func spawned(a wire.Spawn) wire.Envelope {
	return wire.Envelope{Kind: wire.KindNASpawn, Body: wire.AppendSpawn(nil, a)}
}

func batch(as ...wire.Spawn) wire.Envelope {
	return wire.Envelope{Kind: wire.KindNASpawnBatch, Body: wire.AppendSpawnBatch(nil, as)}
}

func despawned(object uint32) wire.Envelope {
	return wire.Envelope{Kind: wire.KindNADespawn, Body: wire.AppendDespawn(nil, wire.Despawn{Object: object})}
}

// hear gives a client envelopes, each of which must be its business.
func (l *listener) hear(t testing.TB, es ...wire.Envelope) {
	t.Helper()
	for _, e := range es {
		require.True(t, l.Frame(e))
		clear(e.Body) // it was borrowed
	}
}

func TestClientRequests(t *testing.T) {
	l := newListener(rooms.ClientConfig{})
	require.ErrorIs(t, l.Leave(), rooms.ErrNotInRoom)
	require.ErrorIs(t, l.MapReady(), rooms.ErrNotInRoom)
	require.NoError(t, l.Create([]byte("lobby")))
	require.NoError(t, l.Join(5))
	l.hear(t, joined(5, "labyrinth"))
	require.Equal(t, []string{"joined 5 labyrinth hunt"}, l.heard())
	require.NoError(t, l.MapReady())
	require.NoError(t, l.Announce(7, at(1)))
	require.NoError(t, l.SendState(9, at(2)))
	require.NoError(t, l.SendPosition(wire.Position{X: 3, Y: 4}))
	require.NoError(t, l.Leave())

	var want []sent
	for _, e := range []wire.Envelope{create("lobby"), join(5), ready(5), presence(7, at(1)), state(9, at(2)),
		{Kind: wire.KindPosition, Body: wire.AppendPosition(nil, wire.Position{X: 3, Y: 4})}, leave(5)} {
		want = append(want, sent{e.Kind, e.Body, e.Kind != wire.KindPosition && e.Kind != wire.KindNAState})
	}
	require.Equal(t, want, l.conn.out)
	room, in := l.Room()
	require.True(t, in, "until the server says otherwise")
	require.Equal(t, rooms.Joined{Room: 5, Map: "labyrinth", Mode: "hunt"}, room)
	l.conn.closed = true
	require.Error(t, l.Create(nil))
	require.Error(t, l.Announce(7, at(1)))
}

func TestClientLeaves(t *testing.T) {
	l := newListener(rooms.ClientConfig{})
	l.hear(t, withID(wire.KindRoomLeave, 5))
	l.hear(t, joined(5, "a"), spawned(spawn(3, 1, 7, 1)), spawned(spawn(2, 0, 8, 2)))
	l.heard()
	l.hear(t, withID(wire.KindRoomLeave, 6))
	require.Empty(t, l.heard())
	l.hear(t, withID(wire.KindRoomLeave, 5))
	require.Equal(t, []string{"despawned 2/0/8@2", "despawned 3/1/7@1", "left 5"}, l.heard())
	l.hear(t, withID(wire.KindRoomLeave, 5))
	require.Empty(t, l.heard(), "once is enough")
	require.EqualValues(t, 3, l.Stats().Stale)

	// Moved without a word.
	l.hear(t, joined(6, "b"), spawned(spawn(4, 1, 7, 1)), joined(7, "c"))
	require.Equal(t, []string{"joined 6 b hunt", "spawned 4/1/7@1 own=false", "despawned 4/1/7@1", "left 6", "joined 7 c hunt"}, l.heard())
	l.hear(t, spawned(spawn(5, 1, 7, 1)), joined(7, "c"))
	require.Equal(t, []string{"spawned 5/1/7@1 own=false", "joined 7 c hunt"}, l.heard(), "the same room again")

	over := wire.Envelope{Kind: wire.KindMatchClosed, Body: wire.AppendMatchClosed(nil, wire.MatchClosed{Room: 7, Reason: 3, Requeue: true})}
	l.hear(t, wire.Envelope{Kind: over.Kind, Body: wire.AppendMatchClosed(nil, wire.MatchClosed{Room: 8})}, over)
	require.Equal(t, []string{"match closed 7 3 true", "despawned 5/1/7@1", "left 7"}, l.heard())
	l.Closed()
	require.Empty(t, l.heard())
	l.hear(t, joined(8, "d"), spawned(spawn(6, 1, 7, 1)))
	l.heard()
	l.Closed()
	require.Equal(t, []string{"despawned 6/1/7@1", "left 8"}, l.heard())
	_, in := l.Room()
	require.False(t, in)
}

// A client knows its own actor by what it asked for; once it knows its name, it knows all of its own.
func TestClientKnowsItsOwn(t *testing.T) {
	l := newListener(rooms.ClientConfig{})
	l.hear(t, joined(1, "a"), spawned(spawn(1, 50, 7, 1)))
	require.NoError(t, l.Announce(7, at(1)))
	_, known := l.Session()
	require.False(t, known)
	l.hear(t, spawned(spawn(2, 0, 7, 1)), spawned(spawn(3, 51, 8, 1)), spawned(spawn(8, 54, 7, 2)),
		spawned(spawn(4, 52, 7, 1)), batch(spawn(5, 53, 7, 1)))
	require.Equal(t, []string{
		"joined 1 a hunt", "spawned 1/50/7@1 own=false", "spawned 2/0/7@1 own=false", "spawned 3/51/8@1 own=false",
		"spawned 8/54/7@2 own=false", "spawned 4/52/7@1 own=true", "spawned 5/53/7@1 own=false",
	}, l.heard())
	self, known := l.Session()
	require.True(t, known)
	require.EqualValues(t, 52, self)
	require.NoError(t, l.Announce(8, at(1)))
	l.hear(t, spawned(spawn(6, 51, 8, 1)), spawned(spawn(7, 52, 8, 1)))
	require.Equal(t, []string{"spawned 6/51/8@1 own=false", "spawned 7/52/8@1 own=true"}, l.heard())
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, l.Actors())
	a, ok := l.Actor(4)
	require.True(t, ok)
	require.Equal(t, spawn(4, 52, 7, 1), a)
	_, ok = l.Actor(99)
	require.False(t, ok)
}

func TestClientActors(t *testing.T) {
	l := newListener(rooms.ClientConfig{MaxActors: 3})
	l.hear(t, batch(), batch(spawn(1, 1, 1, 1), spawn(2, 1, 1, 2)), spawned(spawn(2, 9, 9, 9)), batch(spawn(2, 1, 1, 2), spawn(3, 1, 1, 3), spawn(4, 1, 1, 4)))
	require.Equal(t, []string{"spawned 1/1/1@1 own=false", "spawned 2/1/1@2 own=false", "spawned 3/1/1@3 own=false"}, l.heard())
	l.hear(t, despawned(2), despawned(2), despawned(99))
	require.Equal(t, []string{"despawned 2/1/1@2"}, l.heard())
	l.hear(t, spawned(spawn(5, 1, 1, 5)))
	require.Equal(t, []string{"spawned 5/1/1@5 own=false"}, l.heard())
	require.Equal(t, rooms.ClientStats{Stale: 4, TooMany: 1}, l.Stats())
}

func TestClientHearsOthers(t *testing.T) {
	l := newListener(rooms.ClientConfig{})
	p := wire.Envelope{Kind: wire.KindPeerPosition, Body: wire.AppendTagged(nil, wire.Tagged{Sender: 9, Payload: []byte("here")})}
	require.True(t, l.Datagram(p))
	require.True(t, l.Frame(p))
	reason := strings.Repeat("no", 200)
	l.hear(t, wire.Envelope{Kind: wire.KindRoomReject, Body: wire.AppendRoomReject(nil, wire.RoomReject{Request: wire.KindRoomJoin, Reason: []byte(reason)})})
	require.Equal(t, []string{"position of 9: here", "position of 9: here", "rejected room_join: " + reason[:256]}, l.heard())
}

// A client without any function is one that only keeps the books.
func TestClientWithoutHooks(t *testing.T) {
	c := rooms.NewClient(&peer{id: 1}, rooms.ClientConfig{})
	for _, e := range []wire.Envelope{
		joined(1, "a"), spawned(spawn(1, 1, 1, 1)), batch(spawn(2, 1, 1, 1)), despawned(1),
		{Kind: wire.KindPeerPosition, Body: make([]byte, 8)},
		{Kind: wire.KindRoomReject, Body: make([]byte, 4)},
		{Kind: wire.KindMatchClosed, Body: wire.AppendMatchClosed(nil, wire.MatchClosed{Room: 1})},
	} {
		require.True(t, c.Frame(e))
	}
	require.Empty(t, c.Actors())
	require.Equal(t, rooms.ClientStats{}, c.Stats())
}
