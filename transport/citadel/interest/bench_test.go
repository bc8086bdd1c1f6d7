package interest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
)

const (
	entities = 4096
	cellSize = 100
)

// world is a square with objects strewn over it, and a step for each of them to make.
type world struct {
	grid  *interest.Grid[uint32]
	at    [][3]float32
	steps [][3]float32
	side  float32
}

// newWorld strews the objects so that there are about so many of them to a cell.
func newWorld(perCell float32) *world {
	w := &world{grid: interest.NewGrid[uint32](cellSize), side: cellSize}
	for w.side*w.side*perCell < entities*cellSize*cellSize {
		w.side += cellSize
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range entities {
		w.at = append(w.at, [3]float32{r.Float32() * w.side, r.Float32() * w.side, r.Float32() * 10})
		w.steps = append(w.steps, [3]float32{r.Float32()*20 - 10, r.Float32()*20 - 10})
	}
	w.step()
	return w
}

// step moves every object, some of them into another cell, and turns back those that reach the border.
func (w *world) step() {
	for i := range w.at {
		p, d := &w.at[i], &w.steps[i]
		for axis := range 2 {
			p[axis] += d[axis]
			if p[axis] < 0 || p[axis] > w.side {
				d[axis] = -d[axis]
			}
		}
		w.grid.Move(uint32(i), *p)
	}
}

// makeRoom fills the views with all objects once, and returns lists that have the room for them too.
func (w *world) makeRoom(views []interest.View[uint32]) (entered, exited []uint32) {
	entered, exited = make([]uint32, 0, entities), make([]uint32, 0, entities)
	for id := range w.at {
		w.grid.Move(uint32(id), [3]float32{})
	}
	for i := range views {
		entered, exited = views[i].Update(w.grid, [3]float32{}, interest.Radius{}, entered[:0], exited)
	}
	w.step()
	return entered, exited
}

var densities = []struct {
	name    string
	perCell float32
}{{"1 to a cell", 1}, {"16 to a cell", 16}, {"all in 4 cells", 1024}}

// BenchmarkMove moves all objects once.
func BenchmarkMove(b *testing.B) {
	for _, d := range densities {
		b.Run(d.name, func(b *testing.B) {
			w := newWorld(d.perCell)
			b.ReportAllocs()
			for b.Loop() {
				w.step()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entities, "ns/object")
		})
	}
}

// BenchmarkCandidates asks around a point in the middle of the world.
func BenchmarkCandidates(b *testing.B) {
	for _, d := range densities {
		b.Run(d.name, func(b *testing.B) {
			w := newWorld(d.perCell)
			ids := make([]uint32, 0, entities)
			b.ReportAllocs()
			for b.Loop() {
				ids = w.grid.Candidates(ids[:0], [3]float32{w.side / 2, w.side / 2})
			}
			b.ReportMetric(float64(len(ids)), "ids")
		})
	}
}

// BenchmarkUpdate walks a viewer through a world that stands still.
func BenchmarkUpdate(b *testing.B) {
	for _, d := range densities {
		b.Run(d.name, func(b *testing.B) {
			w := newWorld(d.perCell)
			views := make([]interest.View[uint32], 1)
			entered, exited := w.makeRoom(views)
			view := &views[0]
			var x float32
			seen, updates := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				if x += 3; x > w.side {
					x = 0
				}
				entered, exited = view.Update(w.grid, [3]float32{x, w.side / 2}, interest.Radius{Enter: 100, Leave: 125}, entered[:0], exited[:0])
				seen += view.Len()
				updates++
			}
			b.ReportMetric(float64(seen)/float64(updates), "ids")
		})
	}
}

// BenchmarkTick moves all objects and then updates the views of 64 of them.
func BenchmarkTick(b *testing.B) {
	for _, d := range densities {
		b.Run(d.name, func(b *testing.B) {
			w := newWorld(d.perCell)
			views := make([]interest.View[uint32], 64)
			entered, exited := w.makeRoom(views)
			b.ReportAllocs()
			for b.Loop() {
				w.step()
				for i := range views {
					entered, exited = views[i].Update(w.grid, w.at[i], interest.Radius{Enter: 100, Leave: 125}, entered[:0], exited[:0])
				}
			}
		})
	}
}
