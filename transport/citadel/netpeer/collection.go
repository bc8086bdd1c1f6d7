package netpeer

import (
	"bytes"
	"slices"
)

// ElementID names an element of a collection: a slot, and which of the slot's successive tenants.
type ElementID struct {
	Index, Generation uint32
}

func (id ElementID) packed() uint64 { return uint64(id.Index)<<32 | uint64(id.Generation) }

// Element is an element that was added or changed.
type Element struct {
	ID    ElementID
	Key   uint64 // counts the edits of the element
	Value Value  // for [Field.Item]
}

// CollectionDelta is what changed in a collection. An id occurs once in the three lists together, and the order
// within a list is kept.
//
// A delta owns scratch memory, which encoding uses too: two goroutines may not encode the same one at once.
type CollectionDelta struct {
	Removed        []ElementID
	Added, Changed []Element

	ids   []uint64 // for the check that ids are unique
	bytes []byte   // the byte strings of decoded elements
}

// Reset empties the lists and keeps their memory.
func (d *CollectionDelta) Reset() {
	d.Removed, d.Added, d.Changed, d.bytes = d.Removed[:0], d.Added[:0], d.Changed[:0], d.bytes[:0]
}

// check returns an error unless each list has at most limit elements, all three at most [MaxItems], and no id
// occurs twice.
func (d *CollectionDelta) check(limit uint32) error {
	r, a, c := uint64(len(d.Removed)), uint64(len(d.Added)), uint64(len(d.Changed))
	if max(r, a, c) > uint64(limit) || r+a+c > MaxItems {
		return ErrTooManyItems
	}
	if d.repeats() {
		return ErrDuplicateID
	}
	return nil
}

// repeats reports whether an id occurs twice. Ids in ascending order do not; others are sorted, which bounds the
// time for any choice of them.
func (d *CollectionDelta) repeats() bool {
	if d.ascends() {
		return false
	}
	ids := slices.Grow(d.ids[:0], len(d.Removed)+len(d.Added)+len(d.Changed))
	for _, id := range d.Removed {
		ids = append(ids, id.packed())
	}
	for i := range d.Added {
		ids = append(ids, d.Added[i].ID.packed())
	}
	for i := range d.Changed {
		ids = append(ids, d.Changed[i].ID.packed())
	}
	d.ids = ids
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i-1] == ids[i] {
			return true
		}
	}
	return false
}

// ascends reports whether each id is larger than the one before it, through all three lists, and none is the
// largest there can be.
func (d *CollectionDelta) ascends() bool {
	least := uint64(0)
	for _, id := range d.Removed {
		if least = after(least, id); least == 0 {
			return false
		}
	}
	for i := range d.Added {
		if least = after(least, d.Added[i].ID); least == 0 {
			return false
		}
	}
	for i := range d.Changed {
		if least = after(least, d.Changed[i].ID); least == 0 {
			return false
		}
	}
	return true
}

// after returns what the id behind one is at least, or 0 if the id itself is not at least what it should be.
func after(least uint64, id ElementID) uint64 {
	v := id.packed()
	if v < least {
		return 0
	}
	return v + 1
}

// equal reports whether two deltas are sent as the same bits. Either may be nil, which is empty.
func (d *CollectionDelta) equal(e *CollectionDelta) bool {
	if d == e {
		return true
	}
	if d == nil {
		d = &CollectionDelta{}
	}
	if e == nil {
		e = &CollectionDelta{}
	}
	same := func(x, y Element) bool { return x.ID == y.ID && x.Key == y.Key && x.Value.Equal(&y.Value) }
	return slices.Equal(d.Removed, e.Removed) && slices.EqualFunc(d.Added, e.Added, same) &&
		slices.EqualFunc(d.Changed, e.Changed, same)
}

func (d *CollectionDelta) clone() *CollectionDelta {
	c := &CollectionDelta{Removed: slices.Clone(d.Removed), Added: slices.Clone(d.Added), Changed: slices.Clone(d.Changed)}
	for _, list := range [][]Element{c.Added, c.Changed} {
		for i := range list {
			list[i].Value.bytes = bytes.Clone(list[i].Value.bytes)
		}
	}
	return c
}
