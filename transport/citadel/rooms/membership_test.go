package rooms_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestCreateOrJoin(t *testing.T) {
	var asked []string
	s := newStage(t, rooms.Config{
		Create: func(p rooms.Peer, params []byte) (rooms.Settings, error) {
			asked = append(asked, fmt.Sprintf("%s for %s", params, p.Identity().UserID))
			return rooms.Settings{Map: "map of " + string(params), Mode: "hunt"}, nil
		},
	}, 4)
	s.do(1, create("lobby"))
	s.expect(1, "joined 1 map of lobby hunt")
	s.do(2, create("lobby"))
	s.expect(2, "joined 1 map of lobby hunt")
	s.do(3, create("arena"))
	s.expect(3, "joined 2 map of arena hunt")
	s.do(4, join(1))
	s.expect(4, "joined 1 map of lobby hunt")
	s.silence()
	require.Equal(t, []string{"lobby for user 1", "arena for user 3"}, asked, "rooms that exist need no settings")

	info, ok := s.Room(1)
	require.True(t, ok)
	require.Equal(t, rooms.Room{
		ID: 1, Params: "lobby", Members: 3,
		Settings: rooms.Settings{Map: "map of lobby", Mode: "hunt", MaxMembers: rooms.DefaultMaxMembers},
	}, info)
	named, ok := s.Named([]byte("lobby"))
	require.True(t, ok)
	require.Equal(t, info, named)
	of, ok := s.RoomOf(4)
	require.True(t, ok)
	require.Equal(t, info, of)
	var members []uint64
	for p := range s.Members(1) {
		members = append(members, p.ID())
	}
	require.Equal(t, []uint64{1, 2, 4}, members)
	var all []wire.RoomID
	for m := range s.All() {
		all = append(all, m.ID)
	}
	require.Equal(t, []wire.RoomID{1, 2}, all)
	for range s.Members(99) {
		require.Fail(t, "a member of nothing")
	}

	// Asking again for the own room is answered again and changes nothing.
	s.do(4, join(1), create("lobby"))
	s.expect(4, "joined 1 map of lobby hunt", "joined 1 map of lobby hunt")
	require.EqualValues(t, 4, s.Stats().Joined)
}

// The parameters are any bytes, the empty ones too.
func TestParamsAreOpaque(t *testing.T) {
	s := newStage(t, rooms.Config{}, 2)
	s.do(1, create(""))
	s.expect(1, "joined 1  ")
	s.do(2, create("\xff\x00"))
	s.expect(2, "joined 2  ")
	s.do(2, create(""))
	s.expect(2, "leave 2", "joined 1  ")
}

// A room goes with its last member, unless it is to stay. No id is used twice.
func TestLifeOfARoom(t *testing.T) {
	s := newStage(t, rooms.Config{Settings: labyrinth}, 2)
	s.do(1, create("a"), leave(1))
	s.expect(1, "joined 1 labyrinth hunt", "leave 1")
	require.Zero(t, s.Stats().Rooms)
	s.do(1, create("a"))
	s.expect(1, "joined 2 labyrinth hunt")
	s.Closed(s.peers[0])
	require.Zero(t, s.Stats().Rooms)
	s.do(2, join(2))
	s.expect(2, "reject room_join: no such room")

	id, err := s.Open([]byte("hall"), rooms.Settings{Map: "hall", Mode: "chat", Keep: true})
	require.NoError(t, err)
	require.EqualValues(t, 3, id)
	s.do(2, create("hall"), leave(3), join(3))
	s.expect(2, "joined 3 hall chat", "leave 3", "joined 3 hall chat")
	s.Closed(s.peers[1])
	info, ok := s.Room(3)
	require.True(t, ok)
	require.Zero(t, info.Members)
	require.True(t, s.Close(3, 0, false))
	require.False(t, s.Close(3, 0, false))
	require.Zero(t, s.Stats().Rooms)
}

