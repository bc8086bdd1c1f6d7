package negative

import "sort"

type square struct{ X, Y int32 }

type bySquare []square

func (b bySquare) Len() int      { return len(b) }
func (b bySquare) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

func (b bySquare) Less(i, j int) bool {
	if b[i].Y != b[j].Y {
		return b[i].Y < b[j].Y
	}
	return b[i].X < b[j].X
}

//netcode:deterministic
func scanline(ss []square) { sort.Sort(bySquare(ss)) }
