package rooms_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A newcomer is told of itself first, then of the others at once; the others are told of the newcomer.
func TestPresence(t *testing.T) {
	s := newStage(t, rooms.Config{}, 4)
	for n := 1; n <= 3; n++ {
		s.do(n, create("a"))
	}
	s.do(4, create("elsewhere"), presence(7, at(40)))
	s.hush()

	s.do(1, presence(7, at(10)))
	s.expect(1, "spawn 2/1/7@10", "batch")
	s.silence() // who has shown nothing sees nothing
	s.do(2, presence(8, at(20)))
	s.expect(2, "spawn 3/2/8@20", "batch 2/1/7@10")
	s.expect(1, "spawn 3/2/8@20")
	s.do(1, presence(9, at(11)))
	s.expect(1, "spawn 4/1/9@11")
	s.expect(2, "spawn 4/1/9@11")
	s.do(3, presence(7, at(30)))
	s.expect(3, "spawn 5/3/7@30", "batch 2/1/7@10 3/2/8@20 4/1/9@11")
	s.expect(1, "spawn 5/3/7@30")
	s.expect(2, "spawn 5/3/7@30")
	s.silence()

	s.do(1, leave(1))
	s.expect(1, "despawn 2", "despawn 3", "despawn 4", "despawn 5", "leave 1")
	s.expect(2, "despawn 2", "despawn 4")
	s.expect(3, "despawn 2", "despawn 4")
	s.Closed(s.peers[1])
	s.expect(3, "despawn 3")
	s.silence()

	s.do(1, create("a"), presence(7, at(12)))
	s.expect(1, "joined 1  ", "spawn 6/1/7@12", "batch 5/3/7@30")
	s.expect(3, "spawn 6/1/7@12")
}

// What an owner reports is where newcomers find the actor.
func TestState(t *testing.T) {
	var moved []string
	s := newStage(t, rooms.Config{
		Predicted: []uint16{66},
		Hooks:     rooms.Hooks{Moved: func(_ wire.RoomID, a wire.Spawn) { moved = append(moved, actor(a)) }},
	}, 3)
	s.do(1, create("a"), presence(7, at(1)), presence(66, at(2)))
	s.do(2, create("a"), presence(7, at(3)))
	_, err := s.Spawn(1, 5, at(4))
	require.NoError(t, err)
	s.hush()

	s.datagram(1, state(1, at(100)))
	s.do(1, state(1, at(101)))
	s.datagram(1, state(2, at(200)))
	s.datagram(1, state(3, at(300)))
	s.datagram(1, state(4, at(400)))
	s.datagram(1, state(0, at(0)))
	s.datagram(1, state(99, at(0)))
	s.datagram(3, state(1, at(500)))
	s.silence()
	require.Equal(t, []string{"1/1/7@100", "1/1/7@101"}, moved)
	stats := s.Stats()
	require.EqualValues(t, 2, stats.States)
	require.Equal(t, rooms.Drops{Predicted: 1, NotOwner: 4, NotMember: 1}, stats.Drops)

	s.do(3, create("a"), presence(7, at(5)))
	s.expect(3, "joined 1  ", "spawn 5/3/7@5", "batch 1/1/7@101 2/1/66@2 3/2/7@3 4/0/5@4")

	// Whoever has left owns nothing any more.
	s.do(1, leave(1))
	s.datagram(1, state(1, at(0)))
	s.do(1, join(1))
	s.datagram(1, state(1, at(0)))
	require.Len(t, moved, 2)
}

