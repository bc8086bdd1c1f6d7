package game

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Authors of the players in the tests below.
const (
	ann netcode.AuthorID = 7
	bob netcode.AuthorID = 9
)

// draw makes a world from a picture of 9 by 11 squares. An 'a' is where ann stands, a 'b' is bob. Spikes are
// written as '^'. The spikes are down at first.
func draw(t *testing.T, picture string) *World {
	t.Helper()
	lines := strings.Fields(strings.ReplaceAll(picture, " ", "~"))
	require.Len(t, lines, 11)
	w := &World{State: State{
		Settings: Settings{Columns: 4, Rows: 5, Coins: 1, Goal: 100},
		Step:     spikeCycle / 2,
		Tiles:    make([]Tile, 9*11),
	}}
	tiles := map[rune]Tile{'~': Floor, '^': Spikes, 'a': Floor, 'b': Floor}
	for t, glyph := range glyphs {
		if Tile(t) != Spikes && Tile(t) != Floor {
			tiles[rune(glyph)] = Tile(t)
		}
	}
	places := map[rune]Pos{}
	for y, line := range lines {
		require.Len(t, line, 9)
		for x, glyph := range line {
			tile, ok := tiles[glyph]
			require.True(t, ok, "%q", glyph)
			at := Pos{uint8(x), uint8(y)}
			w.set(at, tile)
			places[glyph] = at
		}
	}
	for i := range w.Homes {
		w.Homes[i] = Pos{1, uint8(1 + i%2)}
	}
	for _, who := range []struct {
		glyph  rune
		author netcode.AuthorID
	}{{'a', ann}, {'b', bob}} {
		if at, ok := places[who.glyph]; ok {
			w.join(who.author, NewName(string(who.glyph)))
			p := w.Player(who.author)
			p.At, p.Safe = at, 0
		}
	}
	return w
}

// room is an empty room with everything in it once.
const room = `
#########
#a      #
# ##### #
# #.  # #
# + $ / #
# #^  # #
# ##### #
#      b#
# ##### #
#       #
#########`

// at puts a player somewhere, ready to act.
func at(w *World, author netcode.AuthorID, x, y uint8) *Player {
	p := w.Player(author)
	p.At, p.Wait = Pos{x, y}, 0
	return p
}

// pass lets some steps pass.
func pass(w *World, steps int) {
	for range steps {
		w.Tick(w.Step + 1)
	}
}

func TestMove(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y uint8
		dir  Dir
		to   Pos
	}{
		{"over the floor", 1, 1, East, Pos{2, 1}},
		{"against a wall", 1, 1, North, Pos{1, 1}},
		{"against a closed door", 1, 4, East, Pos{1, 4}},
		{"through an open door", 7, 4, West, Pos{6, 4}},
		{"onto a chest", 3, 4, East, Pos{4, 4}},
		{"onto spikes", 3, 4, South, Pos{3, 5}},
		{"past another player", 6, 7, East, Pos{7, 7}},
		{"nowhere", 3, 4, 0, Pos{3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := draw(t, room)
			p := at(w, ann, c.x, c.y)
			w.move(ann, c.dir)
			require.Equal(t, c.to, p.At)
			if c.name != "nowhere" && c.to == (Pos{c.x, c.y}) {
				require.Zero(t, p.Wait, "bumping into something costs no time")
			}
		})
	}
}

func TestMoveTakesTime(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 1, 1)
	moved := 0
	for range 10 * ActEvery {
		before := p.At
		w.move(ann, []Dir{East, West}[moved%2])
		w.move(ann, East) // a second command in the same step does nothing
		if p.At != before {
			moved++
		}
		pass(w, 1)
	}
	require.Equal(t, 10, moved)
}

func TestMovePicksUp(t *testing.T) {
	w := draw(t, room)
	w.Loot = []Loot{{ID: 1, At: Pos{2, 1}, Gold: 5}, {ID: 2, At: Pos{2, 7}, Gold: 9}, {ID: 3, At: Pos{2, 1}, Gold: 6}}
	p := at(w, ann, 1, 1)
	w.move(ann, East)
	require.Equal(t, uint32(11), p.Score)
	require.Equal(t, []Loot{{ID: 2, At: Pos{2, 7}, Gold: 9}}, w.Loot)

	p = at(w, ann, 3, 4)
	w.move(ann, North)
	require.Equal(t, uint32(12), p.Score)
	require.Equal(t, Floor, w.At(Pos{3, 3}))
}

