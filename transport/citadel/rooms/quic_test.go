package rooms_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// patience bounds every wait of the tests. A test that is right never needs it.
const patience = 20 * time.Second

var devCert = sync.OnceValues(func() (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		panic(err)
	}
	return cert, pin
})

// network is a server and its clients, all of whose loops are turned by the test.
type network struct {
	t     testing.TB
	ln    *citadel.Listener
	rooms *rooms.Rooms
	users []*user
}

type user struct {
	*listener
	conn     *citadel.Conn
	position string // of somebody, as it was heard last
	others   int    // frames that are not about rooms
}

func newNetwork(t testing.TB, cfg rooms.Config) *network {
	t.Helper()
	cert, _ := devCert()
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return &network{t: t, ln: ln, rooms: newRooms(t, cfg)}
}

func (n *network) dial(cfg citadel.Config) *user {
	n.t.Helper()
	_, pin := devCert()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	conn, err := citadel.Dial(ctx, n.ln.Addr().String(), citadel.DialConfig{Config: cfg, Pin: pin})
	require.NoError(n.t, err)
	n.t.Cleanup(func() { _ = conn.Close() })
	u := &user{conn: conn, listener: new(listener)}
	u.listener.Client = rooms.NewClient(conn, rooms.ClientConfig{
		Joined:   func(j rooms.Joined) { u.tell("joined %d %s %s", j.Room, j.Map, j.Mode) },
		Left:     func(id wire.RoomID) { u.tell("left %d", id) },
		Rejected: func(k wire.Kind, reason string) { u.tell("rejected %v: %s", k, reason) },
		Spawned: func(a wire.Spawn, own bool) {
			u.tell("spawned %d at %g own=%v", a.Object, a.Transform.Position[0], own)
		},
		Despawned: func(a wire.Spawn) { u.tell("despawned %d", a.Object) },
		Position:  func(_ uint64, payload []byte) { u.position = string(payload) },
	})
	n.users = append(n.users, u)
	return u
}

// turn turns every loop once.
func (n *network) turn() {
	n.ln.Inbox().Drain(func(e citadel.Event) { n.rooms.Receive(e) })
	for _, u := range n.users {
		u.conn.Inbox().Drain(func(e citadel.Event) {
			if !u.Receive(e) && e.Kind == citadel.Frame {
				u.others++
			}
		})
	}
}

func (n *network) until(what string, cond func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		require.True(n.t, time.Now().Before(deadline), "never happened: %s", what)
		n.turn()
	}
}

// expect waits for what a user is told next.
func (n *network) expect(u *user, words ...string) {
	n.t.Helper()
	n.until(fmt.Sprint(words), func() bool { return len(u.told) >= len(words) })
	require.Equal(n.t, words, u.heard())
}

func TestOverQUIC(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("a session", testSession)
	t.Run("a member that does not read", testDeafMember)
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(2 * time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "goroutines stay")
	}
}

func testSession(t *testing.T) {
	n := newNetwork(t, rooms.Config{Settings: labyrinth, MaxMembers: 2})
	ann := n.dial(citadel.Config{})
	bob := n.dial(citadel.Config{SendStyle: citadel.StreamPerEnvelope})
	cid := n.dial(citadel.Config{})
	require.NoError(t, ann.Create([]byte("lobby")))
	n.expect(ann, "joined 1 labyrinth hunt")
	require.NoError(t, ann.MapReady())
	require.NoError(t, ann.Announce(7, at(1)))
	n.expect(ann, "spawned 1 at 1 own=true")
	require.NoError(t, bob.Join(1))
	require.NoError(t, bob.Announce(7, at(1)))
	n.expect(bob, "joined 1 labyrinth hunt", "spawned 2 at 1 own=true", "spawned 1 at 1 own=false")
	n.expect(ann, "spawned 2 at 1 own=false")
	require.NoError(t, cid.Create([]byte("lobby")))
	n.expect(cid, "rejected room_create: room full")
	require.NoError(t, bob.MapReady())
	n.until("both are ready", func() bool { m, _ := n.rooms.Room(1); return m.Ready == 2 })

	// Datagrams may be lost even here; a game sends them again and again, too.
	n.until("the state has arrived", func() bool {
		require.NoError(t, ann.SendState(1, at(5)))
		a, _ := n.rooms.Actor(1, 1)
		return a.Transform == at(5)
	})
	n.until("the position has arrived", func() bool {
		require.NoError(t, ann.SendPosition(wire.Position{X: 1}))
		return bob.position != ""
	})
	require.Equal(t, "\x00\x00\x80\x3f\x00\x00\x00\x00", bob.position)

	bob.conn.Disconnect(citadel.CodeNone, "")
	n.expect(ann, "despawned 2")
	require.NoError(t, cid.Create([]byte("lobby")))
	require.NoError(t, cid.Announce(7, at(9)))
	n.expect(cid, "joined 1 labyrinth hunt", "spawned 3 at 9 own=true", "spawned 1 at 5 own=false")
	require.True(t, n.rooms.Close(1, 0, false))
	n.expect(cid, "despawned 1", "despawned 3", "left 1")
	require.NoError(t, cid.Create([]byte("next")))
	n.expect(cid, "joined 2 labyrinth hunt")
	require.NoError(t, n.ln.Close())
	n.expect(cid, "left 2")
	n.until("the server has heard of it, too", func() bool { return n.rooms.Stats().Rooms == 0 })
	require.Zero(t, n.rooms.Stats().Actors)
}

// A member that takes nothing of what is fanned out loses its connection, and the others lose nothing.
func testDeafMember(t *testing.T) {
	n := newNetwork(t, rooms.Config{})
	ann, deaf := n.dial(citadel.Config{}), n.dial(citadel.Config{})
	n.users = n.users[:1] // nobody drains the other inbox
	require.NoError(t, ann.Create(nil))
	require.NoError(t, deaf.Create(nil))
	n.until("both are in", func() bool { m, _ := n.rooms.Room(1); return m.Members == 2 })
	body := make([]byte, 60_000)
	for sent := 1; n.rooms.Broadcast(1, 400, body, 0) == 2; sent++ {
		n.until("who listens has heard it", func() bool { return ann.others == sent })
	}
	n.until("the deaf one is out", func() bool { m, _ := n.rooms.Room(1); return m.Members == 1 })
	require.Equal(t, 1, n.rooms.Broadcast(1, 400, body, 0))
	require.NoError(t, ann.conn.Err())
}