func TestOpen(t *testing.T) {
	r := newRooms(t, rooms.Config{MaxRooms: 2, MaxParams: 5, MaxMembers: 10})
	_, err := r.Open([]byte("a"), rooms.Settings{})
	require.NoError(t, err)
	_, err = r.Open([]byte("a"), rooms.Settings{})
	require.ErrorIs(t, err, rooms.ErrExists)
	_, err = r.Open([]byte("123456"), rooms.Settings{})
	require.ErrorIs(t, err, rooms.ErrParams)
	for field, settings := range map[string]rooms.Settings{
		"Settings.MaxMembers": {MaxMembers: 11},
		"Settings.Map":        {Map: "\xff"},
		"Settings.Mode":       {Mode: strings.Repeat("x", wire.MaxString+1)},
	} {
		_, err = r.Open([]byte("b"), settings)
		e, ok := errors.AsType[*rooms.ConfigError](err)
		require.True(t, ok, field)
		require.Equal(t, field, e.Field)
	}
	id, err := r.Open([]byte("b"), rooms.Settings{})
	require.NoError(t, err)
	require.EqualValues(t, 2, id, "what fails takes no id")
	_, err = r.Open([]byte("c"), rooms.Settings{})
	require.ErrorIs(t, err, rooms.ErrTooManyRooms)
}

func TestConfig(t *testing.T) {
	for field, cfg := range map[string]rooms.Config{
		"Config.MaxRooms":      {MaxRooms: -1},
		"Config.MaxMembers":    {MaxMembers: -1},
		"Config.MaxParams":     {MaxParams: wire.MaxString + 1},
		"Config.MaxActors":     {MaxActors: -1},
		"Config.MaxRoomActors": {MaxRoomActors: 8193},
		"Config.MaxRelay":      {MaxRelay: 1025},
		"Config.RequestRate":   {RequestRate: -1},
		"Config.RequestBurst":  {RequestBurst: -1},
		"Config.PositionRate":  {PositionRate: 1_000_001},
		"Config.PositionBurst": {PositionBurst: -1},
		"Settings.Map":         {Settings: rooms.Settings{Map: "\xff"}},
		"Settings.MaxMembers":  {MaxMembers: 4, Settings: rooms.Settings{MaxMembers: 5}},
	} {
		_, err := rooms.New(cfg)
		e, ok := errors.AsType[*rooms.ConfigError](err)
		require.True(t, ok, field)
		require.Equal(t, field, e.Field)
	}
}

func TestRejections(t *testing.T) {
	secret := errors.New("pq: no such table")
	s := newStage(t, unlimited(rooms.Config{
		MaxRooms: 3, MaxMembers: 2, MaxParams: 20,
		Create: func(_ rooms.Peer, params []byte) (rooms.Settings, error) {
			switch string(params) {
			case "forbidden":
				return rooms.Settings{}, rooms.Deny("no %s here", params)
			case "broken":
				return rooms.Settings{}, secret
			case "wrapped":
				return rooms.Settings{}, fmt.Errorf("%w: %w", secret, rooms.Deny("closed on Sundays"))
			case "unusable":
				return rooms.Settings{Map: "\xff"}, nil
			}
			return rooms.Settings{}, nil
		},
		Admit: func(p rooms.Peer, room rooms.Room) error {
			switch {
			case room.Params == "private" && room.Members > 0:
				return rooms.Deny("%s", strings.Repeat("x", 300))
			case room.Params == "stillborn":
				return secret
			}
			return nil
		},
	}), 4)
	s.do(1, create("a"))
	s.do(2, create("private"))
	s.hush()
	for _, c := range []struct {
		request wire.Envelope
		want    string
	}{
		{join(0), "reject room_join: no such room"},
		{join(99), "reject room_join: no such room"},
		{create("012345678901234567890"), "reject room_create: room parameters too long"},
		{create("forbidden"), "reject room_create: no forbidden here"},
		{create("broken"), "reject room_create: denied"},
		{create("wrapped"), "reject room_create: closed on Sundays"},
		{create("unusable"), "reject room_create: denied"},
		{create("stillborn"), "reject room_create: denied"},
		{create("private"), "reject room_create: " + strings.Repeat("x", 256)},
		{join(2), "reject room_join: " + strings.Repeat("x", 256)},
	} {
		s.do(3, c.request)
		s.expect(3, c.want)
		_, in := s.RoomOf(3)
		require.False(t, in)
		require.Equal(t, 2, s.Stats().Rooms)
	}
	require.EqualValues(t, 10, s.Stats().Rejected)

	s.do(3, create("b"))
	s.expect(3, "joined 3  ")
	s.do(4, create("c"))
	s.expect(4, "reject room_create: too many rooms")
	s.do(4, join(1))
	s.do(3, join(1))
	s.expect(3, "reject room_join: room full")
	of, _ := s.RoomOf(3)
	require.EqualValues(t, 3, of.ID, "who is turned down stays where he is")
	s.hush()
	s.do(3, create("a"))
	s.expect(3, "reject room_create: room full")
	s.silence()
}

