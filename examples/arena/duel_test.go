//go:build !js

package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// newDuelOf returns a duel of players with objects from 1.
func newDuelOf(n uint32) *duel {
	d := newDuel()
	for object := range n {
		d.enter(object + 1)
	}
	return d
}

// Four hits bring a fighter down, which counts for both; after a moment it gets up.
func TestDuel(t *testing.T) {
	d := newDuelOf(3)
	for n := range fullHealth / damage {
		require.EqualValues(t, fullHealth-n*damage, d.fighters[2].Health())
		d.hit(1, 2, 100)
	}
	require.Equal(t, []standing{
		{object: 1, name: "player 1", health: 100, hits: 4, score: 1},
		{object: 2, name: "player 2", deaths: 1},
		{object: 3, name: "player 3", health: 100},
	}, d.standings())

	d.hit(3, 2, 101) // hits, but there is nothing left to bring down
	d.hit(2, 3, 101) // from down there nobody hits
	d.hit(3, firstMover, 101)
	d.hit(77, 3, 101)
	require.Equal(t, []standing{
		{object: 1, name: "player 1", health: 100, hits: 4, score: 1},
		{object: 2, name: "player 2", deaths: 1},
		{object: 3, name: "player 3", health: 100, hits: 2},
	}, d.standings())

	d.tick(100 + downTime - 1)
	require.True(t, d.fighters[2].down())
	d.tick(100 + downTime)
	require.EqualValues(t, fullHealth, d.fighters[2].Health())
}

// Who leaves takes its line along, and who comes in its place begins anew.
func TestDuelChanges(t *testing.T) {
	d := newDuelOf(2)
	for range 4 {
		d.hit(2, 1, 0)
	}
	d.leave(2)
	d.leave(2)
	require.Equal(t, []standing{{object: 1, name: "player 1", deaths: 1}}, d.standings())
	d.hit(1, 2, 0)
	d.enter(2)
	require.Equal(t, standing{object: 2, name: "player 2", health: 100}, d.standings()[1])
}

func TestCountersStopAtTheEnd(t *testing.T) {
	require.EqualValues(t, 1, oneMore(0))
	require.EqualValues(t, maxScore, oneMore(maxScore))
	d := newDuelOf(2)
	d.fighters[1].SetHits(maxScore)
	d.board.Lines().Set(d.fighters[1].line, line(1, maxScore))
	for range 4 {
		d.hit(1, 2, 0)
	}
	require.Equal(t, standing{object: 1, name: "player 1", health: 100, hits: maxScore, score: maxScore}, d.standings()[0])
}

func TestLine(t *testing.T) {
	for _, object := range []uint32{1, maxPlayers} {
		for _, score := range []uint16{0, 1, maxScore} {
			l := line(object, score)
			require.Equal(t, object, l.object())
			require.Equal(t, score, l.score())
			require.LessOrEqual(t, l, Line(maxLine))
		}
	}
}

func TestEmotes(t *testing.T) {
	require.Equal(t, []string{"calm", "weeps", "cheers", "cheers"},
		[]string{Calm.String(), Weeps.String(), Cheers.String(), Emote(200).String()})
	s := newScores(nil, "ada")
	show := func(object uint32, health uint8, score uint16) {
		f := new(FighterReplica)
		f.SetHealth(health)
		s.fighters[object] = f
		s.board.Lines().Add(line(object, score))
	}
	s.object = 1
	show(1, 100, 0)
	require.Equal(t, Calm, s.mood(), "nobody has a score")
	s.object = 2
	show(2, 100, 3)
	show(3, 0, 3)
	require.Equal(t, Cheers, s.mood())
	show(4, 100, 4)
	require.Equal(t, Calm, s.mood())
	s.object = 3
	require.Equal(t, Weeps, s.mood())
}

func TestDecentNames(t *testing.T) {
	for _, name := range []string{"ada", "Ada Lovelace", "Ælfred", "名前", "x", "observer"} {
		require.True(t, decent(name), "%q", name)
	}
	for _, name := range []string{"", " ", " ada", "ada ", "a\nda", "\x1b[2J", "\xff", "server", "Server", "a\u202eda"} {
		require.False(t, decent(name), "%q", name)
	}
}

// An agreement is of everybody, and about the same truth.
func TestAgreement(t *testing.T) {
	old, now := []standing{{object: 1}}, []standing{{object: 1, health: 9}}
	a := newAgreement(2)
	require.False(t, a.look(0, nil), "there is no truth yet")
	require.False(t, a.look(1, nil), "there is no truth yet")
	a.publish(old)
	require.False(t, a.look(0, old))
	a.publish(slices.Clone(old)) // no news
	require.False(t, a.look(1, nil))
	a.publish(now)
	require.False(t, a.look(1, now), "the other has agreed to something else")
	require.False(t, a.look(0, old))
	require.True(t, a.look(0, now))
	a.publish(old)
	require.True(t, a.look(0, old), "nothing is taken in any more")
	require.Equal(t, now, a.truth)
	require.Equal(t, now, a.views[0].standings)

	a = newAgreement(1)
	a.publish(now)
	require.False(t, a.look(0, old))
	a.end()
	require.True(t, a.look(0, now))
	require.Equal(t, old, a.views[0].standings, "what it last saw")
}

// The table shows who has seen something else.
func TestScoreTable(t *testing.T) {
	ada := standing{object: 1, name: "ada", emote: Cheers, health: 75, hits: 12, deaths: 1, score: 3}
	bob := standing{object: 2, name: "bob", health: 100}
	other := ada
	other.health = 50
	o := outcome{scores: []standing{ada, bob}, players: []played{
		{name: "ada", scores: []standing{ada, bob}}, {name: "bob", scores: []standing{other}},
	}}
	var out output
	require.NoError(t, o.printScores(&out))
	require.Regexp(t, `^ +fighter +emote +health +hits +deaths +score +seen by ada +seen by bob
 +ada +cheers +75 +12 +1 +3 +75/12/1/3 +!50/12/1/3
 +bob +calm +100 +0 +0 +0 +100/0/0/0 +!
$`, out.String())
}
