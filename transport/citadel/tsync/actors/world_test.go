package actors_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/actors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Archetypes of the tests: what is not listed is relayed.
const (
	relayed   = 1
	predicted = 2
)

// stage is a world with actors, and players who believe what they are told.
type stage struct {
	t       testing.TB
	world   *server.World
	actors  *actors.Actors
	players map[uint64]*player
}

type player struct {
	conn  *server.Client
	log   []wire.Kind           // what came, roles included
	own   []uint32              // actors that were announced as the player's
	known map[uint32]wire.Spawn // all that are there
}

func newStage(t testing.TB, config actors.Config) *stage {
	s := &stage{t: t, players: map[uint64]*player{}}
	var err error
	s.world, err = server.New(server.Config{})
	require.NoError(t, err)
	config.Send = s.send
	if config.Archetypes == nil {
		config.Archetypes = map[uint16]actors.Archetype{
			predicted: {Predicted: true, ReplicateVelocity: true, Shape: rewind.Shape{Radius: 34, HalfLength: 54}},
		}
	}
	s.actors, err = actors.New(s.world, config)
	require.NoError(t, err)
	return s
}

// send is the connection to a player, who checks what comes.
func (s *stage) send(to uint64, kind wire.Kind, body []byte) {
	p := s.players[to]
	require.NotNil(s.t, p, "sent to %d, who is not there", to)
	p.log = append(p.log, kind)
	switch kind {
	case wire.KindNASpawn:
		spawn, err := wire.ParseSpawn(body)
		require.NoError(s.t, err)
		p.learn(s.t, to, spawn)
	case wire.KindNASpawnBatch:
		batch, err := wire.ParseSpawnBatch(body)
		require.NoError(s.t, err)
		for i := range batch.Len() {
			p.learn(s.t, to, batch.At(i))
		}
	case wire.KindNADespawn:
		despawn, err := wire.ParseDespawn(body)
		require.NoError(s.t, err)
		require.Contains(s.t, p.known, despawn.Object)
		delete(p.known, despawn.Object)
	default:
		s.t.Fatalf("kind %v", kind)
	}
}

func (p *player) learn(t testing.TB, me uint64, spawn wire.Spawn) {
	require.NotContains(t, p.known, spawn.Object)
	p.known[spawn.Object] = spawn
	if spawn.Owner == me {
		p.own = append(p.own, spawn.Object)
	}
}

func (s *stage) join(participant uint64) *player {
	conn, err := s.world.Join(participant, nil)
	require.NoError(s.t, err)
	require.NoError(s.t, s.actors.Join(participant))
	p := &player{conn: conn, known: map[uint32]wire.Spawn{}}
	s.players[participant] = p
	return p
}

func (s *stage) leave(participant uint64) {
	p := s.players[participant]
	s.actors.Leave(participant)
	s.world.Leave(p.conn)
	delete(s.players, participant)
}

// announce lets an actor of a player appear and returns its object.
func (s *stage) announce(participant uint64, archetype uint16, at wire.Transform) uint32 {
	require.NoError(s.t, s.actors.Presence(participant, wire.AppendPresence(nil, wire.Presence{Archetype: archetype, Transform: at})))
	p := s.players[participant]
	require.NotEmpty(s.t, p.own)
	return p.own[len(p.own)-1]
}

func (s *stage) report(participant uint64, object uint32, at wire.Transform) error {
	return s.actors.State(participant, wire.AppendState(nil, wire.State{Object: object, Transform: at}))
}

func (p *player) objects() []uint32 {
	ids := []uint32{}
	for id := range p.known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func at(x float32) wire.Transform {
	return wire.Transform{Position: [3]float32{x, 0, 0}, Rotation: [4]float32{0, 0, 0, 1}}
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)
