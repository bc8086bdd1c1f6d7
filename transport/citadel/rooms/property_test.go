package rooms_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// player is a client at the far end of a slow line.
type player struct {
	*rooms.Client
	up   *peer // what it has sent
	down *peer // what it has been sent; the server's end
	person

	rejections int
	heard      []string
	own        map[uint32]bool
}

// play is a server, its players and the world that should be.
type play struct {
	t       *testing.T
	rng     *rand.Rand
	rooms   *rooms.Rooms
	world   *world
	players []*player
	lastID  uint64
	places  int
	met     map[string]int // what the random walk has come by
}

// TestRandomPlay lets several clients and the server do anything in any order, with requests and answers on their way
// at the same time, and compares what everybody knows with the world as it should be.
func TestRandomPlay(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(60) {
		p := &play{t: t, rng: rand.New(rand.NewPCG(seed, 7)), met: met, world: &world{waitForMap: seed%2 == 1}}
		p.rooms = newRooms(t, unlimited(rooms.Config{
			MaxRooms: worldRooms, MaxMembers: worldMembers, MaxActors: worldActors, MaxRoomActors: worldRoomActors,
			MaxParams: worldParams, Predicted: []uint16{worldPredicted}, WaitForMap: p.world.waitForMap,
			Settings: labyrinth,
			Admit: func(c rooms.Peer, m rooms.Room) error {
				if denied(c.ID(), m.Params) {
					return rooms.Deny("not you")
				}
				return nil
			},
		}))
		for range 6 {
			p.connect()
		}
		for step := range 400 {
			p.step()
			if step%40 == 0 {
				p.check(fmt.Sprintf("seed %d, step %d", seed, step))
			}
		}
		p.check(fmt.Sprintf("seed %d", seed))
		for len(p.players) > 0 {
			p.disconnect(0)
		}
		require.Zero(t, p.rooms.Stats().Joined-p.rooms.Stats().Left)
	}
	for _, what := range []string{"rejected", "moved", "shown", "position", "own", "despawned by the server", "closed", "disconnected"} {
		require.NotZero(t, met[what], "never happened: %s", what)
	}
}

func (p *play) connect() {
	p.lastID++
	c := &player{up: &peer{id: p.lastID}, down: &peer{id: p.lastID}, person: person{id: p.lastID}, own: map[uint32]bool{}}
	c.Client = rooms.NewClient(c.up, rooms.ClientConfig{
		Rejected: func(wire.Kind, string) { c.rejections++ },
		Position: func(sender uint64, payload []byte) {
			require.NotEqual(p.t, c.id, sender)
			require.Contains(p.t, string(payload), fmt.Sprintf("%d:", sender), "the sender's tag")
			c.heard = append(c.heard, string(payload))
		},
		Spawned:   func(a wire.Spawn, own bool) { c.own[a.Object] = own },
		Despawned: func(a wire.Spawn) { delete(c.own, a.Object) },
	})
	p.players = append(p.players, c)
	p.world.people = append(p.world.people, &c.person)
}

func (p *play) disconnect(i int) {
	c := p.players[i]
	p.met["disconnected"]++
	p.rooms.Closed(c.down)
	p.world.leave(&c.person)
	p.players = slices.Delete(p.players, i, i+1)
	p.world.people = slices.Delete(p.world.people, i, i+1)
	c.Closed()
	require.Empty(p.t, c.own)
}

// transform is another one each time.
func (p *play) transform() wire.Transform {
	p.places++
	return at(float32(p.places))
}

// object is one that exists, usually.
func (p *play) object() uint32 { return uint32(p.rng.IntN(int(p.world.lastObject) + 2)) }

func (p *play) room() (wire.RoomID, *worldRoom) {
	id := wire.RoomID(p.rng.IntN(int(p.world.lastRoom) + 2))
	if len(p.world.rooms) > 0 && p.rng.IntN(4) > 0 {
		id = p.world.rooms[p.rng.IntN(len(p.world.rooms))].id
	}
	return id, p.world.byID(id)
}

var names = []string{"a", "b", "c", "d", "long"}

// step does one thing.
func (p *play) step() {
	c := p.players[p.rng.IntN(len(p.players))]
	switch p.rng.IntN(32) {
	case 0, 1:
		_ = c.Create([]byte(names[p.rng.IntN(len(names))]))
	case 2, 3:
		id, _ := p.room()
		_ = c.Join(id)
	case 4:
		_ = c.Leave()
	case 5, 6:
		_ = c.MapReady()
	case 7:
		id, _ := p.room()
		_ = c.up.Send(wire.KindRoomMapReady, wire.AppendRoomID(nil, id))
	case 8, 9:
		_ = c.Announce(uint16(65+p.rng.IntN(2)), p.transform())
	case 10:
		// An owner that moves an actor before it has been shown to it could not recognise it.
		if !p.world.waitForMap || len(c.Actors()) > 0 {
			_ = c.SendState(p.object(), p.transform())
		}
	case 11:
		_ = c.up.SendDatagram(wire.KindPosition, fmt.Appendf(nil, "%d:%d", c.id, p.rng.Uint32()))
	case 12:
		p.serverActs(c)
	case 13:
		if p.rng.IntN(4) == 0 {
			p.disconnect(slices.Index(p.players, c))
			p.connect()
		}
	case 14, 15, 16, 17, 18, 19, 20, 21:
		p.hear(c)
	default:
		p.receive(c)
	}
}

