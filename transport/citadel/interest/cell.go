package interest

import "math"

// Cell is a square of the grid. Cell 0, 0 begins at the origin.
type Cell struct {
	X, Y int32
}

// key packs the cell for a table.
func (c Cell) key() uint64 { return uint64(uint32(c.X))<<32 | uint64(uint32(c.Y)) }

// around returns c and its eight neighbours, or as many of them as there are at the edges of the number range.
func (c Cell) around() (cells [9]Cell, n int) {
	for dx := int64(-1); dx <= 1; dx++ {
		for dy := int64(-1); dy <= 1; dy++ {
			x, y := int64(c.X)+dx, int64(c.Y)+dy
			if x == int64(int32(x)) && y == int64(int32(y)) {
				cells[n] = Cell{X: int32(x), Y: int32(y)}
				n++
			}
		}
	}
	return cells, n
}

// coordinate returns the place of a cell along one axis.
func coordinate(v, size float32) int32 {
	if !(v >= -math.MaxFloat32 && v <= math.MaxFloat32) {
		return 0
	}
	// The quotient of two finite numbers may be infinite. It is kept within the range like any other.
	q := math.Floor(float64(float32(v / size)))
	return int32(min(max(q, math.MinInt32), math.MaxInt32))
}