// A room may hold fewer than the others.
func TestCapacityOfOneRoom(t *testing.T) {
	s := newStage(t, rooms.Config{Settings: rooms.Settings{MaxMembers: 2}}, 3)
	for n := 1; n <= 3; n++ {
		s.do(n, create("a"))
	}
	s.expect(3, "reject room_create: room full")
	s.do(1, leave(1))
	s.do(3, create("a"))
	s.expect(3, "joined 1  ")
}

func TestLeave(t *testing.T) {
	s := newStage(t, rooms.Config{}, 3)
	s.do(1, create("a"))
	s.do(2, create("a"))
	s.do(3, create("b"))
	s.hush()
	s.do(1, leave(2), leave(0), leave(99))
	s.silence()
	require.EqualValues(t, 3, s.Stats().Drops.Stale)
	s.do(1, leave(1))
	s.expect(1, "leave 1")
	s.do(1, leave(1))
	s.silence()
	require.EqualValues(t, 1, s.Stats().Drops.NotMember)
	info, _ := s.Room(1)
	require.Equal(t, 1, info.Members)
	require.True(t, s.Remove(2))
	s.expect(2, "leave 1")
	require.False(t, s.Remove(2))
	require.False(t, s.Remove(77))
	_, ok := s.Room(1)
	require.False(t, ok)
}

// A member that asks for another room moves, if the other room takes it.
func TestMove(t *testing.T) {
	s := newStage(t, unlimited(rooms.Config{Admit: func(_ rooms.Peer, m rooms.Room) error {
		if m.Params == "vip" {
			return errors.New("no")
		}
		return nil
	}}), 2)
	s.do(1, create("a"), presence(7, at(1)))
	s.do(2, create("a"), presence(7, at(2)))
	s.hush()
	s.do(2, create("vip"))
	s.expect(2, "reject room_create: denied")
	s.silence()
	s.do(2, create("b"))
	s.expect(2, "despawn 1", "despawn 2", "leave 1", "joined 2  ")
	s.expect(1, "despawn 2")
	s.do(1, join(2))
	s.expect(1, "despawn 1", "leave 1", "joined 2  ")
	require.Equal(t, 1, s.Stats().Rooms)
	s.silence()
}

func TestEnter(t *testing.T) {
	s := newStage(t, rooms.Config{
		Settings: rooms.Settings{MaxMembers: 1},
		Admit:    func(rooms.Peer, rooms.Room) error { return errors.New("nobody") },
	}, 2)
	id, err := s.Open([]byte("match"), rooms.Settings{MaxMembers: 1})
	require.NoError(t, err)
	require.ErrorIs(t, s.Enter(s.peers[0], 99), rooms.ErrNoRoom)
	require.NoError(t, s.Enter(s.peers[0], id))
	s.expect(1, "joined 1  ")
	require.NoError(t, s.Enter(s.peers[0], id))
	require.ErrorIs(t, s.Enter(s.peers[1], id), rooms.ErrFull)
	s.silence()
}

