package game_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"alice":              "alice",
		"a name too long":    "anametoolong",
		"J\u00f6rg \x1b[31m": "Jrg[31m",
		"exactly12chr":       "exactly12chr",
	} {
		require.Equal(t, want, game.NewName(text).String(), "%q", text)
	}
}

func TestDirections(t *testing.T) {
	at := game.Pos{X: 5, Y: 5}
	for dir, want := range map[game.Dir]game.Pos{
		game.North: {X: 5, Y: 4}, game.East: {X: 6, Y: 5}, game.South: {X: 5, Y: 6}, game.West: {X: 4, Y: 5},
	} {
		require.True(t, dir.Valid())
		require.Equal(t, want, at.Step(dir))
		require.Equal(t, 1, at.Distance(want))
		require.Equal(t, 1, want.Distance(at))
	}
	for _, dir := range []game.Dir{0, game.West + 1, 255} {
		require.False(t, dir.Valid())
		require.Equal(t, at, at.Step(dir))
	}
	require.Equal(t, 2*255, game.Pos{}.Distance(game.Pos{X: 255, Y: 255}))
}

func TestSettings(t *testing.T) {
	good := game.DefaultSettings(1)
	_, err := game.New(good)
	require.NoError(t, err)

	for name, change := range map[string]func(*game.Settings){
		"narrow":           func(s *game.Settings) { s.Columns = 3 },
		"wide":             func(s *game.Settings) { s.Columns = 64 },
		"low":              func(s *game.Settings) { s.Rows = 0 },
		"high":             func(s *game.Settings) { s.Rows = 255 },
		"no coins":         func(s *game.Settings) { s.Coins = 0 },
		"no goal":          func(s *game.Settings) { s.Goal = 0 },
		"too many things":  func(s *game.Settings) { s.Chests = uint16(int(s.Columns) * int(s.Rows)) },
		"counts that wrap": func(s *game.Settings) { s.Coins, s.Spikes = 1<<15, 1<<15 },
		"too many doors":   func(s *game.Settings) { s.Doors = uint16(s.Columns) * uint16(s.Rows) },
	} {
		bad := good
		change(&bad)
		_, err := game.New(bad)
		require.ErrorIs(t, err, game.ErrSettings, name)
	}
}

// outline is what must hold of every maze: a tile of each kind as often as asked, everything reachable, and
// homes that are free and apart.
func outline(t *testing.T, w *game.World) {
	count := map[game.Tile]int{}
	for _, tile := range w.Tiles {
		count[tile]++
	}
	require.Equal(t, int(w.Coins), count[game.Coin])
	require.Equal(t, int(w.Spikes), count[game.Spikes])
	require.Equal(t, int(w.Doors), count[game.ClosedDoor])
	require.Equal(t, int(w.Chests), count[game.Chest])
	require.Zero(t, count[game.OpenDoor]+count[game.EmptyChest])

	seen := map[game.Pos]bool{w.Homes[0]: true}
	queue := []game.Pos{w.Homes[0]}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for dir := game.North; dir <= game.West; dir++ {
			if next := at.Step(dir); w.At(next) != game.Wall && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	require.Equal(t, len(w.Tiles)-count[game.Wall], len(seen), "everything that is not a wall is reachable")

	homes := map[game.Pos]bool{}
	for _, home := range w.Homes {
		require.Equal(t, game.Floor, w.At(home))
		homes[home] = true
	}
	require.Len(t, homes, game.MaxPlayers)
}

func TestEveryMazeIsSound(t *testing.T) {
	different := map[string]bool{}
	const seeds = 1000
	for seed := range uint64(seeds) {
		s := game.DefaultSettings(seed)
		s.Columns, s.Rows = uint8(12+seed%9), uint8(9+seed%5) // 12 by 9 is the smallest that has room
		w, err := game.New(s)
		require.NoError(t, err)
		outline(t, w)
		different[fmt.Sprint(w.Tiles)] = true
	}
	require.Len(t, different, seeds, "every seed makes another maze")
}

func TestSmallestAndLargestMaze(t *testing.T) {
	for _, s := range []game.Settings{
		{Columns: 5, Rows: 4, Coins: 4, Goal: 1},
		{Columns: 4, Rows: 5, Coins: 1, Spikes: 1, Chests: 2, Doors: 19, Goal: 1},
		{Columns: 63, Rows: 63, Coins: 1000, Spikes: 1000, Chests: 1953, Doors: 3968, Goal: 1},
	} {
		w, err := game.New(s)
		require.NoError(t, err)
		outline(t, w)
	}
}

func TestOutsideIsWall(t *testing.T) {
	w, err := game.New(game.DefaultSettings(3))
	require.NoError(t, err)
	for _, at := range []game.Pos{{}, {X: 255, Y: 1}, {X: 1, Y: 255}, {X: uint8(w.Width()), Y: 1}} {
		require.Equal(t, game.Wall, w.At(at))
	}
}
