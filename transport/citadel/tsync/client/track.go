package client

import (
	"cmp"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// sample is where an object was at a tick.
type sample struct {
	tick   int64
	moving bool // the velocity says how it moved; otherwise there may be none
	state  tsync.State
}

// track is the recent past of one life of an object that is in the newest state.
type track struct {
	id      uint32
	gen     uint16
	at      int
	count   int
	samples [SampleCount]sample // oldest first from at
}

// begin makes a track that of another object or another life.
func (t *track) begin(id uint32, gen uint16) {
	t.id, t.gen, t.at, t.count = id, gen, 0, 0
}

// sample returns the n-th oldest sample.
func (t *track) sample(n int) *sample { return &t.samples[(t.at+n)%SampleCount] }

// newest returns the newest sample, or nil.
func (t *track) newest() *sample {
	if t.count == 0 {
		return nil
	}
	return t.sample(t.count - 1)
}

// note takes what a snapshot says of the object. A tick that is not newer adds no sample.
func (t *track) note(o *object, tick int64) {
	if s := t.newest(); s != nil && s.tick >= tick {
		return
	}
	if t.count < SampleCount {
		t.count++
	} else {
		t.at = (t.at + 1) % SampleCount
	}
	s := t.newest()
	s.tick, s.state = tick, o.state
	s.moving = o.fresh&tsync.FieldVelocity != 0 || o.state.Velocity != [3]float32{}
}

// tracks are the pasts of the objects of the newest state, in its order.
type tracks struct {
	list  []*track
	next  []*track // room for the next list
	spare []*track // of objects that left
	keep  bool     // the past of an object for its next life
}

// follow makes the tracks those of a newer state.
func (ts *tracks) follow(w *world, tick int64) {
	ts.next = slices.Grow(ts.next[:0], len(w.objects))
	old := ts.list
	for i := range w.objects {
		o := &w.objects[i]
		for len(old) > 0 && old[0].id < o.id {
			ts.spare, old = append(ts.spare, old[0]), old[1:]
		}
		var t *track
		if len(old) > 0 && old[0].id == o.id {
			t, old = old[0], old[1:]
			if t.gen != o.gen {
				if ts.keep {
					t.gen = o.gen
				} else {
					t.begin(o.id, o.gen)
				}
			}
		} else {
			t = ts.take()
			t.begin(o.id, o.gen)
		}
		t.note(o, tick)
		ts.next = append(ts.next, t)
	}
	ts.spare = append(ts.spare, old...)
	ts.list, ts.next = ts.next, ts.list
}

// take returns a track to begin.
func (ts *tracks) take() *track {
	n := len(ts.spare) - 1
	if n < 0 {
		return new(track)
	}
	t := ts.spare[n]
	ts.spare = ts.spare[:n]
	return t
}

// find returns the track of an object, or nil.
func (ts *tracks) find(id uint32) *track {
	i, ok := slices.BinarySearchFunc(ts.list, id, func(t *track, id uint32) int { return cmp.Compare(t.id, id) })
	if !ok {
		return nil
	}
	return ts.list[i]
}

// newest returns the newest tick of all samples, if there are any.
func (ts *tracks) newest() (tick int64, ok bool) {
	for _, t := range ts.list {
		if s := t.newest(); !ok || s.tick > tick {
			tick, ok = s.tick, true
		}
	}
	return tick, ok
}

// clear forgets all tracks and keeps their memory.
func (ts *tracks) clear() {
	ts.spare = append(ts.spare, ts.list...)
	ts.list = ts.list[:0]
}
