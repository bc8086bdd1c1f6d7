package actors_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/actors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// TestLateJoinersGetTheSpawns follows who is told what, and in which order.
func TestLateJoinersGetTheSpawns(t *testing.T) {
	s := newStage(t, actors.Config{})
	one, two, three := s.join(1), s.join(2), s.join(3)
	a := s.announce(1, relayed, at(10))
	require.Equal(t, []wire.Kind{wire.KindNASpawn, wire.KindNASpawnBatch}, one.log)
	require.Equal(t, []uint32{a}, one.own)
	require.Empty(t, two.log, "whoever has announced nothing sees nothing")

	require.NoError(t, s.report(1, a, at(20)))
	b := s.announce(2, relayed, at(0))
	require.Equal(t, []wire.Kind{wire.KindNASpawn, wire.KindNASpawnBatch}, two.log, "its own first, then all others")
	require.Equal(t, wire.Spawn{Object: a, Archetype: relayed, Owner: 1, Transform: at(20)}, two.known[a], "as it is now")
	require.Equal(t, []uint32{a, b}, one.objects())
	require.Len(t, one.log, 3)

	c := s.announce(2, relayed, at(0))
	require.Equal(t, []wire.Kind{wire.KindNASpawn, wire.KindNASpawnBatch, wire.KindNASpawn}, two.log)
	require.NoError(t, s.actors.Observe(3))
	require.NoError(t, s.actors.Observe(3))
	require.Equal(t, []wire.Kind{wire.KindNASpawnBatch}, three.log)
	require.Equal(t, []uint32{a, b, c}, three.objects())
	require.Empty(t, three.own)
	require.ErrorIs(t, s.actors.Observe(4), actors.ErrStranger)

	s.leave(2)
	require.Equal(t, []uint32{a}, one.objects())
	require.Equal(t, []uint32{a}, three.objects())
	require.Equal(t, 1, s.world.Len(), "the objects are gone too")
	_, live := s.world.Object(b)
	require.False(t, live)

	two = s.join(2)
	d := s.announce(2, relayed, at(0))
	require.Greater(t, d, c, "no id is used twice")
	require.Equal(t, []uint32{a, d}, two.objects())
}

// TestRelayedStatesAreSanitised is about non-unit and NaN rotations of a client, and everything else that is no number.
func TestRelayedStatesAreSanitised(t *testing.T) {
	s := newStage(t, actors.Config{})
	s.join(1)
	a := s.announce(1, relayed, wire.Transform{Rotation: [4]float32{0, 3, 0, 4}})
	now := func() wire.Transform {
		spawn, ok := s.actors.Actor(a)
		require.True(t, ok)
		return spawn.Transform
	}
	require.Equal(t, [4]float32{0, 0.6, 0, 0.8}, now().Rotation)

	good := wire.Transform{Position: [3]float32{1, 2, 3}, Rotation: [4]float32{2, 0, 0, 0}, Velocity: [3]float32{4, 5, 6}}
	require.NoError(t, s.report(1, a, good))
	good.Rotation[0] = 1
	require.Equal(t, good, now())

	bad := []wire.Transform{{}, {Rotation: [4]float32{1e-6, 0, 0, 0}}}
	for _, number := range []float32{nan, inf, -inf} {
		for i := range 10 {
			b := good
			switch {
			case i < 3:
				b.Position[i] = number
			case i < 7:
				b.Rotation[i-3] = number
			default:
				b.Velocity[i-7] = number
			}
			bad = append(bad, b)
		}
	}
	for _, b := range bad {
		require.ErrorIs(t, s.report(1, a, b), actors.ErrTransform)
		require.ErrorIs(t, s.actors.Presence(1, wire.AppendPresence(nil, wire.Presence{Transform: b})), actors.ErrTransform)
	}
	require.Equal(t, good, now())
	require.EqualValues(t, 2*len(bad), s.actors.Stats().BadTransform)
	require.Equal(t, 1, s.actors.Stats().Actors)
	require.EqualValues(t, 1, s.actors.Stats().States)

	require.NoError(t, s.report(1, a, wire.Transform{Rotation: [4]float32{1.1e-6, 0, 0, 0}}))
	require.Equal(t, [4]float32{1, 0, 0, 0}, now().Rotation)
}

