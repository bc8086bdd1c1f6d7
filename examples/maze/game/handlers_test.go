package game_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
)

// side is one participant of a session in memory.
type side struct {
	world    *game.World
	host     *session.Host
	commands game.Commands
}

func newSide(t *testing.T, mode netcode.Mode, author netcode.AuthorID, s game.Settings) *side {
	world, err := game.New(s)
	require.NoError(t, err)
	table := registry.New()
	types, err := game.RegisterCommands(table)
	require.NoError(t, err)
	model, err := rollback.New(world, rollback.Config{})
	require.NoError(t, err)
	host, err := session.NewHost(session.Config{
		Start: netcode.Start{Session: 1, Protocol: 1, Author: author, Seed: 99},
		Mode:  mode, Registry: table, Model: model,
	})
	require.NoError(t, err)
	commands, err := game.Handle(host, types, world)
	require.NoError(t, err)
	return &side{world, host, commands}
}

// match is an authority and two clients. Frames wait until deliver is called.
type match struct {
	t        *testing.T
	server   *side
	router   *session.Server
	clients  [2]*side
	sessions [2]*session.Client
	toServer []frame
	toClient []frame
}

type frame struct {
	conn session.ConnID
	data []byte
}

// queue is a transport that keeps frames.
type queue func(conn session.ConnID, data []byte)

func (q queue) Send(conn session.ConnID, data []byte) { q(conn, append([]byte(nil), data...)) }

const first netcode.AuthorID = 10 // of the clients

func newMatch(t *testing.T, s game.Settings) *match {
	m := &match{t: t, server: newSide(t, netcode.Server, 0, s)}
	m.router = session.NewServer(queue(func(conn session.ConnID, data []byte) {
		m.toClient = append(m.toClient, frame{conn, data})
	}))
	require.NoError(t, m.router.Add(m.server.host))
	for i := range m.clients {
		author := first + netcode.AuthorID(i)
		m.clients[i] = newSide(t, netcode.Client, author, s)
		require.NoError(t, m.router.Bind(session.ConnID(i), 1, author))
		var err error
		m.sessions[i], err = session.NewClient(m.clients[i].host, queue(func(conn session.ConnID, data []byte) {
			m.toServer = append(m.toServer, frame{conn, data})
		}))
		require.NoError(t, err)
		m.sessions[i].Join(session.ConnID(i))
	}
	m.deliver()
	return m
}

// deliver passes everything on, until nothing is under way.
func (m *match) deliver() {
	for len(m.toServer)+len(m.toClient) > 0 {
		up, down := m.toServer, m.toClient
		m.toServer, m.toClient = nil, nil
		for _, f := range up {
			_, _ = m.router.Receive(f.conn, f.data) // refusals are looked at as events
		}
		for _, f := range down {
			_, err := m.sessions[f.conn].Receive(f.conn, f.data)
			require.NoError(m.t, err)
		}
	}
}

// run lets everybody complete some steps.
func (m *match) run(steps int) {
	for range steps {
		next := m.server.host.Step() + 1
		require.NoError(m.t, m.server.host.Tick(next))
		for _, c := range m.clients {
			require.NoError(m.t, c.host.Tick(next))
		}
	}
}

// agree checks that all states are equal.
func (m *match) agree() {
	want, err := m.server.world.AppendBinary(nil)
	require.NoError(m.t, err)
	for _, c := range m.clients {
		got, err := c.world.AppendBinary(nil)
		require.NoError(m.t, err)
		require.Equal(m.t, want, got)
	}
}

// joined is a match with both clients in the game.
func joined(t *testing.T, s game.Settings) *match {
	m := newMatch(t, s)
	for i, name := range []string{"ann", "bob"} {
		send(m, m.clients[i].commands.Join, game.Join{Name: game.NewName(name)}, 0)
	}
	m.deliver()
	m.run(1)
	m.agree()
	require.Len(t, m.server.world.Players, 2)
	m.server.host.Events()
	return m
}

func send[T any](m *match, c *session.Commands[T], payload T, ahead int) netcode.Key {
	key, err := c.Send(payload, m.server.host.Step()+1+netcode.Step(ahead))
	require.NoError(m.t, err)
	return key
}

// refusal returns why the authority has refused a command, or nil if it has not refused any.
func (m *match) refusal() error {
	for _, e := range m.server.host.Events() {
		if e.Kind == session.Refused {
			return e.Err
		}
	}
	return nil
}

