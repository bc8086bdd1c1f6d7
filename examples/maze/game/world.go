package game

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Bounds of every world. They are what a loaded state is checked against.
const (
	MaxPlayers = 16
	MaxLoot    = 128 // pieces on the floor
	NameSize   = 12  // bytes of a player's name
	MaxHealth  = 3

	minCells, maxCells = 4, 63 // cells along each side
)

// Tile is what one square of the grid consists of.
type Tile uint8

// The tiles. A chest can be walked over, like everything but walls and closed doors.
const (
	Wall Tile = iota
	Floor
	Coin
	Spikes
	ClosedDoor
	OpenDoor
	Chest
	EmptyChest
	tileKinds
)

// Walkable reports whether a player can stand on the tile.
func (t Tile) Walkable() bool { return t != Wall && t != ClosedDoor }

// Pos is a square of the grid, counted from the top left.
type Pos struct{ X, Y uint8 }

// Distance returns how many moves lie between two squares if nothing is in the way.
func (p Pos) Distance(o Pos) int {
	return distance(p.X, o.X) + distance(p.Y, o.Y)
}

func distance(a, b uint8) int { return int(max(a, b)) - int(min(a, b)) }

// Dir is a direction to move in.
type Dir uint8

// The directions. North is up.
const (
	North Dir = iota + 1
	East
	South
	West
)

// Valid reports whether d is one of the directions above.
func (d Dir) Valid() bool { return d >= North && d <= West }

// Step returns the neighbour of p in direction d. Coordinates wrap around, which no caller notices: the
// outer squares of a world are walls, so nobody stands at its edge.
func (p Pos) Step(d Dir) Pos {
	switch d {
	case North:
		p.Y--
	case East:
		p.X++
	case South:
		p.Y++
	case West:
		p.X--
	}
	return p
}

// Name is a player's name: printable ASCII, padded with zero bytes.
type Name [NameSize]byte

// NewName makes a name from any text, leaving out what does not fit.
func NewName(text string) Name {
	var n Name
	used := 0
	for _, r := range text {
		if used < len(n) && printable(r) {
			n[used] = byte(r)
			used++
		}
	}
	return n
}

// String returns the name without its padding.
func (n Name) String() string { return string(n[:n.len()]) }

func (n Name) len() int {
	for i, b := range n {
		if b == 0 {
			return i
		}
	}
	return len(n)
}

// valid reports whether NewName could have made n: two ways to write one name would be two states.
func (n Name) valid() bool {
	used := n.len()
	for i, b := range n {
		if (i < used) != printable(rune(b)) {
			return false
		}
	}
	return true
}

func printable(r rune) bool { return r > ' ' && r <= '~' }

// Player is one participant. Counters of steps count down to zero.
type Player struct {
	Author netcode.AuthorID // who gives its commands
	Name   Name
	At     Pos
	Score  uint32
	Wins   uint16 // rounds won
	Health uint8  // zero while it is down
	Wait   uint8  // steps until it may act again
	Safe   uint8  // steps during which spikes do not hurt it
	Down   uint8  // steps until it stands up again, if Health is zero
}

// Loot is a piece of gold on the floor.
type Loot struct {
	ID   uint64 // from the authority; no two pieces of a session share one
	At   Pos
	Gold uint16
}

// Settings are what a world is made from. They are part of the state, so only the authority needs to know
// them: the others receive them with their first snapshot.
type Settings struct {
	Seed          uint64
	Columns, Rows uint8 // size in cells, 4 to 63 each; the grid has 2n+1 squares
	Coins         uint16
	Spikes        uint16
	Doors         uint16
	Chests        uint16
	Goal          uint32 // score that ends a round, at least 1
}

// DefaultSettings is a maze that fits a terminal of 80 by 24 and keeps four players busy.
func DefaultSettings(seed uint64) Settings {
	return Settings{Seed: seed, Columns: 18, Rows: 8, Coins: 48, Spikes: 8, Doors: 12, Chests: 24, Goal: 200}
}

// ErrSettings says that no maze can be made from some settings.
var ErrSettings = errors.New("game: impossible settings")

func (s Settings) check() error {
	if s.Columns < minCells || s.Columns > maxCells || s.Rows < minCells || s.Rows > maxCells {
		return fmt.Errorf("%w: %d by %d cells", ErrSettings, s.Columns, s.Rows)
	}
	cells := int(s.Columns) * int(s.Rows)
	if need := MaxPlayers + int(s.Coins) + int(s.Spikes) + int(s.Chests); need > cells {
		return fmt.Errorf("%w: %d things for %d cells", ErrSettings, need, cells)
	}
	if int(s.Doors) >= cells {
		return fmt.Errorf("%w: %d doors for %d cells", ErrSettings, s.Doors, cells)
	}
	if s.Coins == 0 || s.Goal == 0 {
		return fmt.Errorf("%w: nothing to play for", ErrSettings)
	}
	return nil
}

// Width returns the number of squares in a row of the grid.
func (s Settings) Width() int { return 2*int(s.Columns) + 1 }

// Height returns the number of rows of the grid.
func (s Settings) Height() int { return 2*int(s.Rows) + 1 }

// State is everything about a world that matters. Two peers agree if and only if their states are equal.
type State struct {
	Settings
	Step  netcode.Step // last completed step; -1 before the first
	Round uint32       // mazes dug before this one

	// Over is set between two rounds: Winner has won, and the next maze is dug in Pause steps.
	Over   bool
	Winner netcode.AuthorID
	Pause  uint16

	Tiles   []Tile // row by row
	Homes   [MaxPlayers]Pos
	Players []Player // in the order of joining; player i starts at Homes[i]
	Loot    []Loot   // by ascending ID
}

// World is a state that can be played: it implements [netcode.Simulation].
type World struct {
	State

	// spare receives what is loaded, so that refused bytes leave State alone and nothing is allocated.
	spare State
}

// New digs the first maze. Settings that are out of range are [ErrSettings].
func New(s Settings) (*World, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	w := &World{State: State{Settings: s, Step: -1}}
	w.dig()
	return w, nil
}

// At returns the tile at p. Everything outside the grid is wall.
func (s *State) At(p Pos) Tile {
	if int(p.X) >= s.Width() || int(p.Y) >= s.Height() {
		return Wall
	}
	return s.Tiles[s.index(p)]
}

func (s *State) index(p Pos) int { return int(p.Y)*s.Width() + int(p.X) }

func (s *State) set(p Pos, t Tile) { s.Tiles[s.index(p)] = t }

// Player returns the player of an author, or nil. The pointer is valid until the next step.
func (s *State) Player(author netcode.AuthorID) *Player {
	for i := range s.Players {
		if s.Players[i].Author == author {
			return &s.Players[i]
		}
	}
	return nil
}

// SpikesUp reports whether spikes hurt during a step.
func SpikesUp(step netcode.Step) bool {
	// Unsigned, so that the cycle goes on without a seam for steps below zero.
	return uint64(step)%spikeCycle < spikeCycle/2
}
