package rooms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// sink is a connection that counts.
type sink struct {
	id uint64
	n  int
}

func (s *sink) ID() uint64                           { return s.id }
func (s *sink) Identity() citadel.Identity           { return citadel.Identity{} }
func (s *sink) Send(wire.Kind, []byte) error         { s.n++; return nil }
func (s *sink) SendDatagram(wire.Kind, []byte) error { s.n++; return nil }

// crowd returns a room with so many members, each with an actor that has the member's id.
func crowd(t testing.TB, members int) (*rooms.Rooms, []*sink) {
	r := newRooms(t, unlimited(rooms.Config{MaxMembers: members + 1, Hooks: rooms.Hooks{Moved: func(wire.RoomID, wire.Spawn) {}}}))
	var all []*sink
	for i := range members {
		s := &sink{id: uint64(i + 1)}
		all = append(all, s)
		r.Frame(s, create("a"))
		r.Frame(s, presence(1, at(0)))
		r.Frame(s, ready(1))
	}
	require.Equal(t, members, r.Stats().Actors)
	return r, all
}

// What happens all the time costs no garbage.
func TestNoAllocations(t *testing.T) {
	r, all := crowd(t, 50)
	p, s, stale, body := position("12345678"), state(7, at(3)), leave(99), make([]byte, 100)
	for name, fn := range map[string]func(){
		"position":  func() { r.Datagram(all[0], p) },
		"state":     func() { r.Datagram(all[6], s) },
		"broadcast": func() { r.Broadcast(1, 400, body, 1) },
		"refused":   func() { r.Datagram(all[0], s) },
		"stale":     func() { r.Frame(all[0], stale) },
	} {
		require.Zero(t, testing.AllocsPerRun(100, fn), name)
	}
	stats := r.Stats()
	require.EqualValues(t, 101, stats.Positions)
	require.EqualValues(t, 101, stats.States)
	require.EqualValues(t, 101, stats.Drops.NotOwner)
	require.EqualValues(t, 101, stats.Drops.Stale)

	c := rooms.NewClient(all[0], rooms.ClientConfig{Position: func(uint64, []byte) {}})
	at := at(1)
	for name, fn := range map[string]func(){
		"heard":     func() { c.Datagram(wire.Envelope{Kind: wire.KindPeerPosition, Body: body}) },
		"position":  func() { _ = c.SendPosition(wire.Position{}) },
		"send":      func() { _ = c.SendState(1, at) },
		"not known": func() { c.Frame(wire.Envelope{Kind: wire.KindNADespawn, Body: body}) },
	} {
		require.Zero(t, testing.AllocsPerRun(100, fn), name)
	}
}
