package server

import "math"

// ranking is a heap of tracks, the most urgent first. Each is one number: what has waited too long by how long it
// has waited, then what is full, then the accumulated weight, and at last the lower id, which is the lower index.
type ranking []uint64

const (
	rankOverdue = 1 << 63
	rankFull    = 1 << 62
	rankShift   = 31
	rankIndex   = 1<<rankShift - 1
)

// rank returns the number of a track.
func (w *World) rank(t *track, index int) uint64 {
	low := uint64(rankIndex - index)
	if int(t.waited) >= w.config.MaxWait {
		return rankOverdue | uint64(t.waited)<<rankShift | low
	}
	// The bits of floats that are not negative are in the order of the floats.
	rank := uint64(math.Float32bits(t.weight))<<rankShift | low
	if t.plan != planDelta {
		rank |= rankFull
	}
	return rank
}

// order makes a heap of numbers in any order.
func (r ranking) order() {
	for i := len(r)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
}

// next takes the most urgent one out and returns its index.
func (r *ranking) next() int {
	q := *r
	top := q[0]
	last := len(q) - 1
	q[0] = q[last]
	*r = q[:last]
	r.sink(0)
	return int(rankIndex - top&rankIndex)
}

// sink moves a number down to its place.
func (r ranking) sink(i int) {
	if i >= len(r) {
		return
	}
	v := r[i]
	for {
		child := 2*i + 1
		if child >= len(r) {
			break
		}
		if other := child + 1; other < len(r) && r[other] > r[child] {
			child = other
		}
		if r[child] <= v {
			break
		}
		r[i] = r[child]
		i = child
	}
	r[i] = v
}
