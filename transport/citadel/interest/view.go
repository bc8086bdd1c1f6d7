package interest

import "slices"

// Radius says how near an object must come to be let in and how far it may go before it is let go, in units of
// length. If Enter is above Leave, the two are swapped. A negative distance counts as zero; with one that is not a
// number nothing comes in or nothing goes.
type Radius struct {
	Enter, Leave float32
}

// View keeps what one viewer is subscribed to. The zero value is subscribed to nothing.
type View[T ID] struct {
	ids    []T      // ascending
	places []int32  // where the grid had each of them; a hint
	inside []uint64 // bits over places; all zero between updates
}

// IDs returns the objects of the view in ascending order. The slice is valid until the next call to Update or
// Reset, and must not be changed.
func (v *View[T]) IDs() []T { return v.ids[:len(v.ids):len(v.ids)] }

// Len returns the number of objects in the view.
func (v *View[T]) Len() int { return len(v.ids) }

// Contains reports whether the view holds an object.
func (v *View[T]) Contains(id T) bool {
	_, found := slices.BinarySearch(v.ids, id)
	return found
}

// Update moves the viewer. It lets go of every object that is gone or farther than r.Leave from the position, then
// lets in every candidate of the grid that is at most r.Enter away, and appends what was let in to entered and
// what was let go to exited, each in ascending order. It returns both slices, which must not share memory.
//
// Update reads the grid and changes only the view: goroutines may update a view each while nobody changes the
// grid.
func (v *View[T]) Update(g *Grid[T], position [3]float32, r Radius, entered, exited []T) ([]T, []T) {
	if r.Enter > r.Leave {
		r.Enter, r.Leave = r.Leave, r.Enter
	}
	exited = v.release(g, position, square(r.Leave), exited)
	start := len(entered)
	entered = v.admit(g, position, square(r.Enter), entered)
	for _, i := range v.places {
		v.inside[i/64] = 0
	}
	slices.Sort(entered[start:])
	v.merge(g, entered[start:])
	return entered, exited
}

// release lets go of what is gone or too far away. What stays has its bit in v.inside set.
func (v *View[T]) release(g *Grid[T], position [3]float32, leave float64, exited []T) []T {
	if words := len(g.objects)/64 + 1; len(v.inside) < words {
		v.inside = append(v.inside, make([]uint64, words-len(v.inside))...)
	}
	kept := 0
	for k, id := range v.ids {
		i := g.find(id, v.places[k])
		if i == 0 || squareDistance(g.objects[i].position, position) > leave {
			exited = append(exited, id)
			continue
		}
		v.inside[i/64] |= 1 << (uint(i) % 64)
		v.ids[kept], v.places[kept] = id, i
		kept++
	}
	v.ids, v.places = v.ids[:kept], v.places[:kept]
	return exited
}

// admit appends the candidates that are near enough and not inside, in no order.
func (v *View[T]) admit(g *Grid[T], position [3]float32, enter float64, entered []T) []T {
	cells, n := g.Cell(position).around()
	for _, cell := range cells[:n] {
		for i := g.heads.get(cell.key()); i != 0; i = g.objects[i].next {
			o := &g.objects[i]
			if v.inside[i/64]>>(uint(i)%64)&1 == 0 && squareDistance(o.position, position) <= enter {
				entered = append(entered, o.id)
			}
		}
	}
	return entered
}

// merge adds ids, ascending and not in the view, to those of the view.
func (v *View[T]) merge(g *Grid[T], ids []T) {
	k, j := len(v.ids)-1, len(ids)-1
	v.ids = append(v.ids, ids...)
	v.places = slices.Grow(v.places, len(ids))[:len(v.ids)]
	// From the back, so that what is overwritten has been moved already.
	for at := len(v.ids) - 1; j >= 0; at-- {
		if k >= 0 && v.ids[k] > ids[j] {
			v.ids[at], v.places[at] = v.ids[k], v.places[k]
			k--
			continue
		}
		v.ids[at], v.places[at] = ids[j], g.ids.get(uint64(ids[j]))
		j--
	}
}

// Reset lets go of everything and appends it to exited, in ascending order.
func (v *View[T]) Reset(exited []T) []T {
	exited = append(exited, v.ids...)
	v.ids, v.places = v.ids[:0], v.places[:0]
	return exited
}

// square returns the square of a distance, and NaN for NaN.
func square(x float32) float64 {
	d := float64(max(x, 0))
	return d * d
}
