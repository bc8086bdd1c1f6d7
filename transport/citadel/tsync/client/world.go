package client

import (
	"cmp"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// object is an object in a reconstructed state of the world.
type object struct {
	id    uint32
	gen   uint16
	fresh tsync.Fields // what the snapshot itself said of it, as opposed to its base
	ack   uint32       // if it said FieldInputSeq
	state tsync.State
}

// world is a reconstructed state: the objects of a snapshot, in the order of their ids.
type world struct {
	id      uint32 // of the snapshot
	objects []object
}

// find returns the object with an id, or nil.
func (w *world) find(id uint32) *object {
	i, ok := slices.BinarySearchFunc(w.objects, id, func(o object, id uint32) int { return cmp.Compare(o.id, id) })
	if !ok {
		return nil
	}
	return &w.objects[i]
}

// worlds are the newest states of which snapshots may be based, oldest first from at. The one at spare is not among
// them: there the next state is made, from any of the others.
type worlds struct {
	ring  [RingSize + 1]world
	at    int
	count int
}

// latest returns the newest state, or nil.
func (w *worlds) latest() *world {
	if w.count == 0 {
		return nil
	}
	return &w.ring[(w.at+w.count-1)%len(w.ring)]
}

// find returns the state of a snapshot, or nil.
func (w *worlds) find(id uint32) *world {
	for n := w.count - 1; n >= 0; n-- { // most bases are new
		if s := &w.ring[(w.at+n)%len(w.ring)]; s.id == id {
			return s
		}
	}
	return nil
}

// spare returns where to make the next state.
func (w *worlds) spare() *world { return &w.ring[(w.at+w.count)%len(w.ring)] }

// push makes the spare state the newest one, and the oldest the spare one if there are too many.
func (w *worlds) push() {
	if w.count < RingSize {
		w.count++
	} else {
		w.at = (w.at + 1) % len(w.ring)
	}
}

// clear forgets all states and keeps their memory.
func (w *worlds) clear() { w.at, w.count = 0, 0 }

// rebuilder makes the state of a snapshot out of the state that it differs from. The lists are room for sorting.
type rebuilder struct {
	codec   *tsync.Codec
	limit   int // of objects
	order   []int32
	removed []uint32
}

// rebuild overwrites dst with base, without what was removed, with what was updated. It returns how many updates were
// of no use: they told of an unknown life of an object without saying where it is. The error is [ErrObjects]; dst is
// of no use then.
func (r *rebuilder) rebuild(dst, base *world, s *tsync.Snapshot) (skipped int, err error) {
	removed := r.sortedRemoved(s.Removed)
	order := r.sortedUpdates(s.Updates)
	var from []object
	if base != nil {
		from = base.objects
	}
	to := slices.Grow(dst.objects[:0], min(len(from)+len(s.Updates), r.limit))

	for len(from) > 0 || len(order) > 0 {
		// Which object is next, and is it in the base?
		var o object
		held := len(from) > 0 && (len(order) == 0 || from[0].id <= s.Updates[order[0]].Object)
		if held {
			o, from = from[0], from[1:]
			o.fresh, o.ack = 0, 0
			for len(removed) > 0 && removed[0] < o.id {
				removed = removed[1:]
			}
			if len(removed) > 0 && removed[0] == o.id {
				held = false
			}
		} else {
			o.id = s.Updates[order[0]].Object
		}
		for len(order) > 0 && s.Updates[order[0]].Object == o.id {
			if r.update(&o, held, &s.Updates[order[0]]) {
				held = true
			} else {
				skipped++
			}
			order = order[1:]
		}
		if !held {
			continue
		}
		if len(to) == r.limit {
			return 0, ErrObjects
		}
		to = append(to, o)
	}
	dst.id, dst.objects = s.ID, to
	return skipped, nil
}

// update applies an update to an object, which may be held already. It returns false if that is not possible.
func (r *rebuilder) update(o *object, held bool, u *tsync.Update) bool {
	const full = tsync.FieldPosition | tsync.FieldRotation
	if !held || o.gen != u.Gen {
		if u.Fields&full != full {
			return false
		}
		r.codec.Dequantize(&u.Codes, u.Fields, &o.state)
		o.gen, o.fresh = u.Gen, 0
	} else if u.Fields&tsync.StateFields != 0 {
		var s tsync.State
		r.codec.Dequantize(&u.Codes, u.Fields, &s)
		if u.Fields&tsync.FieldPosition != 0 {
			o.state.Position = s.Position
		}
		if u.Fields&tsync.FieldRotation != 0 {
			o.state.Rotation = s.Rotation
		}
		if u.Fields&tsync.FieldVelocity != 0 {
			o.state.Velocity = s.Velocity
		}
	}
	o.fresh |= u.Fields
	if u.Fields&tsync.FieldInputSeq != 0 {
		o.ack = u.InputSeq
	}
	return true
}

// sortedRemoved returns ids in ascending order; servers send them so.
func (r *rebuilder) sortedRemoved(ids []uint32) []uint32 {
	if slices.IsSorted(ids) {
		return ids
	}
	r.removed = append(r.removed[:0], ids...)
	slices.Sort(r.removed)
	return r.removed
}

// sortedUpdates returns the indexes of updates in the order of their objects. Several ones of an object keep theirs.
func (r *rebuilder) sortedUpdates(updates []tsync.Update) []int32 {
	r.order = r.order[:0]
	sorted := true
	for i := range updates {
		r.order = append(r.order, int32(i))
		sorted = sorted && (i == 0 || updates[i-1].Object <= updates[i].Object)
	}
	if !sorted {
		slices.SortFunc(r.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(updates[a].Object, updates[b].Object), cmp.Compare(a, b))
		})
	}
	return r.order
}
