package replica

import (
	"cmp"
	"iter"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// Items is a collection of a replicated struct: elements of one Go type, each with an id that is never given to
// another and a count of its edits. The zero value is empty and dirty, so that its first state is complete.
type Items[T any] struct {
	list        []item[T] // ascending by id
	free        []uint32  // slots without a tenant
	generations []uint32  // of each slot's next tenant
	gone        []netpeer.ElementID
	clean       bool
}

type item[T any] struct {
	id    netpeer.ElementID
	key   uint64
	dirty bool
	value T
}

// Len returns the number of elements.
func (c *Items[T]) Len() int { return len(c.list) }

// All yields the elements in ascending order of their ids.
func (c *Items[T]) All() iter.Seq2[netpeer.ElementID, T] {
	return func(yield func(netpeer.ElementID, T) bool) {
		for i := range c.list {
			if !yield(c.list[i].id, c.list[i].value) {
				return
			}
		}
	}
}

// At returns an element.
func (c *Items[T]) At(id netpeer.ElementID) (T, bool) {
	i, ok := c.find(id)
	if !ok {
		var none T
		return none, false
	}
	return c.list[i].value, true
}

// Add adds an element and returns its id. A slot is used again, with the next generation; a slot that has had all
// generations is not.
func (c *Items[T]) Add(v T) netpeer.ElementID {
	id := c.vacancy()
	at, _ := c.find(id)
	c.list = slices.Insert(c.list, at, item[T]{id: id, key: 1, dirty: true, value: v})
	c.clean = false
	return id
}

// vacancy takes a slot that no element has, whoever chose that element's id.
func (c *Items[T]) vacancy() netpeer.ElementID {
	for {
		var id netpeer.ElementID
		if n := len(c.free); n > 0 {
			id.Index = c.free[n-1]
			c.free = c.free[:n-1]
			id.Generation = c.generations[id.Index]
		} else {
			id.Index = uint32(len(c.generations))
			c.generations = append(c.generations, 0)
		}
		at, _ := c.find(netpeer.ElementID{Index: id.Index})
		if at == len(c.list) || c.list[at].id.Index != id.Index {
			return id
		}
	}
}

// release makes the slot of an element that is gone free, if it is one of ours.
func (c *Items[T]) release(id netpeer.ElementID) {
	if int64(id.Index) < int64(len(c.generations)) && id.Generation != ^uint32(0) {
		c.generations[id.Index] = max(c.generations[id.Index], id.Generation+1)
		c.free = append(c.free, id.Index)
	}
}

// Set changes an element and reports whether it is there.
func (c *Items[T]) Set(id netpeer.ElementID, v T) bool {
	i, ok := c.find(id)
	if !ok {
		return false
	}
	e := &c.list[i]
	e.value, e.key, e.dirty, c.clean = v, e.key+1, true, false
	return true
}

// Remove takes an element out and reports whether it was there.
func (c *Items[T]) Remove(id netpeer.ElementID) bool {
	i, ok := c.find(id)
	if !ok {
		return false
	}
	c.list = slices.Delete(c.list, i, i+1)
	c.gone = append(c.gone, id)
	c.clean = false
	c.release(id)
	return true
}

// Dirty reports whether something has changed since [Items.Write].
func (c *Items[T]) Dirty() bool { return !c.clean }

// Write writes what has changed into a field of a state; encode makes a value for the field's [netpeer.Field.Item].
// After an error, which is one of encode's or of [State.PutItem], the next call tries again.
func (c *Items[T]) Write(s *State, field int, encode func(item *netpeer.Field, v T) (netpeer.Value, error)) error {
	f, err := s.field(field)
	switch {
	case err != nil:
		return err
	case f.Kind() != netpeer.KindCollection:
		return netpeer.ErrKind
	}
	for _, id := range c.gone {
		_ = s.RemoveItem(field, id) // it may have come and gone between two states
	}
	c.gone = c.gone[:0]
	for i := range c.list {
		e := &c.list[i]
		if !e.dirty {
			continue
		}
		v, err := encode(f.Item(), e.value)
		if err != nil {
			return err
		}
		if err := s.PutItem(field, netpeer.Element{ID: e.id, Key: e.key, Value: v}); err != nil {
			return err
		}
		e.dirty = false
	}
	c.clean = true
	return nil
}

// Read takes the elements of a field of a state in place of those that are there; decode gets the field's
// [netpeer.Field.Item]. Nothing is marked as changed.
func (c *Items[T]) Read(s *State, field int, decode func(item *netpeer.Field, v *netpeer.Value) T) {
	list := s.Items(field)
	for i := range c.list {
		if _, ok := slices.BinarySearchFunc(list, c.list[i].id, compareID); !ok {
			c.release(c.list[i].id)
		}
	}
	c.list, c.gone, c.clean = c.list[:0], c.gone[:0], true
	if len(list) == 0 {
		return
	}
	f := s.class.wire.Field(field).Item()
	for i := range list {
		e := &list[i]
		c.list = append(c.list, item[T]{id: e.ID, key: e.Key, value: decode(f, &e.Value)})
	}
}

func (c *Items[T]) find(id netpeer.ElementID) (int, bool) {
	return slices.BinarySearchFunc(c.list, id, func(e item[T], id netpeer.ElementID) int {
		return cmp.Compare(order(e.id), order(id))
	})
}
