package replica

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// snapshot is a state as it was when it was sent. All receivers that got it, and all that acknowledged it, refer to
// one snapshot.
type snapshot struct {
	serial uint64 // never used again, unlike the memory
	refs   int
	values []netpeer.Value
	exact  []exact
}

// differ makes lists of changes, and keeps the memory for them.
type differ struct {
	changes []netpeer.Change
	deltas  []*netpeer.CollectionDelta
	used    int
	byKey   bool // compare elements by their key only
}

func (d *differ) reset() { d.changes, d.used = d.changes[:0], 0 }

func (d *differ) delta() *netpeer.CollectionDelta {
	if d.used == len(d.deltas) {
		d.deltas = append(d.deltas, new(netpeer.CollectionDelta))
	}
	d.used++
	list := d.deltas[d.used-1]
	list.Reset()
	return list
}

// noItems is what a full bunch says of a collection that is hidden.
var noItems netpeer.CollectionDelta

// full lists all that is visible of a snapshot.
func (d *differ) full(c *Class, to *snapshot, visible, custom Fields) []netpeer.Change {
	d.reset()
	for i := range to.values {
		v := to.values[i]
		switch seen := visible.Has(i) || custom.Has(i); {
		case v.Kind() == netpeer.KindCollection && !seen:
			v, _ = c.wire.Field(i).Collection(&noItems)
		case v.Kind() == netpeer.KindNone || !seen:
			continue
		}
		d.changes = append(d.changes, netpeer.Change{Field: i, Value: v})
	}
	return d.changes
}

// between lists what is visible and differs between two snapshots.
func (d *differ) between(c *Class, from, to *snapshot, visible, custom Fields) []netpeer.Change {
	d.reset()
	if from == to {
		return nil
	}
	for i := range to.values {
		if !visible.Has(i) && !custom.Has(i) {
			continue
		}
		old, now := &from.values[i], &to.values[i]
		switch kind := now.Kind(); {
		case kind == netpeer.KindNone:
		case kind == netpeer.KindCollection:
			if list := d.elements(old, now); list != nil {
				v, _ := c.wire.Field(i).Collection(list)
				d.changes = append(d.changes, netpeer.Change{Field: i, Value: v})
			}
		case old.Kind() == netpeer.KindNone || differs(from, to, i):
			d.changes = append(d.changes, netpeer.Change{Field: i, Value: *now})
		}
	}
	return d.changes
}

// differs reports whether a field that has a value in both snapshots has another one in the second.
func differs(from, to *snapshot, i int) bool {
	if v := &to.values[i]; to.exact == nil || v.Kind() == netpeer.KindBytes {
		return !v.Equal(&from.values[i])
	}
	return from.exact[i] != to.exact[i]
}

// elements returns what differs between two collections, or nil.
func (d *differ) elements(old, now *netpeer.Value) *netpeer.CollectionDelta {
	from, _ := old.Collection()
	to, _ := now.Collection()
	if from == to {
		return nil
	}
	list := d.delta()
	a, b := from.Added, to.Added
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && order(a[0].ID) < order(b[0].ID):
			list.Removed = append(list.Removed, a[0].ID)
			a = a[1:]
		case len(a) == 0 || order(b[0].ID) < order(a[0].ID):
			list.Added = append(list.Added, b[0])
			b = b[1:]
		default:
			if a[0].Key != b[0].Key || !d.byKey && !a[0].Value.Equal(&b[0].Value) {
				list.Changed = append(list.Changed, b[0])
			}
			a, b = a[1:], b[1:]
		}
	}
	if len(list.Removed)+len(list.Added)+len(list.Changed) == 0 {
		d.used--
		return nil
	}
	return list
}

// merger applies changes to collections. It holds the lists of a delta in the order of their ids.
type merger struct {
	removed        []netpeer.ElementID
	added, changed []*netpeer.Element
}

// merge returns the elements that changes of those in from lead to, at most limit of them, or [ErrInconsistent]. They
// share no memory with delta; byte strings that are in from are shared with that.
func (m *merger) merge(from []netpeer.Element, delta *netpeer.CollectionDelta, limit uint32) ([]netpeer.Element, error) {
	size := len(from) + len(delta.Added) - len(delta.Removed)
	if size < 0 || uint64(size) > uint64(limit) {
		return nil, ErrInconsistent
	}
	m.load(delta)
	list := make([]netpeer.Element, 0, size)
	removed, added, changed := m.removed, m.added, m.changed
	for len(from) > 0 || len(added) > 0 {
		if len(from) == 0 || len(added) > 0 && order(added[0].ID) < order(from[0].ID) {
			if n := len(list); n > 0 && list[n-1].ID == added[0].ID {
				return nil, ErrInconsistent // twice in the list
			}
			list = append(list, owned(added[0]))
			added = added[1:]
			continue
		}
		switch id := from[0].ID; {
		case len(removed) > 0 && removed[0] == id:
			removed = removed[1:]
		case len(added) > 0 && added[0].ID == id:
			return nil, ErrInconsistent
		case len(changed) > 0 && changed[0].ID == id:
			list = append(list, owned(changed[0]))
			changed = changed[1:]
		default:
			list = append(list, from[0])
		}
		from = from[1:]
	}
	if len(removed)+len(changed) > 0 {
		return nil, ErrInconsistent
	}
	return list, nil
}

// owned returns an element that shares no memory with e.
func owned(e *netpeer.Element) netpeer.Element {
	c := *e
	if c.Value.Kind() == netpeer.KindBytes {
		c.Value = c.Value.Clone()
	}
	return c
}

func (m *merger) load(d *netpeer.CollectionDelta) {
	m.removed = append(m.removed[:0], d.Removed...)
	slices.SortFunc(m.removed, compareOrder)
	m.added = sortedElements(m.added[:0], d.Added)
	m.changed = sortedElements(m.changed[:0], d.Changed)
}

func sortedElements(dst []*netpeer.Element, list []netpeer.Element) []*netpeer.Element {
	for i := range list {
		dst = append(dst, &list[i])
	}
	slices.SortFunc(dst, func(a, b *netpeer.Element) int { return compareOrder(a.ID, b.ID) })
	return dst
}

func compareOrder(a, b netpeer.ElementID) int {
	switch x, y := order(a), order(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