// receive lets the server take what comes next from a client, or loses a datagram.
func (p *play) receive(c *player) {
	if len(c.up.out) == 0 {
		return
	}
	s := c.up.out[0]
	c.up.out = c.up.out[1:]
	e := wire.Envelope{Kind: s.kind, Body: s.body}
	if s.reliable {
		require.True(p.t, p.rooms.Frame(c.down, e))
	} else if p.rng.IntN(5) > 0 {
		require.True(p.t, p.rooms.Datagram(c.down, e))
	} else {
		return
	}
	before := c.person.room
	p.world.receive(&c.person, e)
	if before != nil && c.person.room != nil && before != c.person.room {
		p.met["moved"]++
	}
}

// hear lets a client take what comes next from the server.
func (p *play) hear(c *player) {
	if len(c.down.out) == 0 {
		return
	}
	s := c.down.out[0]
	c.down.out = c.down.out[1:]
	e := wire.Envelope{Kind: s.kind, Body: s.body}
	require.Equal(p.t, s.kind != wire.KindPeerPosition, s.reliable)
	if s.reliable {
		require.True(p.t, c.Frame(e))
	} else {
		require.True(p.t, c.Datagram(e))
	}
}

// serverActs does something on the server's own account.
func (p *play) serverActs(c *player) {
	id, m := p.room()
	switch p.rng.IntN(7) {
	case 0:
		if p.rng.IntN(3) == 0 {
			require.Equal(p.t, m != nil, p.rooms.Close(id, 1, false))
			if m != nil {
				p.met["closed"]++
				p.world.close(m)
			}
		}
	case 1:
		require.Equal(p.t, c.person.room != nil, p.rooms.Remove(c.id))
		p.world.leave(&c.person)
	case 2:
		err := p.rooms.Enter(c.down, id)
		require.Equal(p.t, m == nil, err == rooms.ErrNoRoom)
		if m != nil {
			p.world.enter(&c.person, m, false)
		}
	case 3:
		keep := p.rng.IntN(2) == 0
		name := names[p.rng.IntN(4)]
		if _, err := p.rooms.Open([]byte(name), rooms.Settings{Keep: keep}); err == nil {
			require.Nil(p.t, p.world.byName(name))
			p.world.open(name, keep)
		}
	case 4:
		t := p.transform()
		_, err := p.rooms.Spawn(id, 5, t)
		require.Equal(p.t, m != nil && len(m.actors) < worldRoomActors, err == nil)
		if err == nil {
			p.world.spawn(m, 0, 5, t)
		}
	case 5:
		object := p.object()
		if m != nil && len(m.actors) > 0 {
			object = m.actors[p.rng.IntN(len(m.actors))].Object
		}
		if p.rooms.Despawn(id, object) {
			p.met["despawned by the server"]++
			p.world.despawn(m, object)
		}
	case 6:
		require.Equal(p.t, c.person.room != nil, p.rooms.Observe(c.id))
		if c.person.room != nil {
			c.person.wants = true
			p.world.show()
		}
	}
}

// check delivers what is on its way to the clients and compares everybody's view with the world.
func (p *play) check(when string) {
	t := p.t
	require.Equal(t, len(p.world.rooms), p.rooms.Stats().Rooms, when)
	for _, m := range p.world.rooms {
		info, ok := p.rooms.Room(m.id)
		require.True(t, ok, when)
		require.Equal(t, m.name, info.Params, when)
		require.Equal(t, len(p.world.members(m)), info.Members, when)
		readies := 0
		for _, member := range p.world.members(m) {
			if member.ready {
				readies++
			}
		}
		require.Equal(t, readies, info.Ready, when)
		require.Equal(t, append([]wire.Spawn{}, m.actors...), slices.AppendSeq([]wire.Spawn{}, p.rooms.Actors(m.id)), when)
	}
	for _, c := range p.players {
		for len(c.down.out) > 0 {
			p.hear(c)
		}
		when := fmt.Sprintf("%s, client %d", when, c.id)
		got, in := c.Room()
		require.Equal(t, c.person.room != nil, in, when)
		if in {
			require.Equal(t, c.person.room.id, got.Room, when)
		}
		require.Equal(t, c.rejected, c.rejections, when)
		require.Equal(t, c.positions, c.heard, when)
		p.met["rejected"] += c.rejections
		p.met["position"] += len(c.heard)
		p.met["shown"] += len(c.shown)

		view := map[uint32]wire.Transform{}
		for _, object := range c.Actors() {
			a, _ := c.Actor(object)
			view[object] = a.Transform
			require.Equal(t, a.Owner == c.id, c.own[object], when)
			if c.own[object] {
				p.met["own"]++
			}
		}
		want := c.shown
		if want == nil {
			want = map[uint32]wire.Transform{}
		}
		require.Equal(t, want, view, when)
		require.Zero(t, c.Stats().Malformed+c.Stats().Stray+c.Stats().TooMany, when)
	}
}
