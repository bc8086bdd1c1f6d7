package rooms_test

import (
	"bytes"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// sent is an envelope that has been sent.
type sent struct {
	kind     wire.Kind
	body     []byte
	reliable bool
}

// peer is a connection without a network: what is sent on it can be looked at.
type peer struct {
	id     uint64
	closed bool
	out    []sent
}

func (p *peer) ID() uint64 { return p.id }
func (p *peer) Identity() citadel.Identity {
	return citadel.Identity{UserID: fmt.Sprint("user ", p.id)}
}

func (p *peer) Send(kind wire.Kind, body []byte) error { return p.send(sent{kind, body, true}) }
func (p *peer) SendDatagram(kind wire.Kind, body []byte) error {
	return p.send(sent{kind, body, false})
}

func (p *peer) send(s sent) error {
	if p.closed {
		return net.ErrClosed
	}
	s.body = bytes.Clone(s.body)
	p.out = append(p.out, s)
	return nil
}

// take returns what has been sent since the last time, in words.
func (p *peer) take(t testing.TB) []string {
	t.Helper()
	var words []string
	for _, s := range p.out {
		words = append(words, say(t, s))
	}
	p.out = nil
	return words
}

// say puts an envelope into words, and checks how it travels.
func say(t testing.TB, s sent) string {
	t.Helper()
	require.Equal(t, s.kind != wire.KindPeerPosition && s.kind != 500, s.reliable, "%v", s.kind)
	switch s.kind {
	case wire.KindRoomJoined:
		j, err := wire.ParseRoomJoined(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("joined %d %s %s", j.Room, j.Map, j.Mode)
	case wire.KindRoomLeave:
		id, err := wire.ParseRoomID(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("leave %d", id)
	case wire.KindRoomReject:
		r, err := wire.ParseRoomReject(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("reject %v: %s", r.Request, r.Reason)
	case wire.KindMatchClosed:
		m, err := wire.ParseMatchClosed(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("match closed %d %d %v", m.Room, m.Reason, m.Requeue)
	case wire.KindPeerPosition:
		p, err := wire.ParseTagged(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("position of %d: %s", p.Sender, p.Payload)
	case wire.KindNASpawn:
		a, err := wire.ParseSpawn(s.body)
		require.NoError(t, err)
		return "spawn " + actor(a)
	case wire.KindNASpawnBatch:
		b, err := wire.ParseSpawnBatch(s.body)
		require.NoError(t, err)
		words := "batch"
		for i := range b.Len() {
			words += " " + actor(b.At(i))
		}
		return words
	case wire.KindNADespawn:
		d, err := wire.ParseDespawn(s.body)
		require.NoError(t, err)
		return fmt.Sprintf("despawn %d", d.Object)
	}
	return fmt.Sprintf("%v %q", s.kind, s.body)
}

// actor names an actor: id/owner/archetype@x.
func actor(a wire.Spawn) string {
	return fmt.Sprintf("%d/%d/%d@%g", a.Object, a.Owner, a.Archetype, a.Transform.Position[0])
}

// at is a transform at a place.
func at(x float32) wire.Transform {
	return wire.Transform{Position: [3]float32{x, 0, 0}, Rotation: [4]float32{0, 0, 0, 1}}
}

// The requests of a client.

func create(name string) wire.Envelope {
	return wire.Envelope{Kind: wire.KindRoomCreate, Body: wire.AppendRoomCreate(nil, wire.RoomCreate{Params: []byte(name)})}
}

func withID(kind wire.Kind, id wire.RoomID) wire.Envelope {
	return wire.Envelope{Kind: kind, Body: wire.AppendRoomID(nil, id)}
}

func join(id wire.RoomID) wire.Envelope  { return withID(wire.KindRoomJoin, id) }
func leave(id wire.RoomID) wire.Envelope { return withID(wire.KindRoomLeave, id) }
func ready(id wire.RoomID) wire.Envelope { return withID(wire.KindRoomMapReady, id) }

func presence(archetype uint16, t wire.Transform) wire.Envelope {
	return wire.Envelope{Kind: wire.KindNAPresence, Body: wire.AppendPresence(nil, wire.Presence{Archetype: archetype, Transform: t})}
}

func state(object uint32, t wire.Transform) wire.Envelope {
	return wire.Envelope{Kind: wire.KindNAState, Body: wire.AppendState(nil, wire.State{Object: object, Transform: t})}
}

func position(words string) wire.Envelope {
	return wire.Envelope{Kind: wire.KindPosition, Body: []byte(words)}
}

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func newRooms(t testing.TB, cfg rooms.Config) *rooms.Rooms {
	t.Helper()
	r, err := rooms.New(cfg)
	require.NoError(t, err)
	return r
}

// unlimited lifts the rates, for tests that are not about them.
func unlimited(cfg rooms.Config) rooms.Config {
	cfg.RequestRate, cfg.RequestBurst = 1_000_000, 1_000_000
	cfg.PositionRate, cfg.PositionBurst = 1_000_000, 1_000_000
	return cfg
}

// labyrinth are the settings of most tests.
var labyrinth = rooms.Settings{Map: "labyrinth", Mode: "hunt"}

// stage is a server's rooms with a few clients, all of whom have sent nothing yet.
type stage struct {
	*rooms.Rooms
	t     testing.TB
	peers []*peer
}

func newStage(t testing.TB, cfg rooms.Config, peers int) *stage {
	s := &stage{Rooms: newRooms(t, cfg), t: t}
	for i := range peers {
		s.peers = append(s.peers, &peer{id: uint64(i + 1)})
	}
	return s
}

// do lets client n, counted from 1, send something reliably.
func (s *stage) do(n int, es ...wire.Envelope) {
	s.t.Helper()
	for _, e := range es {
		require.True(s.t, s.Frame(s.peers[n-1], e))
		clear(e.Body) // it was borrowed
	}
}

// datagram lets a client send something unreliably.
func (s *stage) datagram(n int, e wire.Envelope) {
	s.t.Helper()
	require.True(s.t, s.Datagram(s.peers[n-1], e))
	clear(e.Body)
}

// expect says what a client has been sent since the last time.
func (s *stage) expect(n int, words ...string) {
	s.t.Helper()
	require.Equal(s.t, words, s.peers[n-1].take(s.t), "client %d", n)
}

// silence says that no client has been sent anything.
func (s *stage) silence() {
	s.t.Helper()
	for i := range s.peers {
		require.Empty(s.t, s.peers[i].take(s.t), "client %d", i+1)
	}
}

// hush forgets what has been sent.
func (s *stage) hush() {
	for _, p := range s.peers {
		p.out = nil
	}
}
