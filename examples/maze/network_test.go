//go:build !js

package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

// party is a server and players in one process, all run by the goroutine of the test, over real sockets.
type party struct {
	t       *testing.T
	server  *server
	players []*player
	notes   output
}

func newParty(t *testing.T) *party {
	p := &party{t: t}
	var err error
	p.server, err = newServer(serverConfig{
		addr: "127.0.0.1:0", by: transports, settings: game.DefaultSettings(3), notify: p.note,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.server.close() })
	return p
}

func (p *party) note(text string) { _, _ = p.notes.Write([]byte(text + "\n")) }

// way returns the way to the server.
func (p *party) way(by transport) route {
	way, err := p.server.ticket.route(by)
	require.NoError(p.t, err)
	return way
}

// invite makes a player that connects by a route.
func (p *party) invite(name string, way route) *player {
	guest, err := newPlayer(playerConfig{
		name:   name,
		mind:   newBot(1, authorOf(name)),
		find:   func() (route, error) { return way, nil },
		notify: func(text string) { p.note(name + ": " + text) },
	})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = guest.close() })
	p.players = append(p.players, guest)
	return guest
}

// until plays until something is the case.
func (p *party) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("still not: %s\n%s", what, p.notes.String())
		}
		now := time.Now()
		require.NoError(p.t, p.server.frame(now, netcode.MaxStep))
		for _, guest := range p.players {
			require.NoError(p.t, guest.frame(now))
		}
	}
}

// compare checks that a player and the server agree about the latest step that both have settled.
func (p *party) compare(guest *player) {
	p.t.Helper()
	var served, played output
	p.server.report = stateReport{out: &served, every: 1, window: window}
	guest.report = stateReport{out: &played, every: 1, window: clientWindow}
	hashes := func(o *output) map[string]string {
		return stateLines(o.String())
	}
	p.until("both report the same step", func() bool {
		mine := hashes(&played)
		same := 0
		for step, hash := range hashes(&served) {
			if other, ok := mine[step]; ok {
				require.Equal(p.t, hash, other, "step %s", step)
				same++
			}
		}
		return same > 10
	})
}

// A player that comes late is given the world as it is, and all that has been decided since.
func TestJoinAtStep10000(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	require.NoError(t, p.server.host.Tick(10000))
	_, err := p.server.commands.Join.Send(game.Join{Name: game.NewName("ghost")}, 9950)
	require.NoError(t, err)
	p.server.start(time.Now())

	ann := p.invite("ann", p.way(overQUIC))
	p.until("ann plays", func() bool { return ann.host.Stats().Right > 0 })
	require.Greater(t, ann.host.Step(), netcode.Step(10000))
	require.NotNil(t, ann.world.Player(authority), "what was decided before she came")
	require.Contains(t, p.notes.String(), "ann: ready at step 10")
	p.compare(ann)
}

// The network dies under a player, who goes on where it was when it comes back.
func TestPlayerSurvivesALostConnection(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	way := p.way(overQUIC)
	relay, err := netem.Listen(way.addr, netem.Config{Lag: 20 * time.Millisecond})
	require.NoError(t, err)
	defer relay.Close()
	p.server.start(time.Now())
	way.addr = relay.Addr().String()
	ann := p.invite("ann", way)
	bob := p.invite("bob", p.way(overQUIC))
	p.until("both play", func() bool { return ann.host.Stats().Right > 0 && bob.host.Stats().Right > 0 })

	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	p.until("ann notices", func() bool { return ann.link.Conn() == nil })
	require.Contains(t, p.notes.String(), "ann: bridge: connection lost")
	require.NoError(t, relay.Update(netem.Config{}))
	p.until("ann is back", func() bool { return ann.link.Session().State() == session.Ready })
	right := ann.host.Stats().Right
	p.until("ann plays on", func() bool { return ann.host.Stats().Right > right })
	require.Len(t, p.server.world.Players, 2, "she is who she was")
	p.compare(ann)
}