func TestClose(t *testing.T) {
	var closed []rooms.Room
	s := newStage(t, rooms.Config{Hooks: rooms.Hooks{Closed: func(m rooms.Room) { closed = append(closed, m) }}}, 3)
	s.do(1, create("a"), presence(7, at(1)))
	s.do(2, create("a"), presence(7, at(2)))
	s.do(3, create("a"))
	s.hush()
	require.True(t, s.Close(1, 5, true))
	s.expect(1, "match closed 1 5 true", "despawn 1", "despawn 2", "leave 1")
	s.expect(2, "match closed 1 5 true", "despawn 1", "despawn 2", "leave 1")
	s.expect(3, "match closed 1 5 true", "leave 1")
	require.Equal(t, []rooms.Room{{ID: 1, Params: "a", Settings: rooms.Settings{MaxMembers: rooms.DefaultMaxMembers}}}, closed)
	require.Equal(t, rooms.Stats{Clients: 3, Joined: 3, Left: 3}, s.Stats())
	s.do(1, join(1))
	s.expect(1, "reject room_join: no such room")
}

func TestMapReady(t *testing.T) {
	var told []string
	s := newStage(t, rooms.Config{Hooks: rooms.Hooks{Ready: func(m rooms.Room, p rooms.Peer) {
		told = append(told, fmt.Sprintf("%d in %d, %d of %d", p.ID(), m.ID, m.Ready, m.Members))
	}}}, 2)
	s.do(1, ready(1))
	require.EqualValues(t, 1, s.Stats().Drops.NotMember)
	s.do(1, create("a"))
	s.do(2, create("b"))
	s.do(1, ready(2), ready(0))
	require.EqualValues(t, 2, s.Stats().Drops.Stale)
	require.Empty(t, told)
	s.do(1, ready(1), ready(1))
	require.Equal(t, []string{"1 in 1, 1 of 1"}, told)
	s.do(2, join(1))
	s.do(2, ready(2))
	info, _ := s.Room(1)
	require.Equal(t, 1, info.Ready, "the map of a room that was left")
	s.do(1, join(1))
	info, _ = s.Room(1)
	require.Equal(t, 1, info.Ready)
	s.do(1, leave(1), join(1))
	info, _ = s.Room(1)
	require.Zero(t, info.Ready, "who comes again loads again")
	s.do(2, ready(1))
	s.Closed(s.peers[1])
	info, _ = s.Room(1)
	require.Zero(t, info.Ready)
}

// Hooks are told in the order of events, when all is done, and may change what they like.
func TestHooks(t *testing.T) {
	var s *stage
	var told []string
	tell := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	s = newStage(t, rooms.Config{Hooks: rooms.Hooks{
		Opened: func(m rooms.Room) { tell("opened %d", m.ID) },
		Closed: func(m rooms.Room) { tell("closed %d", m.ID) },
		Joined: func(m rooms.Room, p rooms.Peer) {
			tell("joined %d %d", m.ID, p.ID())
			if p.ID() == 2 {
				require.True(t, s.Remove(1)) // there is one place at the top
			}
		},
		Left: func(m rooms.Room, p rooms.Peer) {
			tell("left %d %d", m.ID, p.ID())
			if p.ID() == 1 {
				_, err := s.Spawn(m.ID, 9, at(0))
				require.NoError(t, err)
			}
			if p.ID() == 2 {
				_, ok := s.Room(m.ID)
				tell("still there: %v", ok)
			}
		},
		Spawned:   func(m wire.RoomID, a wire.Spawn) { tell("spawned %d %s", m, actor(a)) },
		Moved:     func(m wire.RoomID, a wire.Spawn) { tell("moved %d %s", m, actor(a)) },
		Despawned: func(m wire.RoomID, a wire.Spawn) { tell("despawned %d %s", m, actor(a)) },
	}}, 2)
	s.do(1, create("a"), presence(7, at(1)))
	s.datagram(1, state(1, at(2)))
	s.do(2, create("a"))
	s.do(2, leave(1))
	require.Equal(t, []string{
		"opened 1", "joined 1 1", "spawned 1 1/1/7@1", "moved 1 1/1/7@2",
		"joined 1 2", "despawned 1 1/1/7@2", "left 1 1", "spawned 1 2/0/9@0",
		"left 1 2", "still there: false", "despawned 1 2/0/9@0", "closed 1",
	}, told)
}

