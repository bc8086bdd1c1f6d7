//go:build !js

package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// party is a server and players in one process, all run by the goroutine of the test, over real sockets.
type party struct {
	t       *testing.T
	host    *host
	players []*player
	ticked  func()
}

func newParty(t *testing.T, r rules) *party {
	h, err := newHost(overQUIC, "127.0.0.1:0", r, func(string) {})
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.close() })
	return &party{t: t, host: h, ticked: func() {}}
}

// invite makes a player that connects through a network.
func (p *party) invite(b *bot, network netem.Config) *player {
	relay, err := netem.Listen(p.host.gate.addr, network)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = relay.Close() })
	guest, err := join(p.t.Context(), overQUIC, relay.Addr().String(), p.host.gate.pin, botName(len(p.players)), b)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = guest.close() })
	guest.screen = &screen{start: time.Now()}
	p.players = append(p.players, guest)
	return guest
}

// until plays until something is the case.
func (p *party) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		require.True(p.t, time.Now().Before(end), "still not: %s", what)
		now := time.Now()
		require.NoError(p.t, p.host.turn(now, func() { p.ticked() }))
		for _, guest := range p.players {
			require.NoError(p.t, guest.turn(now))
		}
	}
}

// bad is a network that loses and reorders.
var bad = netem.Config{Lag: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05, Seed: 1, ReorderOK: true}

// What a player has of a step is what the server had at its end, up to quantisation, whatever was lost in between.
func TestSnapshotsTellTheTruth(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{movers: 6, players: 2, sendRate: 60})
	codec := p.host.world.Codec()
	history := make(map[int64]map[uint32]tsync.State) // by tick and object, as it is encoded
	p.ticked = func() {
		states := make(map[uint32]tsync.State)
		for _, id := range newTruth(rules{movers: 6, players: 2}).watched {
			if l, ok := p.host.world.Latched(id); ok {
				var s tsync.State
				codec.Dequantize(&l.Codes, tsync.StateFields, &s)
				states[id] = s
			}
		}
		history[int64(p.host.world.Now())] = states
	}
	guests := []*player{p.invite(newBot(1, 0), bad), p.invite(newBot(1, 1), bad)}
	compared := 0
	var last int64
	p.until("many steps are compared", func() bool {
		for _, g := range guests {
			view := g.sync.View()
			if view == nil {
				continue
			}
			tick, ok := view.NewestTick()
			if !ok || tick == last {
				continue
			}
			last = tick
			for o := range view.Objects() {
				want, ok := history[tick][o.ID]
				require.True(t, ok, "object %d at tick %d", o.ID, tick)
				require.Equal(t, want, o.State, "object %d at tick %d", o.ID, tick)
				compared++
			}
		}
		return compared > 600
	})
}

// Predictions that nothing disturbs are right; who is pushed is corrected by as much.
func TestCorrections(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{movers: 2, players: 1, sendRate: 60})
	b := newBot(3, 0)
	b.rests = true
	g := p.invite(b, bad)
	p.until("predictions are compared", func() bool { return g.sync.Stats().Reconciled > 60 })
	require.Zero(t, g.sync.Stats().Corrections)

	o, ok := p.host.world.Object(g.object)
	require.True(t, ok)
	o.State.Position[0] -= float32(math.Copysign(knockback, float64(o.State.Position[0])))
	require.NoError(t, p.host.world.SetState(o.ID, o.State))
	p.until("the prediction is corrected", func() bool { return g.sync.Stats().Corrections > 0 })
	require.EqualValues(t, 1, g.sync.Stats().Corrections)
	require.InDelta(t, knockback, g.sync.Stats().LargestCorrection, 1)
}

// Shots are resolved once each, and what the shooter sees to hit is hit.
func TestShotsAreConfirmed(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{movers: 4, players: 1, sendRate: 20, gallery: true})
	b := newBot(5, 0)
	b.gallery, b.every = true, rangeReload
	p.invite(b, netem.Config{Lag: 80 * time.Millisecond, Loss: 0.05, Seed: 2})
	p.until("many shots are answered", func() bool { return b.answered > 30 })
	b.rests = true
	p.until("all are", func() bool { return len(b.waiting) == 0 })
	require.Equal(t, b.shots, b.answered)
	require.Equal(t, b.shots, p.host.shots, "exactly once")
	require.Equal(t, b.hits, p.host.hits)
	// Without putting the world back fewer than half would be.
	require.Greater(t, b.agreed, b.seen/2)
}

// Two players shoot at each other, and who is hit is pushed.
func TestPlayersArePushed(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{movers: 0, players: 2, sendRate: 60})
	guests := []*player{p.invite(newBot(6, 0), netem.Config{}), p.invite(newBot(6, 1), netem.Config{})}
	p.until("somebody is corrected", func() bool {
		return guests[0].sync.Stats().Corrections+guests[1].sync.Stats().Corrections > 0
	})
	require.NotZero(t, p.host.hits)
}

// Everybody else is shown where it really was, most of the time to the millimetre.
func TestScreenShowsTheTruth(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{movers: 4, players: 1, sendRate: 60})
	truth := newTruth(rules{movers: 4, players: 1})
	begin := time.Now()
	p.ticked = func() { truth.note(time.Since(begin), p.host.world) }
	g := p.invite(newBot(7, 0), bad)
	p.until("there is enough to see", func() bool { return len(g.screen.sights) > 1000 })
	done := played{screen: g.screen}
	movers, players := done.errors(truth)
	require.Greater(t, len(movers), 300)
	require.Empty(t, players)
	require.Less(t, movers.quantile(0.5), 1.0)
	full, mean := done.snapshots()
	require.NotZero(t, full)
	require.Positive(t, mean)
	require.Positive(t, done.delay())
	require.NotEmpty(t, g.screen.delays)

	o := outcome{truth: truth, players: []played{done}}
	o.players[0].took = time.Minute
	path := o.path(0, firstMover)
	require.NotEmpty(t, path.True)
	require.NotEmpty(t, path.Shown)
	require.Empty(t, o.path(0, 77).True)
}