// Players come to one game by different transports, and by another than last time.
func TestMixedCompany(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	p.server.start(time.Now())
	guests := make(map[transport]*player)
	for _, by := range transports {
		guests[by] = p.invite("by-"+string(by), p.way(by))
	}
	p.until("all play", func() bool {
		for _, guest := range guests {
			if guest.host.Stats().Right == 0 {
				return false
			}
		}
		return true
	})
	// A command that was accepted may still lie ahead of the server.
	p.until("all are there", func() bool { return len(p.server.world.Players) == len(transports) })

	require.NoError(t, guests[overQUIC].close())
	p.players = p.players[1:]
	again := p.invite("by-quic", p.way(overWS))
	p.until("plays again", func() bool { return again.host.Stats().Right > 0 })
	require.Len(t, p.server.world.Players, len(transports), "the same player")
}

// A WebSocket is cut, and the player comes back by another.
func TestPlayerSurvivesALostWebSocket(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	p.server.start(time.Now())
	way := p.way(overWS)
	relay, err := listenSlowTCP(way.addr, netem.Config{})
	require.NoError(t, err)
	defer relay.Close()
	way.addr = relay.addr()
	ann := p.invite("ann", way)
	p.until("ann plays", func() bool { return ann.host.Stats().Right > 0 })
	first := ann.link.Conn()
	relay.cut()
	p.until("ann is back", func() bool {
		return ann.link.Conn() != nil && ann.link.Conn() != first && ann.link.Session().State() == session.Ready
	})
	require.Contains(t, p.notes.String(), "ann: bridge: connection lost")
	right := ann.host.Stats().Right
	p.until("ann plays on", func() bool { return ann.host.Stats().Right > right })
	require.Len(t, p.server.world.Players, 1, "she is who she was")
}

// Two processes with the same name push each other out; the later one stays.
func TestSameNameTwice(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	p.server.start(time.Now())
	ann := p.invite("ann", p.way(overQUIC))
	p.until("ann plays", func() bool { return ann.host.Stats().Right > 0 })
	p.players = nil // ann has a loop of her own from here on

	again := p.invite("ann", p.way(overQUIC))
	var lost error
	p.until("the first is out", func() bool {
		if lost == nil {
			lost = ann.frame(time.Now())
		}
		return lost != nil
	})
	require.ErrorContains(t, lost, "connected again")
	p.until("the second plays", func() bool {
		return again.host.Stats().Right > 0 && p.server.world.Player(again.author) != nil
	})
	require.Len(t, p.server.world.Players, 1)
}

// The commands bots and join, against a server in this process.
func TestBotsAndJoin(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var working sync.WaitGroup
	var serving error
	p.server.start(time.Now())
	working.Go(func() {
		serving = loop(ctx, func(now time.Time) error { return p.server.frame(now, netcode.MaxStep) })
	})
	where := []string{"-addr", p.way(overQUIC).addr, "-pin", p.server.ticket.Pin}

	var out output
	botsCtx, stopBots := context.WithCancel(ctx)
	code := make(chan int, 1)
	working.Go(func() {
		code <- run(botsCtx, append([]string{"bots", "-n", "2"}, where...), console{out: &out, err: &out})
	})
	out.await(t, 0, `ada: ready at step`)
	out.await(t, 0, `bob: ready at step`)

	// A human without a terminal types a few moves, and is gone when there are no more.
	joined, text, errs := runMaze(t, "wasdq", append([]string{"join", "-name", "cy"}, where...)...)
	require.Equal(t, 0, joined, errs)
	require.Contains(t, text, "ready at step")

	stopBots()
	require.Equal(t, 0, <-code, out.String())
	cancel()
	working.Wait()
	require.NoError(t, serving)
	require.Len(t, p.server.world.Players, 3)
}

func TestServerThatIsNotTheOneExpected(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	other := newParty(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out output
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{
			"join", "-auto", "-addr", p.way(overQUIC).addr, "-pin", other.server.ticket.Pin,
		}, console{out: &out, err: &out})
	}()
	out.await(t, 0, `cannot connect: .*does not match the pin`)
	cancel()
	require.Equal(t, 0, <-code)
}