// A hook that panics does not swallow what the others are to be told.
func TestHookPanics(t *testing.T) {
	var told []string
	s := newStage(t, rooms.Config{Hooks: rooms.Hooks{
		Opened: func(rooms.Room) { panic("aah") },
		Joined: func(_ rooms.Room, p rooms.Peer) { told = append(told, fmt.Sprint(p.ID())) },
	}}, 2)
	require.PanicsWithValue(t, "aah", func() { s.Frame(s.peers[0], create("a")) })
	s.expect(1, "joined 1  ")
	s.do(2, create("a"))
	require.Equal(t, []string{"1", "2"}, told)
}

// Who decides about the rooms cannot change them meanwhile, but may look and talk.
func TestDecidersMayNotChange(t *testing.T) {
	var s *stage
	attempts := map[string]func(){
		"Frame":    func() { s.Frame(s.peers[1], create("b")) },
		"Datagram": func() { s.Datagram(s.peers[1], position("x")) },
		"Closed":   func() { s.Closed(s.peers[0]) },
		"Open":     func() { _, _ = s.Open(nil, rooms.Settings{}) },
		"Close":    func() { s.Close(1, 0, false) },
		"Enter":    func() { _ = s.Enter(s.peers[0], 1) },
		"Remove":   func() { s.Remove(1) },
		"Spawn":    func() { _, _ = s.Spawn(1, 0, at(0)) },
		"Despawn":  func() { s.Despawn(1, 1) },
		"Move":     func() { _ = s.Move(1, 1, at(0)) },
		"Observe":  func() { s.Observe(1) },
	}
	called := 0
	try := func() {
		called++
		for name, attempt := range attempts {
			require.Panics(t, attempt, name)
		}
		s.Stats()
		s.Room(1)
		s.Broadcast(1, 400, nil, 0)
	}
	s = newStage(t, rooms.Config{
		Create: func(rooms.Peer, []byte) (rooms.Settings, error) { try(); return rooms.Settings{}, nil },
		Admit:  func(rooms.Peer, rooms.Room) error { try(); return nil },
		Spawn:  func(rooms.Peer, rooms.Room, wire.Presence) error { try(); return errors.New("no") },
	}, 2)
	s.do(1, create("a"), presence(1, at(0)))
	require.Equal(t, 3, called)
	s.expect(1, "joined 1  ", `kind(400) ""`)
	require.EqualValues(t, 1, s.Stats().Drops.ActorsRefused)
}

// Requests beyond the rate are rejected; time heals.
func TestRequestRate(t *testing.T) {
	c := &clock{now: time.Unix(1000, 0)}
	s := newStage(t, rooms.Config{RequestRate: 2, RequestBurst: 3, Now: c.read}, 2)
	id, err := s.Open(nil, rooms.Settings{Keep: true})
	require.NoError(t, err)
	for range 3 {
		s.do(1, join(id), leave(id))
		s.expect(1, "joined 1  ", "leave 1")
	}
	s.do(1, join(id), create("a"))
	s.expect(1, "reject room_join: too many requests", "reject room_create: too many requests")
	s.do(2, join(id))
	s.expect(2, "joined 1  ")
	c.now = c.now.Add(500*time.Millisecond - 1)
	s.do(1, join(id))
	s.expect(1, "reject room_join: too many requests")
	c.now = c.now.Add(1)
	s.do(1, join(id), presence(1, at(0)))
	s.expect(1, "joined 1  ")
	require.EqualValues(t, 1, s.Stats().Drops.Limited)
	s.do(1, leave(id))
	s.expect(1, "leave 1")
	c.now = c.now.Add(time.Hour)
	for range 3 {
		s.do(1, join(id), leave(id))
	}
	s.hush()
	s.do(1, join(id))
	s.expect(1, "reject room_join: too many requests")
}

func TestAllWhileRoomsChange(t *testing.T) {
	s := newStage(t, rooms.Config{}, 0)
	for i := range 5 {
		_, err := s.Open([]byte{byte(i)}, rooms.Settings{})
		require.NoError(t, err)
	}
	var seen []wire.RoomID
	for m := range s.All() {
		seen = append(seen, m.ID)
		s.Close(m.ID+1, 0, false)
	}
	require.Equal(t, []wire.RoomID{1, 3, 5}, seen)
	for m := range s.All() {
		require.EqualValues(t, 1, m.ID)
		break
	}
	require.Len(t, slices.Collect(s.All()), 3)
}
