//go:build !js

package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// agree plays until all players see the scores that the server has.
func (p *party) agree() {
	p.t.Helper()
	p.until("all see the same", func() bool {
		truth := p.host.duel.standings()
		for _, g := range p.players {
			if !slices.Equal(truth, g.scores.standings()) {
				return false
			}
		}
		return len(truth) > 0
	})
}

// named returns the line of a fighter with a name, if there is one.
func named(list []standing, name string) (standing, bool) {
	i := slices.IndexFunc(list, func(s standing) bool { return s.name == name })
	if i < 0 {
		return standing{}, false
	}
	return list[i], true
}

// known plays until everybody, the server included, knows a player by a name.
func (p *party) known(name string) {
	p.t.Helper()
	p.until("all know "+name, func() bool {
		_, ok := named(p.host.duel.standings(), name)
		for _, g := range p.players {
			_, sees := named(g.scores.standings(), name)
			ok = ok && sees
		}
		return ok
	})
}

// peaceful makes a player that does not shoot.
func (p *party) peaceful(network netem.Config) *player {
	b := newBot(9, len(p.players))
	b.rests = true
	return p.invite(b, network)
}

// Players shoot at each other over a bad network until there are scores, and all see the same ones.
func TestScoresReplicate(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{players: 3, sendRate: 60})
	for i := range 3 {
		p.invite(newBot(11, i), bad)
	}
	p.until("somebody is brought down", func() bool {
		return slices.ContainsFunc(p.host.duel.standings(), func(s standing) bool { return s.score > 0 })
	})
	for _, g := range p.players {
		g.bot.rests = true
	}
	p.until("all shots are answered", func() bool {
		return !slices.ContainsFunc(p.players, func(g *player) bool { return len(g.bot.waiting) > 0 })
	})
	p.agree()
	scores, deaths, hits := 0, 0, 0
	for _, s := range p.host.duel.standings() {
		scores, deaths, hits = scores+int(s.score), deaths+int(s.deaths), hits+int(s.hits)
	}
	require.Positive(t, scores)
	require.Equal(t, scores, deaths)
	require.GreaterOrEqual(t, hits, scores*fullHealth/damage)
	require.LessOrEqual(t, hits, p.host.hits, "those of who was down do not count")
	p.until("who is down gets up", func() bool {
		return !slices.ContainsFunc(p.host.duel.standings(), func(s standing) bool { return s.health == 0 })
	})
	p.agree()
	for _, g := range p.players {
		require.Zero(t, g.scores.link.Receiver().Stats().Refused)
	}
	stats := p.host.ledger.authority.Stats()
	require.Zero(t, stats.Rejected())
}

// What a player calls itself reaches everybody; what it must not call itself nobody.
func TestNames(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{players: 2, sendRate: 60})
	ada, bob := p.peaceful(bad), p.peaceful(bad)
	p.known("ada")
	p.known("bob")
	ada.scores.name = "anna"
	p.known("anna")

	p.ticked = func() {
		_, ok := named(p.host.duel.standings(), "server")
		for _, g := range p.players {
			_, sees := named(g.scores.standings(), "server")
			ok = ok || sees
		}
		require.False(t, ok)
	}
	accepted := func() uint64 {
		stats := p.host.ledger.authority.Stats()
		return stats.Of(authority.Accepted)
	}
	before := accepted()
	ada.scores.name = "server"
	p.until("it has been proposed", func() bool { return accepted() > before })
	before = accepted()
	ada.scores.name = "bo"
	p.known("bo")
	require.Greater(t, accepted(), before)
	bob.scores.name = "rob"
	p.known("rob")
	p.agree()
}

// A player cannot heal itself, nor anybody else.
func TestHealthIsTheServers(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{players: 2, sendRate: 60})
	ada, bob := p.peaceful(netem.Config{}), p.peaceful(netem.Config{})
	p.known("ada")
	p.known("bob")
	p.host.duel.hit(bob.object, ada.object, p.host.world.Now())
	p.agree()
	require.EqualValues(t, fullHealth-damage, ada.scores.fighters[ada.object].Health())

	refused := func(r authority.Reason) uint64 {
		stats := p.host.ledger.authority.Stats()
		return stats.Of(r)
	}
	for n := uint64(1); n <= 3; n++ {
		draft := ada.scores.author.Begin(nil)
		draft.Bytes(FighterNameField, []byte("cheat"))
		draft.Int(FighterHealthField, fullHealth)
		body, err := ada.scores.author.End()
		require.NoError(t, err)
		require.NoError(t, ada.conn.Send(wire.KindRepDelta, body))
		require.NoError(t, bob.conn.Send(wire.KindRepDelta, body))
		p.until("it is refused", func() bool { return refused(authority.ServerOnly) == n && refused(authority.NotOwner) == n })
	}
	p.agree()
	require.Equal(t, standing{object: ada.object, name: "ada", health: fullHealth - damage}, p.host.duel.standings()[0])
	ada.scores.name = "anna" // what is its own it can still say
	p.known("anna")
}

// Who comes late gets everything, who leaves is gone, and who takes its place begins anew.
func TestComingAndGoing(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{players: 3, sendRate: 60})
	ada, bob := p.peaceful(bad), p.peaceful(bad)
	p.known("ada")
	p.known("bob")
	for range fullHealth / damage {
		p.host.duel.hit(ada.object, bob.object, p.host.world.Now())
	}
	p.agree()

	cleo := p.peaceful(bad)
	p.known("cleo")
	p.agree()
	seen := cleo.scores.standings()
	a, ok := named(seen, "ada")
	require.True(t, ok)
	require.EqualValues(t, 4, a.hits)
	require.EqualValues(t, 1, a.score)
	b, ok := named(seen, "bob")
	require.True(t, ok)
	require.EqualValues(t, 1, b.deaths)

	gone := bob.object
	require.NoError(t, bob.close())
	p.players = slices.DeleteFunc(p.players, func(g *player) bool { return g == bob })
	p.until("bob is gone", func() bool { return len(p.host.duel.fighters) == 2 })
	p.agree()
	for _, g := range p.players {
		require.Len(t, g.scores.standings(), 2)
		require.Nil(t, g.scores.fighters[gone])
		require.Nil(t, g.scores.link.Receiver().State(gone))
	}

	next := p.peaceful(bad)
	next.scores.name = "dora"
	p.known("dora")
	p.agree()
	require.Equal(t, gone, next.object)
	d, ok := named(ada.scores.standings(), "dora")
	require.True(t, ok)
	require.Equal(t, standing{object: gone, name: "dora", health: fullHealth}, d)
}

// Who gets no object of its own looks on.
func TestSpectator(t *testing.T) {
	t.Parallel()
	p := newParty(t, rules{players: 1, sendRate: 60})
	p.peaceful(netem.Config{})
	looker := p.peaceful(netem.Config{})
	p.known("ada")
	p.host.duel.hit(1, firstMover, p.host.world.Now())
	p.agree()
	require.Zero(t, looker.object)
	require.Equal(t, []standing{{object: 1, name: "ada", health: fullHealth, hits: 1}}, looker.scores.standings())
}