// TestPredictedActorsAreMovedByTheServer is about the policy, which is not for a client to choose.
func TestPredictedActorsAreMovedByTheServer(t *testing.T) {
	s := newStage(t, actors.Config{})
	one, two := s.join(1), s.join(2)
	s.announce(2, relayed, at(500))
	a := s.announce(1, predicted, at(100))

	// The spawn was sent before anybody could ask for the roles.
	require.Contains(t, one.log, wire.KindNASpawn)
	roles := one.conn.Roles()
	require.Len(t, roles, 1)
	require.Equal(t, tsync.Role{
		Object: a, Role: tsync.OwnerPredicted, Owner: 1,
		OwnershipEpoch: roles[0].OwnershipEpoch, Gen: roles[0].Gen, Event: tsync.RoleAssign,
	}, roles[0])

	require.ErrorIs(t, s.report(1, a, at(9999)), actors.ErrPredicted)
	require.ErrorIs(t, s.report(1, a, wire.Transform{Position: [3]float32{nan}}), actors.ErrPredicted)
	require.ErrorIs(t, s.report(2, a, at(9999)), actors.ErrNotOwner)
	spawn, _ := s.actors.Actor(a)
	require.Equal(t, at(100), spawn.Transform)
	require.EqualValues(t, 2, s.actors.Stats().Predicted)

	in := tsync.Input{Frames: []tsync.InputFrame{{
		Seq: 1, DT: 0.05, Object: a, OwnershipEpoch: roles[0].OwnershipEpoch, Move: [3]float32{9000, 0, 0},
	}}}
	require.NoError(t, two.conn.Input(tsync.AppendInput(nil, &in)), "somebody else's input counts for nothing")
	require.NoError(t, one.conn.Input(tsync.AppendInput(nil, &in)))
	spawn, _ = s.actors.Actor(a)
	require.Equal(t, float32(200), spawn.Transform.Position[0], "2,000 cm/s and no more")

	three := s.join(3)
	s.announce(3, relayed, at(0))
	require.Equal(t, spawn, three.known[a])
	s.leave(1)
	require.NotContains(t, three.known, a)

	// A relayed one does not take inputs instead.
	b := s.announce(3, relayed, at(0))
	in.Frames[0].Object, in.Frames[0].OwnershipEpoch = b, 0
	require.NoError(t, three.conn.Input(tsync.AppendInput(nil, &in)))
	spawn, _ = s.actors.Actor(b)
	require.Equal(t, at(0), spawn.Transform)
}

func TestActorsAreBounded(t *testing.T) {
	s := newStage(t, actors.Config{MaxPerClient: 2, MaxActors: 5})
	body := wire.AppendPresence(nil, wire.Presence{Transform: at(0)})
	for participant := range uint64(3) {
		s.join(participant + 1)
	}
	for participant, want := range []int{2, 2, 1} {
		for i := range 3 {
			err := s.actors.Presence(uint64(participant+1), body)
			if i < want {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, actors.ErrTooMany)
			}
		}
	}
	_, err := s.actors.Spawn(7, at(0))
	require.ErrorIs(t, err, actors.ErrTooMany)
	require.Equal(t, 5, s.world.Len())
	require.EqualValues(t, 4, s.actors.Stats().Denied)

	s.leave(1)
	require.NoError(t, s.actors.Presence(3, body))
	require.ErrorIs(t, s.actors.Presence(3, body), actors.ErrTooMany)
	require.True(t, s.actors.Despawn(s.players[3].own[0]))
	require.NoError(t, s.actors.Presence(3, body), "the game has made room")
	require.Equal(t, actors.Stats{Clients: 2, Actors: 4, Spawned: 7, Despawned: 3, Denied: 5}, s.actors.Stats())
}

