package game

import "github.com/ariadne-netcode/ariadne/netcode"

// loops is how many walls are left standing for each one that is torn down once the maze is connected, so
// that there is more than one way.
const loops = 8

// dice is a stream of numbers that a seed determines. It lives no longer than one call: randomness that
// must survive a step belongs into the state.
type dice struct{ stream netcode.Preparation }

func newDice(seed uint64) dice {
	return dice{netcode.NewPreparation(netcode.PreparationState{RandomState: seed})}
}

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int { return int(d.stream.NextSeed() % uint64(n)) }

func (d *dice) shuffle(squares []Pos) {
	for i := len(squares) - 1; i > 0; i-- {
		j := d.below(i + 1)
		squares[i], squares[j] = squares[j], squares[i]
	}
}

// dig makes the maze of the present round from the settings and puts everything where it starts.
func (s *State) dig() {
	d := newDice(s.Seed)
	d = newDice(d.stream.NextSeed() + uint64(s.Round))

	s.Tiles = append(s.Tiles[:0], make([]Tile, s.Width()*s.Height())...) // all Wall
	s.carve(&d)
	s.tearDown(&d)
	s.hangDoors(&d)
	s.furnish(&d)
}

// cell returns the square in the middle of a cell. Between the cells are the squares that are either wall
// or passage.
func cell(column, row int) Pos { return Pos{uint8(2*column + 1), uint8(2*row + 1)} }

// cells returns all cells, row by row.
func (s *State) cells() []Pos {
	all := make([]Pos, 0, int(s.Columns)*int(s.Rows))
	for row := range int(s.Rows) {
		for column := range int(s.Columns) {
			all = append(all, cell(column, row))
		}
	}
	return all
}

// carve connects all cells without a loop: it walks on at random while there is an untouched neighbour, and
// back where there is none.
func (s *State) carve(d *dice) {
	path := []Pos{cell(0, 0)}
	s.set(path[0], Floor)
	for len(path) > 0 {
		here := path[len(path)-1]
		dir, ok := s.untouched(here, d)
		if !ok {
			path = path[:len(path)-1]
			continue
		}
		passage := here.Step(dir)
		next := passage.Step(dir)
		s.set(passage, Floor)
		s.set(next, Floor)
		path = append(path, next)
	}
}

// untouched picks one of the directions in which the next cell is still solid.
func (s *State) untouched(here Pos, d *dice) (dir Dir, ok bool) {
	var choices [4]Dir
	n := 0
	for dir := North; dir <= West; dir++ {
		next := here.Step(dir).Step(dir)
		if s.isCell(next) && s.At(next) == Wall {
			choices[n] = dir
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return choices[d.below(n)], true
}

// isCell reports whether p is the middle of a cell.
func (s *State) isCell(p Pos) bool {
	return p.X%2 == 1 && p.Y%2 == 1 && int(p.X) < s.Width() && int(p.Y) < s.Height()
}

// between returns every square that lies between two cells.
func (s *State) between() []Pos {
	var all []Pos
	for _, c := range s.cells() {
		for _, dir := range [...]Dir{East, South} {
			if passage := c.Step(dir); s.isCell(passage.Step(dir)) {
				all = append(all, passage)
			}
		}
	}
	return all
}

func (s *State) tearDown(d *dice) {
	for _, p := range s.between() {
		if s.At(p) == Wall && d.below(loops+1) == 0 {
			s.set(p, Floor)
		}
	}
}

// hangDoors closes some passages. A closed door cuts nobody off: every player can open it.
func (s *State) hangDoors(d *dice) {
	var passages []Pos
	for _, p := range s.between() {
		if s.At(p) == Floor {
			passages = append(passages, p)
		}
	}
	d.shuffle(passages)
	for _, p := range passages[:s.Doors] {
		s.set(p, ClosedDoor)
	}
}

// furnish deals the cells out, so that no two things share one.
func (s *State) furnish(d *dice) {
	cells := s.cells()
	d.shuffle(cells)
	cells = cells[copy(s.Homes[:], cells):]
	for _, t := range [...]struct {
		tile  Tile
		count uint16
	}{{Coin, s.Coins}, {Spikes, s.Spikes}, {Chest, s.Chests}} {
		for _, p := range cells[:t.count] {
			s.set(p, t.tile)
		}
		cells = cells[t.count:]
	}
}