// free returns a direction in which client i can move.
func (m *match) free(i int) game.Dir {
	w := m.clients[i].world
	at := w.Players[i].At
	for dir := game.North; dir <= game.West; dir++ {
		if w.At(at.Step(dir)).Walkable() {
			return dir
		}
	}
	m.t.Fatal("walled in")
	return 0
}

// walkTo moves client 0 until it can reach a tile of some kind, and returns where that is.
func (m *match) walkTo(kind game.Tile) game.Pos {
	c := m.clients[0]
	for range 2000 {
		me := c.world.Player(first)
		if c.world.CanAct(first) {
			for dir := game.Dir(0); dir <= game.West; dir++ {
				if at := me.At.Step(dir); c.world.At(at) == kind {
					return at
				}
			}
			dir := wayTo(c.world, me.At, kind)
			if next := me.At.Step(dir); c.world.At(next) == game.ClosedDoor {
				send(m, c.commands.ToggleDoor, game.ToggleDoor{Door: next}, 0)
			} else {
				send(m, c.commands.Move, game.Move{Dir: dir}, 0)
			}
			m.deliver()
		}
		m.run(1)
	}
	m.t.Fatal("found none")
	return game.Pos{}
}

// wayTo returns the first direction of a shortest way to a kind of tile.
func wayTo(w *game.World, from game.Pos, kind game.Tile) game.Dir {
	origin := map[game.Pos]game.Dir{from: 0}
	for queue := []game.Pos{from}; len(queue) > 0; queue = queue[1:] {
		for dir := game.North; dir <= game.West; dir++ {
			next := queue[0].Step(dir)
			if _, seen := origin[next]; seen || w.At(next) == game.Wall {
				continue
			}
			origin[next] = origin[queue[0]]
			if queue[0] == from {
				origin[next] = dir
			}
			if w.At(next) == kind {
				return origin[next]
			}
			queue = append(queue, next)
		}
	}
	return 0
}

func calm() game.Settings {
	s := game.DefaultSettings(4)
	s.Spikes = 0
	return s
}

func TestRightPredictionOfAMove(t *testing.T) {
	m := joined(t, calm())
	ann := m.clients[0]
	before := ann.world.Player(first).At
	dir := m.free(0)
	send(m, ann.commands.Move, game.Move{Dir: dir}, 0)
	require.NoError(t, ann.host.Tick(ann.host.Step()+1))
	require.Equal(t, before.Step(dir), ann.world.Player(first).At, "at once")

	rollbacks := ann.host.Stats().Rollbacks
	m.deliver()
	m.run(1)
	m.agree()
	s := ann.host.Stats()
	require.Equal(t, uint64(1), s.Right)
	require.Equal(t, rollbacks, s.Rollbacks)
}

func TestSearchIsCorrectedByTheAuthority(t *testing.T) {
	m := joined(t, calm())
	chest := m.walkTo(game.Chest)
	ann := m.clients[0]
	before := ann.world.Player(first).Score
	send(m, ann.commands.Search, game.Search{Chest: chest, Gold: 60000}, 0)
	require.NoError(t, ann.host.Tick(ann.host.Step()+1))
	require.Equal(t, before+60000, ann.world.Player(first).Score, "what it hopes for")
	require.Equal(t, game.EmptyChest, ann.world.At(chest))

	m.deliver()
	m.run(1)
	m.agree()
	found := ann.world.Player(first).Score - before
	require.True(t, found >= 1 && found < game.HopedGold, "%d", found)
	require.Equal(t, uint64(1), ann.host.Stats().Corrected)
}