func TestAdmission(t *testing.T) {
	never := errors.New("no dragons")
	s := newStage(t, actors.Config{Admit: func(participant uint64, p wire.Presence) error {
		require.EqualValues(t, 1, participant)
		require.Equal(t, at(5), p.Transform)
		if p.Archetype == 3 {
			return never
		}
		return nil
	}})
	s.join(1)
	err := s.actors.Presence(1, wire.AppendPresence(nil, wire.Presence{Archetype: 3, Transform: at(5)}))
	require.ErrorIs(t, err, actors.ErrDenied)
	require.ErrorIs(t, err, never)
	require.ErrorContains(t, err, "no dragons")
	require.Zero(t, s.world.Len())
	s.announce(1, 4, at(5))
}

// TestAdmissionMayChangeEverything has the application throw a client out, or fill the world, while it decides.
func TestAdmissionMayChangeEverything(t *testing.T) {
	var s *stage
	s = newStage(t, actors.Config{MaxActors: 2, Admit: func(participant uint64, p wire.Presence) error {
		if participant == 1 {
			s.actors.Leave(1)
			return nil
		}
		for range 2 {
			_, err := s.actors.Spawn(relayed, at(0))
			require.NoError(t, err)
		}
		return nil
	}})
	s.join(1)
	s.join(2)
	body := wire.AppendPresence(nil, wire.Presence{Archetype: relayed, Transform: at(0)})
	require.ErrorIs(t, s.actors.Presence(1, body), actors.ErrStranger)
	require.Zero(t, s.world.Len(), "nobody owns it, and nobody would remove it")
	require.ErrorIs(t, s.actors.Presence(2, body), actors.ErrTooMany)
	require.Equal(t, 2, s.world.Len())
}

func TestServerActors(t *testing.T) {
	s := newStage(t, actors.Config{FirstObject: math.MaxUint32 - 2})
	one := s.join(1)
	require.NoError(t, s.actors.Observe(1))
	_, err := s.world.Spawn(objectAt(math.MaxUint32 - 1))
	require.NoError(t, err)
	a, err := s.actors.Spawn(predicted, at(0))
	require.NoError(t, err)
	require.Equal(t, uint32(math.MaxUint32-2), a)
	require.Zero(t, one.known[a].Owner)
	require.ErrorIs(t, s.report(1, a, at(1)), actors.ErrNotOwner)
	_, err = s.actors.Spawn(1, wire.Transform{})
	require.ErrorIs(t, err, actors.ErrTransform)

	b := s.announce(1, relayed, at(1))
	require.Equal(t, uint32(math.MaxUint32), b, "what the world uses is skipped")
	_, err = s.actors.Spawn(1, at(0))
	require.ErrorIs(t, err, actors.ErrTooMany, "no id is left")
	require.ErrorIs(t, s.actors.Presence(1, wire.AppendPresence(nil, wire.Presence{Transform: at(0)})), actors.ErrTooMany)

	all := []uint32{}
	for spawn := range s.actors.All() {
		all = append(all, spawn.Object)
	}
	require.Equal(t, []uint32{a, b}, all)
	for range s.actors.All() {
		break
	}
	require.True(t, s.actors.Despawn(a))
	require.False(t, s.actors.Despawn(a))
	require.False(t, s.actors.Despawn(math.MaxUint32-1), "an object, but no actor")
	_, ok := s.actors.Actor(a)
	require.False(t, ok)

	s.world.Despawn(b) // behind the back of the package
	require.ErrorIs(t, s.report(1, b, at(2)), actors.ErrNotOwner)
	_, ok = s.actors.Actor(b)
	require.False(t, ok)
	s.leave(1)
	require.Zero(t, s.actors.Stats().Actors)
}