func TestStrangersDoNothing(t *testing.T) {
	w := draw(t, room)
	before, err := w.AppendBinary(nil)
	require.NoError(t, err)
	w.move(1, East)
	w.toggle(1, Pos{2, 4})
	w.search(1, Pos{4, 4}, 20)
	w.drop(1, 5, 1, 1)
	after, err := w.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestToggleDoor(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y uint8
		door Pos
		want Tile
	}{
		{"opens", 1, 4, Pos{2, 4}, OpenDoor},
		{"closes", 7, 4, Pos{6, 4}, ClosedDoor},
		{"out of reach", 1, 3, Pos{2, 4}, ClosedDoor},
		{"not on oneself", 6, 4, Pos{6, 4}, OpenDoor},
		{"not a door", 3, 4, Pos{3, 3}, Coin},
		{"not a door either", 1, 1, Pos{0, 1}, Wall},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := draw(t, room)
			before := w.At(c.door)
			p := at(w, ann, c.x, c.y)
			w.toggle(ann, c.door)
			require.Equal(t, c.want, w.At(c.door))
			require.Equal(t, w.At(c.door) != before, p.Wait > 0)
		})
	}
}

func TestDoorDoesNotCloseOnAnybody(t *testing.T) {
	w := draw(t, room)
	at(w, bob, 6, 4)
	at(w, ann, 7, 4)
	w.toggle(ann, Pos{6, 4})
	require.Equal(t, OpenDoor, w.At(Pos{6, 4}))
}

func TestSearch(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 4, 6) // a wall's thickness too far away
	w.search(ann, Pos{4, 4}, 20)
	require.Zero(t, p.Score)

	p = at(w, ann, 5, 4)
	w.search(ann, Pos{4, 4}, 20)
	require.Equal(t, uint32(20), p.Score)
	require.Equal(t, EmptyChest, w.At(Pos{4, 4}))

	p = at(w, bob, 4, 4)
	w.search(bob, Pos{4, 4}, 20)
	require.Zero(t, p.Score, "it is empty")
}

func TestDropLoot(t *testing.T) {
	for _, c := range []struct {
		name          string
		score, wanted int
		pieces        int
	}{
		{"some", 50, 10, 4},
		{"little", 50, 2, 2},
		{"everything and more", 7, 100, 4},
		{"less than the pieces", 2, 100, 2},
		{"nothing", 0, 10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := draw(t, room)
			p := at(w, ann, 1, 1)
			p.Score = uint32(c.score)
			w.drop(ann, uint16(c.wanted), 100, 12345)
			require.Len(t, w.Loot, c.pieces)
			gold := 0
			for i, l := range w.Loot {
				require.Equal(t, uint64(100+i), l.ID)
				require.True(t, w.At(l.At).Walkable())
				require.LessOrEqual(t, l.At.Distance(p.At), 4)
				gold += int(l.Gold)
			}
			require.Equal(t, min(c.score, c.wanted), gold)
			require.Equal(t, c.score-gold, int(p.Score), "no gold appears or vanishes")
		})
	}
}

func TestFloorTakesOnlySoMuchLoot(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 1, 1)
	p.Score = 10000
	for id := uint64(1); len(w.Loot) < MaxLoot; id += maxPieces {
		p.Wait = 0
		w.drop(ann, 8, id, id)
	}
	before := p.Score
	p.Wait = 0
	w.drop(ann, 8, 1<<40, 1)
	require.Len(t, w.Loot, MaxLoot)
	require.Equal(t, before, p.Score)
}

func TestSameIDIsNotDroppedTwice(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 1, 1)
	p.Score = 10
	w.drop(ann, 1, 5, 1)
	p.Wait = 0
	w.drop(ann, 1, 5, 2)
	require.Len(t, w.Loot, 1)
	require.Equal(t, uint32(9), p.Score)
}

