package server

// An id keeps its place in the world after the death of its object, so that its next life can go on from there. Of
// the dead only so many are remembered: when there are more, the one that died first is forgotten, and generations and
// epochs of all ids that the world does not know start above its.

// newPlace gives an id a place that has no object yet.
func (w *World) newPlace(id uint32) int32 {
	var at int32
	if n := len(w.free); n > 0 {
		at, w.free = w.free[n-1], w.free[:n-1]
		// Queue and history keep their memory.
		old := &w.objects[at]
		*old = object{queue: old.queue, history: old.history, recorded: old.recorded}
	} else {
		at = int32(len(w.objects))
		w.objects = append(w.objects, object{})
		w.frame.objects = append(w.frame.objects, latched{})
	}
	w.places[id] = at
	return at
}

// grave is a death: of an id, at the end of a generation.
type grave struct {
	id  uint32
	gen uint64
}

// bury notes a death.
func (w *World) bury(id uint32) {
	p := &w.objects[w.places[id]]
	w.graves.push(grave{id, p.gen})
	w.forget()
}

// forget forgets the oldest of the dead if there are too many. One that the frame still shows has to wait for the next
// step: snapshots for clients that have not seen it yet look for its place.
func (w *World) forget() {
	for w.graves.len() > w.config.Tombstones {
		g := w.graves.peek()
		at, known := w.places[g.id]
		if p := &w.objects[at]; known && !p.live && p.gen == g.gen { // and not a death of an earlier life
			if l := &w.frame.objects[at]; l.live && l.id == g.id {
				return
			}
			w.leastGen = max(w.leastGen, p.gen+1)
			w.leastEpoch = max(w.leastEpoch, p.OwnershipEpoch+1)
			delete(w.places, g.id)
			w.free = append(w.free, at)
		}
		w.graves.pop()
	}
}

// fifo is a queue that reuses its memory.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(v T) {
	if f.head > 0 && len(f.items) == cap(f.items) {
		f.items = f.items[:copy(f.items, f.items[f.head:])]
		f.head = 0
	}
	f.items = append(f.items, v)
}

func (f *fifo[T]) peek() T { return f.items[f.head] }

func (f *fifo[T]) pop() { f.head++ }