func TestStrangersAndNonsense(t *testing.T) {
	s := newStage(t, actors.Config{})
	body := wire.AppendPresence(nil, wire.Presence{Transform: at(0)})
	require.ErrorIs(t, s.actors.Presence(1, body), actors.ErrStranger)
	require.ErrorIs(t, s.report(1, 0, at(0)), actors.ErrStranger)
	require.ErrorIs(t, s.actors.Join(0), actors.ErrJoined)
	s.join(1)
	require.ErrorIs(t, s.actors.Join(1), actors.ErrJoined)
	require.ErrorIs(t, s.report(1, 0, at(0)), actors.ErrNotOwner)
	for n := range len(body) {
		require.ErrorIs(t, s.actors.Presence(1, body[:n]), wire.ErrTooShort)
	}
	require.ErrorIs(t, s.actors.State(1, make([]byte, wire.StateBytes-1)), wire.ErrTooShort)
	s.actors.Leave(2)
	require.Equal(t, actors.Stats{
		Clients: 1, Malformed: uint64(len(body)) + 1, Strangers: 2, NotOwner: 1,
	}, s.actors.Stats())
	require.Zero(t, s.world.Len())
}

func TestNewRefuses(t *testing.T) {
	send := func(uint64, wire.Kind, []byte) {}
	for name, config := range map[string]actors.Config{
		"Send":                            {},
		"MaxPerClient is -1":              {Send: send, MaxPerClient: -1},
		"MaxActors is 8193":               {Send: send, MaxActors: 8193},
		"Other: Priority is NaN":          {Send: send, Other: actors.Archetype{Priority: nan}},
		"Other: Shape.Radius is +Inf":     {Send: send, Other: actors.Archetype{Shape: rewind.Shape{Radius: inf}}},
		"Archetypes[9]: Shape.HalfLength": {Send: send, Archetypes: map[uint16]actors.Archetype{9: {Shape: rewind.Shape{HalfLength: -1}}}},
	} {
		a, err := actors.New(nil, config)
		require.Nil(t, a)
		require.ErrorIs(t, err, actors.ErrConfig)
		require.ErrorContains(t, err, name)
	}
}

// TestPlayersKnowWhatThereIs does everything at random: everybody who sees has exactly the actors that there are.
func TestPlayersKnowWhatThereIs(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		s := newStage(t, actors.Config{MaxPerClient: 3, MaxActors: 20})
		sees := map[uint64]bool{}
		next := uint64(1)
		for range 400 {
			who := uint64(0)
			if next > 1 {
				who = 1 + r.Uint64N(next-1)
			}
			p := s.players[who]
			switch op := r.IntN(10); {
			case p == nil || op == 0:
				s.join(next)
				next++
			case op == 1:
				s.leave(who)
				delete(sees, who)
			case op == 2:
				require.NoError(t, s.actors.Observe(who))
				sees[who] = true
			case op < 6:
				body := wire.AppendPresence(nil, wire.Presence{Archetype: uint16(r.IntN(4)), Transform: at(r.Float32())})
				if s.actors.Presence(who, body) == nil {
					sees[who] = true
				}
			case op == 6 && len(p.own) > 0:
				s.actors.Despawn(p.own[r.IntN(len(p.own))])
			case op == 7:
				_, _ = s.actors.Spawn(1, at(0))
			case len(p.own) > 0:
				_ = s.report(who, p.own[r.IntN(len(p.own))], at(r.Float32()))
			}
			all := []uint32{}
			for spawn := range s.actors.All() {
				all = append(all, spawn.Object)
			}
			require.Equal(t, s.world.Len(), len(all))
			for participant, p := range s.players {
				if sees[participant] {
					require.Equal(t, all, p.objects())
				} else {
					require.Empty(t, p.log)
				}
			}
		}
		require.NotZero(t, s.actors.Stats().States)
		require.NotZero(t, s.actors.Stats().Denied)
	}
}
