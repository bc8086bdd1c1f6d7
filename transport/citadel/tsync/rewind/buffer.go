package rewind

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// Buffer keeps the last states of one object, each with its tick. Make it with [MakeBuffer]; the zero value keeps
// nothing. A copy shares its states with the original.
type Buffer struct {
	ring  []record
	first int // the oldest
	n     int
}

type record struct {
	tick  uint64
	state tsync.State
}

// MakeBuffer returns a buffer for the given number of states, and at least one.
func MakeBuffer(states int) Buffer { return Buffer{ring: make([]record, max(states, 1))} }

// Record adds the state at a tick, and lets the oldest go if the buffer is full. Unless the tick is above the newest
// nothing happens, and it returns false.
func (b *Buffer) Record(tick uint64, s *tsync.State) bool {
	if len(b.ring) == 0 || b.n > 0 && tick <= b.at(b.n-1).tick {
		return false
	}
	if b.n == len(b.ring) {
		b.first = (b.first + 1) % len(b.ring)
		b.n--
	}
	*b.at(b.n) = record{tick, *s}
	b.n++
	return true
}

// Reset forgets everything, for another life of the object.
func (b *Buffer) Reset() { b.first, b.n = 0, 0 }

// Len returns the number of states.
func (b *Buffer) Len() int { return b.n }

// Span returns the ticks of the oldest and of the newest state, and false if there is none.
func (b *Buffer) Span() (oldest, newest uint64, ok bool) {
	if b.n == 0 {
		return 0, 0, false
	}
	return b.at(0).tick, b.at(b.n - 1).tick, true
}

// Sample makes into the state at a tick, which may lie between two. Before the oldest it is the oldest, after the newest
// it is the newest; NaN counts as after. Between two, position and velocity are interpolated in float32 and the rotation
// is that of the nearer one, the later one in the middle. It returns false, and leaves into alone, if there is no state.
func (b *Buffer) Sample(tick float64, into *tsync.State) bool {
	if b.n == 0 {
		return false
	}
	newest := b.at(b.n - 1)
	if !(tick < float64(newest.tick)) {
		*into = newest.state
		return true
	}
	if oldest := b.at(0); tick <= float64(oldest.tick) {
		*into = oldest.state
		return true
	}
	lo, hi := b.around(tick)
	blend(&lo.state, &hi.state, fraction(tick, lo.tick, hi.tick), into)
	return true
}

// around returns the last record at or before a tick that is after the oldest and before the newest, and the next one.
func (b *Buffer) around(tick float64) (lo, hi *record) {
	// Without gaps, which is nearly always, the place is known.
	if back := b.at(b.n-1).tick - uint64(tick); back < uint64(b.n) {
		i := b.n - 1 - int(back)
		if lo := b.at(i); lo.tick == uint64(tick) {
			return lo, b.at(i + 1)
		}
	}
	before, after := 0, b.n-1
	for after-before > 1 {
		if middle := (before + after) / 2; float64(b.at(middle).tick) <= tick {
			before = middle
		} else {
			after = middle
		}
	}
	return b.at(before), b.at(after)
}

func fraction(x float64, lo, hi uint64) float32 {
	return float32((x - float64(lo)) / (float64(hi) - float64(lo)))
}

func blend(a, b *tsync.State, f float32, into *tsync.State) {
	s := tsync.State{Rotation: a.Rotation}
	if !(f < 0.5) {
		s.Rotation = b.Rotation
	}
	for i := range s.Position {
		// The conversions keep compilers from fusing product and sum.
		s.Position[i] = a.Position[i] + float32((b.Position[i]-a.Position[i])*f)
		s.Velocity[i] = a.Velocity[i] + float32((b.Velocity[i]-a.Velocity[i])*f)
	}
	*into = s
}

// at returns record i, counted from the oldest.
func (b *Buffer) at(i int) *record {
	i += b.first
	if i >= len(b.ring) {
		i -= len(b.ring)
	}
	return &b.ring[i]
}