func TestSanitise(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	const most = math.MaxFloat32
	for _, c := range []struct {
		name string
		in   wire.Transform
		want [4]float32 // the rotation; all 0 if refused
	}{
		{"unit", at(1), [4]float32{0, 0, 0, 1}},
		{"long", wire.Transform{Rotation: [4]float32{0, 3, 0, 4}}, [4]float32{0, 0.6, 0, 0.8}},
		{"longest", wire.Transform{Rotation: [4]float32{most, most, most, most}}, [4]float32{.5, .5, .5, .5}},
		{"short", wire.Transform{Rotation: [4]float32{0, 0, -2e-6, 0}}, [4]float32{0, 0, -1, 0}},
		{"too short", wire.Transform{Rotation: [4]float32{0, 0, 0, 1e-6}}, [4]float32{}},
		{"none", wire.Transform{}, [4]float32{}},
		{"far and fast", wire.Transform{
			Position: [3]float32{most, -most, 0}, Velocity: [3]float32{most, 0, -most}, Rotation: [4]float32{1, 0, 0, 0},
		}, [4]float32{1, 0, 0, 0}},
	} {
		got := c.in
		ok := rooms.Sanitise(&got)
		require.Equal(t, c.want != [4]float32{}, ok, c.name)
		want := c.in
		if ok {
			want.Rotation = c.want
		}
		require.Equal(t, want, got, c.name)
	}
	for i := range 10 {
		for _, bad := range []float32{nan, inf, -inf} {
			tr := at(1)
			switch {
			case i < 3:
				tr.Position[i] = bad
			case i < 7:
				tr.Rotation[i-3] = bad
			default:
				tr.Velocity[i-7] = bad
			}
			require.False(t, rooms.Sanitise(&tr), "number %d is %v", i, bad)
		}
	}
}

// What a client says goes through that, wherever it comes in.
func TestTransformsOfClients(t *testing.T) {
	s := newStage(t, rooms.Config{}, 1)
	bad := at(0)
	bad.Velocity[1] = float32(math.NaN())
	long := at(1)
	long.Rotation = [4]float32{0, 3, 0, 4}
	s.do(1, create("a"), presence(7, bad))
	s.expect(1, "joined 1  ")
	s.do(1, presence(7, long))
	s.expect(1, "spawn 1/1/7@1", "batch")
	a, ok := s.Actor(1, 1)
	require.True(t, ok)
	require.Equal(t, [4]float32{0, 0.6, 0, 0.8}, a.Transform.Rotation)
	s.datagram(1, state(1, bad))
	long.Rotation = [4]float32{5, 0, 0, 0}
	s.datagram(1, state(1, long))
	a, _ = s.Actor(1, 1)
	require.Equal(t, [4]float32{1, 0, 0, 0}, a.Transform.Rotation)
	require.EqualValues(t, 2, s.Stats().Drops.BadTransform)
	require.EqualValues(t, 1, s.Stats().States)
	_, err := s.Spawn(1, 1, bad)
	require.ErrorIs(t, err, rooms.ErrTransform)
	require.ErrorIs(t, s.Move(1, 1, bad), rooms.ErrTransform)
}

func TestActorsAreBounded(t *testing.T) {
	s := newStage(t, unlimited(rooms.Config{
		MaxActors: 2, MaxRoomActors: 4,
		Spawn: func(p rooms.Peer, m rooms.Room, a wire.Presence) error {
			if a.Archetype == 13 {
				return errors.New("no")
			}
			return nil
		},
	}), 3)
	s.do(1, presence(1, at(0)))
	require.EqualValues(t, 1, s.Stats().Drops.NotMember)
	for n := 1; n <= 3; n++ {
		s.do(n, create("a"))
		s.do(n, presence(13, at(0)))
	}
	require.EqualValues(t, 3, s.Stats().Drops.ActorsRefused)
	for range 5 {
		s.do(1, presence(1, at(0)))
	}
	require.EqualValues(t, 6, s.Stats().Drops.ActorsRefused)
	require.Equal(t, 2, s.Stats().Actors)
	for range 2 {
		_, err := s.Spawn(1, 1, at(0))
		require.NoError(t, err)
	}
	_, err := s.Spawn(1, 1, at(0))
	require.ErrorIs(t, err, rooms.ErrActors)
	s.do(2, presence(1, at(0)))
	require.EqualValues(t, 7, s.Stats().Drops.ActorsRefused)
	require.True(t, s.Despawn(1, 1))
	s.do(1, presence(1, at(0)))
	require.Equal(t, 4, s.Stats().Actors)
	require.EqualValues(t, 7, s.Stats().Drops.ActorsRefused, "what is gone makes room")
	info, _ := s.Room(1)
	require.Equal(t, 4, info.Actors)
	s.Close(1, 0, false)
	require.Zero(t, s.Stats().Actors)
}

