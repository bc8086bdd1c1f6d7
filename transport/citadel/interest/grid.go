package interest

import (
	"math"
	"slices"
)

// ID is a type whose values name objects.
type ID interface{ ~uint32 | ~uint64 }

// Grid keeps the positions of objects. Make one with [NewGrid].
type Grid[T ID] struct {
	size    float32
	objects []object[T] // 0 is nobody
	free    int32       // a list over next
	ids     table       // id to place in objects
	heads   table       // cell to the first of its list
}

type object[T ID] struct {
	id       T
	position [3]float32
	cell     Cell
	next     int32 // in the list of the cell, or of free places
	prev     int32
	taken    bool
}

// NewGrid returns an empty grid with cells of the given size, in units of length; a size that is not positive and
// finite becomes 1.
func NewGrid[T ID](cellSize float32) *Grid[T] {
	if !(cellSize > 0 && cellSize <= math.MaxFloat32) {
		cellSize = 1
	}
	return &Grid[T]{size: cellSize, objects: make([]object[T], 1)}
}

// CellSize returns the size of a cell.
func (g *Grid[T]) CellSize() float32 { return g.size }

// Len returns the number of objects.
func (g *Grid[T]) Len() int { return g.ids.used }

// Cell returns the cell that a position is in. Along each axis it is the coordinate divided by the cell size, in
// float32, rounded down and kept within the range; for a coordinate that is infinite or not a number it is zero.
func (g *Grid[T]) Cell(position [3]float32) Cell {
	return Cell{X: coordinate(position[0], g.size), Y: coordinate(position[1], g.size)}
}

// Position returns where an object is, if it is anywhere.
func (g *Grid[T]) Position(id T) (position [3]float32, ok bool) {
	i := g.ids.get(uint64(id))
	return g.objects[i].position, i != 0
}

// Move puts an object somewhere, whether or not it was there before.
func (g *Grid[T]) Move(id T, position [3]float32) {
	cell := g.Cell(position)
	i := g.ids.get(uint64(id))
	switch {
	case i == 0:
		i = g.place()
		g.objects[i] = object[T]{id: id, cell: cell, taken: true}
		g.ids.put(uint64(id), i)
		g.link(i)
	case g.objects[i].cell != cell:
		g.unlink(i)
		g.objects[i].cell = cell
		g.link(i)
	}
	g.objects[i].position = position
}

// Remove takes an object away and reports whether it was there.
func (g *Grid[T]) Remove(id T) bool {
	i := g.ids.get(uint64(id))
	if i == 0 {
		return false
	}
	g.ids.remove(uint64(id))
	g.unlink(i)
	g.objects[i] = object[T]{next: g.free}
	g.free = i
	return true
}

// Candidates appends the ids of the objects in the nine cells around a position, in ascending order.
func (g *Grid[T]) Candidates(dst []T, position [3]float32) []T {
	start := len(dst)
	cells, n := g.Cell(position).around()
	for _, cell := range cells[:n] {
		for i := g.heads.get(cell.key()); i != 0; i = g.objects[i].next {
			dst = append(dst, g.objects[i].id)
		}
	}
	slices.Sort(dst[start:])
	return dst
}

// find returns the place of an object, or zero. The hint is where it may be.
func (g *Grid[T]) find(id T, hint int32) int32 {
	if int(hint) < len(g.objects) {
		if o := &g.objects[hint]; o.taken && o.id == id {
			return hint
		}
	}
	return g.ids.get(uint64(id))
}

// place returns a free place for an object.
func (g *Grid[T]) place() int32 {
	if i := g.free; i != 0 {
		g.free = g.objects[i].next
		return i
	}
	g.objects = append(g.objects, object[T]{})
	// There are at most as many cells with something in them as objects. With room for both now, no later move can
	// make a table grow.
	g.ids.reserve(len(g.objects) - 1)
	g.heads.reserve(len(g.objects) - 1)
	return int32(len(g.objects) - 1)
}

// link puts an object at the head of its cell's list.
func (g *Grid[T]) link(i int32) {
	o := &g.objects[i]
	key := o.cell.key()
	o.prev, o.next = 0, g.heads.get(key)
	if o.next != 0 {
		g.objects[o.next].prev = i
	}
	g.heads.put(key, i)
}

// unlink takes an object out of its cell's list.
func (g *Grid[T]) unlink(i int32) {
	o := &g.objects[i]
	if o.next != 0 {
		g.objects[o.next].prev = o.prev
	}
	switch {
	case o.prev != 0:
		g.objects[o.prev].next = o.next
	case o.next != 0:
		g.heads.put(o.cell.key(), o.next)
	default:
		g.heads.remove(o.cell.key())
	}
}

// squareDistance returns the square of the distance between two points.
func squareDistance(a, b [3]float32) float64 {
	dx := float64(a[0]) - float64(b[0])
	dy := float64(a[1]) - float64(b[1])
	dz := float64(a[2]) - float64(b[2])
	// The conversions keep the products from being fused with the sums.
	return float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
}