func TestSpikesHurtOnlyWhileUp(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 3, 5)
	require.True(t, SpikesUp(0))
	require.False(t, SpikesUp(spikeCycle/2))
	require.Equal(t, SpikesUp(0), SpikesUp(spikeCycle))

	pass(w, spikeCycle/2-1)
	require.Equal(t, uint8(MaxHealth), p.Health, "they were down")
	pass(w, 1)
	require.Equal(t, uint8(MaxHealth-1), p.Health)
	pass(w, safeTime-1)
	require.Equal(t, uint8(MaxHealth-1), p.Health, "spared for a moment")
}

func TestDeathAndReturn(t *testing.T) {
	w := draw(t, room)
	p := at(w, ann, 3, 5)
	p.Score = 9
	for p.Health > 0 {
		pass(w, 1)
	}
	require.Equal(t, uint32(7), p.Score, "a quarter is lost, rounded down")
	require.False(t, w.CanAct(ann))
	w.move(ann, North)
	require.Equal(t, Pos{3, 5}, p.At, "who lies down does not move")

	pass(w, downTime-1)
	require.Zero(t, p.Health)
	pass(w, 1)
	require.Equal(t, uint8(MaxHealth), p.Health)
	require.Equal(t, w.Homes[0], p.At)
	require.True(t, w.CanAct(ann))
}

func TestJoin(t *testing.T) {
	w := draw(t, room)
	w.join(ann, NewName("again"))
	require.Equal(t, "a", w.Player(ann).Name.String(), "who is in does not join")
	for i := range netcode.AuthorID(100) {
		w.join(100+i, NewName("x"))
	}
	require.Len(t, w.Players, MaxPlayers)
	require.Nil(t, w.Player(199))
}

func TestFirstToTheGoalWins(t *testing.T) {
	w := draw(t, room)
	at(w, bob, 1, 1).Score = 99
	pass(w, 1)
	require.False(t, w.Over)
	w.Player(bob).Score = 100
	pass(w, 1)
	require.True(t, w.Over)
	require.Equal(t, bob, w.Winner)
	require.False(t, w.CanAct(ann))

	pass(w, pauseTime-1)
	require.True(t, w.Over)
	pass(w, 1)
	require.False(t, w.Over)
	require.Equal(t, uint32(1), w.Round)
	require.Equal(t, Player{
		Author: bob, Name: NewName("b"), At: w.Homes[1], Wins: 1, Health: MaxHealth, Safe: safeTime,
	}, *w.Player(bob))
	require.Contains(t, w.Tiles, Coin)
}

func TestRichestWinsWhenTheCoinsAreGone(t *testing.T) {
	w := draw(t, room)
	w.Player(ann).Score, w.Player(bob).Score = 3, 3
	p := at(w, bob, 3, 4)
	w.move(bob, North)
	pass(w, 1)
	require.True(t, w.Over)
	require.Equal(t, bob, w.Winner)
	require.Equal(t, uint32(4), p.Score)
}

func TestFirstInWinsATie(t *testing.T) {
	w := draw(t, room)
	w.Player(ann).Score, w.Player(bob).Score = 100, 100
	pass(w, 1)
	require.Equal(t, w.Players[0].Author, w.Winner)
}

func TestNobodyWinsAnEmptyGame(t *testing.T) {
	w := draw(t, strings.NewReplacer("a", " ", "b", " ", ".", " ").Replace(room))
	pass(w, 1000)
	require.False(t, w.Over)
}

func TestPicture(t *testing.T) {
	w := draw(t, room)
	w.Loot = []Loot{{ID: 1, At: Pos{4, 1}, Gold: 1}}
	w.Player(bob).Health, w.Player(bob).Down = 0, 1
	require.Equal(t, `#########
#@  *   #
# ##### #
# #.  # #
# + $ / #
# #_  # #
# ##### #
#      %#
# ##### #
#       #
#########
@ a               0 gold, health 3, won 0
% b               0 gold, health 0, won 0
`, string(w.AppendPicture(nil, ann)))
}