func TestDropLootIsTheAuthoritysWork(t *testing.T) {
	m := joined(t, calm())
	ann := m.clients[0]
	m.walkTo(game.Chest)
	send(m, ann.commands.Search, game.Search{Chest: m.walkTo(game.Chest), Gold: game.HopedGold}, 0)
	m.deliver()
	m.run(10)

	for range 2 {
		key := send(m, ann.commands.DropLoot, game.DropLoot{Gold: 2, First: 12345, Seed: 1}, 0)
		_, known := ann.commands.DropLoot.Payload(key)
		require.False(t, known, "it is not predicted")
		m.deliver()
		m.run(7)
		m.agree()
		final, known := ann.commands.DropLoot.Payload(key)
		require.True(t, known)
		require.NotEqual(t, uint64(12345), final.First)
	}
	var ids []uint64
	for _, l := range m.server.world.Loot {
		ids = append(ids, l.ID)
	}
	require.Equal(t, []uint64{1, 2, 3, 4}, ids, "each piece has an id of its own")
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		send func(m *match, c game.Commands)
		want error
	}{
		{"join twice", func(m *match, c game.Commands) { send(m, c.Join, game.Join{Name: game.NewName("x")}, 0) }, game.ErrPlaying},
		{"not a direction", func(m *match, c game.Commands) { send(m, c.Move, game.Move{}, 0) }, game.ErrBadMove},
		{"door in a wall", func(m *match, c game.Commands) { send(m, c.ToggleDoor, game.ToggleDoor{}, 0) }, game.ErrNoDoor},
		{"door across the map", func(m *match, c game.Commands) {
			send(m, c.ToggleDoor, game.ToggleDoor{Door: m.farthest(game.ClosedDoor)}, 0)
		}, game.ErrTooFar},
		{"chest outside", func(m *match, c game.Commands) {
			send(m, c.Search, game.Search{Chest: game.Pos{X: 255, Y: 255}}, 0)
		}, game.ErrNoChest},
		{"chest across the map", func(m *match, c game.Commands) {
			send(m, c.Search, game.Search{Chest: m.farthest(game.Chest)}, 5)
		}, game.ErrTooFar},
		{"drop nothing", func(m *match, c game.Commands) { send(m, c.DropLoot, game.DropLoot{}, 0) }, game.ErrNoGold},
		{"act again at once", func(m *match, c game.Commands) {
			send(m, c.Move, game.Move{Dir: m.free(0)}, 0)
			m.deliver()
			m.run(1)
			send(m, c.Move, game.Move{Dir: m.free(0)}, game.ActEvery-2)
		}, game.ErrTooSoon},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := joined(t, calm())
			c.send(m, m.clients[0].commands)
			m.deliver()
			require.ErrorIs(t, m.refusal(), c.want)
			m.run(20)
			m.agree()
		})
	}
}

// farthest returns the tile of a kind that is farthest from client 0.
func (m *match) farthest(kind game.Tile) (far game.Pos) {
	w := m.clients[0].world
	at, apart := w.Player(first).At, 0
	for y := range w.Height() {
		for x := range w.Width() {
			p := game.Pos{X: uint8(x), Y: uint8(y)}
			if w.At(p) == kind && p.Distance(at) > apart {
				far, apart = p, p.Distance(at)
			}
		}
	}
	return far
}

func TestStrangersAreRefused(t *testing.T) {
	m := newMatch(t, calm())
	c := m.clients[0].commands
	send(m, c.Move, game.Move{Dir: game.North}, 0)
	m.deliver()
	require.ErrorIs(t, m.refusal(), game.ErrNotPlaying)
	send(m, c.Join, game.Join{Name: game.Name{'\n'}}, 0)
	m.deliver()
	require.ErrorIs(t, m.refusal(), game.ErrBadName)
}

func TestFullGameRefusesMore(t *testing.T) {
	m := newMatch(t, calm())
	for i := range game.MaxPlayers {
		m.server.world.Players = append(m.server.world.Players, game.Player{
			Author: 100 + netcode.AuthorID(i), At: m.server.world.Homes[i], Health: 1,
		})
	}
	send(m, m.clients[0].commands.Join, game.Join{Name: game.NewName("late")}, 0)
	m.deliver()
	require.ErrorIs(t, m.refusal(), game.ErrFull)
}

// A command for a time when the player will be able to act is let through, although it is not now.
func TestValidatorsLookAhead(t *testing.T) {
	for _, c := range []struct {
		name  string
		now   func(w *game.World, p *game.Player)
		ahead int
		want  error
	}{
		{"waiting", func(_ *game.World, p *game.Player) { p.Wait = 5 }, 4, game.ErrTooSoon},
		{"has waited", func(_ *game.World, p *game.Player) { p.Wait = 5 }, 5, nil},
		{"down", func(_ *game.World, p *game.Player) { p.Health, p.Down = 0, 50 }, 49, game.ErrDown},
		{"up again", func(_ *game.World, p *game.Player) { p.Health, p.Down = 0, 50 }, 50, nil},
		{"round over", func(w *game.World, _ *game.Player) { w.Over, w.Pause = true, 50 }, 49, game.ErrRoundOver},
		{"next round", func(w *game.World, _ *game.Player) { w.Over, w.Pause = true, 50 }, 50, nil},
		{"late", func(_ *game.World, p *game.Player) { p.Wait = 5 }, -1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := joined(t, calm())
			c.now(m.server.world, m.server.world.Player(first))
			send(m, m.clients[0].commands.Move, game.Move{Dir: m.free(0)}, c.ahead)
			m.deliver()
			require.ErrorIs(t, m.refusal(), c.want)
		})
	}
}
