//go:build !js

package main

import (
	"math"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// truth is where everything really was, step by step.
type truth struct {
	watched []uint32
	moments []moment
}

// moment is the end of a step.
type moment struct {
	at     time.Duration // since the match began
	tick   uint64
	places []place // of what is watched
}

type place struct {
	there    bool
	position [3]float32
}

// newTruth returns one that watches the objects that a screen watches.
func newTruth(r rules) *truth {
	t := new(truth)
	for i := range min(r.players, mostWatched) {
		t.watched = append(t.watched, uint32(i+1))
	}
	for i := range min(r.movers, mostWatched) {
		t.watched = append(t.watched, firstMover+uint32(i))
	}
	return t
}

// note takes the world at the end of a step.
func (t *truth) note(at time.Duration, w *server.World) {
	m := moment{at: at, tick: w.Now(), places: make([]place, len(t.watched))}
	for i, id := range t.watched {
		o, ok := w.Object(id)
		m.places[i] = place{ok, o.State.Position}
	}
	t.moments = append(t.moments, m)
}

// index returns where an object is among those that are watched.
func (t *truth) index(object uint32) (int, bool) {
	for i, id := range t.watched {
		if id == object {
			return i, true
		}
	}
	return 0, false
}

// at returns where an object was at a tick, which may lie between two: on the straight line between them.
func (t *truth) at(object uint32, tick float64) ([3]float32, bool) {
	i, ok := t.index(object)
	if !ok || len(t.moments) == 0 {
		return [3]float32{}, false
	}
	whole, part := math.Modf(tick)
	n := int(whole) - int(t.moments[0].tick) // no step is missing
	if n < 0 || n+1 >= len(t.moments) {
		return [3]float32{}, false
	}
	a, b := t.moments[n].places[i], t.moments[n+1].places[i]
	if !a.there || !b.there {
		return [3]float32{}, false
	}
	for axis := range a.position {
		a.position[axis] += (b.position[axis] - a.position[axis]) * float32(part)
	}
	return a.position, true
}