func TestServerActors(t *testing.T) {
	s := newStage(t, rooms.Config{}, 2)
	_, err := s.Spawn(1, 5, at(0))
	require.ErrorIs(t, err, rooms.ErrNoRoom)
	s.do(1, create("a"), presence(7, at(1)))
	s.do(2, create("a"))
	s.hush()
	object, err := s.Spawn(1, 5, at(50))
	require.NoError(t, err)
	require.EqualValues(t, 2, object)
	s.expect(1, "spawn 2/0/5@50")
	require.NoError(t, s.Move(1, object, at(51)))
	require.NoError(t, s.Move(1, 1, at(10)))
	require.ErrorIs(t, s.Move(1, 99, at(0)), rooms.ErrNoActor)
	require.ErrorIs(t, s.Move(9, 1, at(0)), rooms.ErrNoRoom)
	s.silence()
	require.True(t, s.Observe(2))
	s.expect(2, "batch 1/1/7@10 2/0/5@51")
	require.True(t, s.Observe(2))
	require.False(t, s.Observe(99))
	s.silence()
	require.Equal(t, []wire.Spawn{
		{Object: 1, Owner: 1, Archetype: 7, Transform: at(10)},
		{Object: 2, Archetype: 5, Transform: at(51)},
	}, slices.Collect(s.Actors(1)))
	for range s.Actors(1) {
		break
	}
	for range s.Actors(99) {
		require.Fail(t, "an actor of nothing")
	}

	require.True(t, s.Despawn(1, object))
	require.True(t, s.Despawn(1, 1))
	s.expect(1, "despawn 2", "despawn 1")
	s.expect(2, "despawn 2", "despawn 1")
	require.False(t, s.Despawn(1, 1))
	require.False(t, s.Despawn(9, 1))
	_, ok := s.Actor(1, 1)
	require.False(t, ok)
	_, ok = s.Actor(9, 1)
	require.False(t, ok)
	s.datagram(1, state(1, at(0)))
	require.EqualValues(t, 1, s.Stats().Drops.NotOwner)
	s.do(1, presence(7, at(3)))
	s.expect(1, "spawn 3/1/7@3")
	s.expect(2, "spawn 3/1/7@3")
}

// With WaitForMap, a member that loads is left alone.
func TestWaitForMap(t *testing.T) {
	s := newStage(t, rooms.Config{WaitForMap: true}, 3)
	s.do(1, create("a"), ready(1), presence(7, at(1)))
	s.expect(1, "joined 1  ", "spawn 1/1/7@1", "batch")
	s.do(2, create("a"), presence(8, at(2)), presence(9, at(3)))
	s.expect(2, "joined 1  ")
	s.expect(1, "spawn 2/2/8@2", "spawn 3/2/9@3")
	s.do(3, create("a"))
	require.True(t, s.Observe(3))
	s.hush()
	s.datagram(1, position("p"))
	require.Equal(t, 1, s.Broadcast(1, 400, []byte("x"), 0))
	s.expect(1, `kind(400) "x"`)
	s.silence()
	s.datagram(2, position("q"))
	s.expect(1, "position of 2: q")

	s.do(2, ready(1))
	s.expect(2, "spawn 2/2/8@2", "spawn 3/2/9@3", "batch 1/1/7@1")
	s.do(3, ready(1))
	s.expect(3, "batch 1/1/7@1 2/2/8@2 3/2/9@3")
	s.silence()
	require.Equal(t, 3, s.Broadcast(1, 400, nil, 0))
	s.hush()

	s.do(2, leave(1), join(1), presence(7, at(5)))
	s.hush()
	s.do(2, leave(1))
	s.expect(2, "leave 1") // there is nothing that it would have to forget
	s.expect(1, "despawn 4")
	s.expect(3, "despawn 4")
}
