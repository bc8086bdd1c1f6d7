package schema

import (
	"cmp"
	"fmt"
	"slices"
)

// History is the current layout of a class and the older ones that are still accepted. It is immutable after
// construction and safe for concurrent use.
type History struct {
	entries []entry // by falling version; the first is the current layout
	least   uint32
}

type entry struct {
	id     Identity
	layout Layout
}

// NewHistory returns the history of a class whose layouts of a version below minimum are refused. Every older
// layout must have a version of its own, lower than that of the current one and not below the minimum, and its
// properties must be the first of the current one's: [Layout.Extends]. The order in which they are given does not
// matter.
//
// NewHistory returns [ErrTooManyFields], [ErrVersion], [ErrNotPrefix], or [ErrTooOld] for a layout below the
// minimum. It copies the tables of properties.
func NewHistory(minimum uint32, current Layout, older ...Layout) (*History, error) {
	h := &History{least: minimum}
	for i, l := range append([]Layout{current}, older...) {
		if l.Version < minimum {
			return nil, fmt.Errorf("layout %d: %w: %d, the minimum is %d", i, ErrTooOld, l.Version, minimum)
		}
		if i > 0 {
			if err := current.Extends(l); err != nil {
				return nil, err
			}
		}
		id, err := l.Identity()
		if err != nil {
			return nil, err
		}
		l.Properties = slices.Clone(l.Properties)
		h.entries = append(h.entries, entry{id: id, layout: l})
	}
	slices.SortFunc(h.entries, func(a, b entry) int { return cmp.Compare(b.id.Version, a.id.Version) })
	for i := 1; i < len(h.entries); i++ {
		if v := h.entries[i].id.Version; v == h.entries[i-1].id.Version {
			return nil, fmt.Errorf("%w: two layouts of version %d", ErrVersion, v)
		}
	}
	return h, nil
}

// Len returns the number of layouts, the current one included.
func (h *History) Len() int { return len(h.entries) }

// Layout returns the layout at a place below Len: 0 is the current one, after it come the older ones by falling
// version. Its properties are shared and must not be changed.
func (h *History) Layout(i int) Layout { return h.entries[i].layout }

// Identity returns the identity of the layout at a place below Len.
func (h *History) Identity(i int) Identity { return h.entries[i].id }

// Minimum returns the lowest version that is accepted.
func (h *History) Minimum() uint32 { return h.least }

// Index returns the place of the layout that a state with this identity is to be decoded with, so that a caller
// can keep what it makes of each layout in a slice. It returns [ErrTooOld] for a version below the minimum,
// [ErrTooNew] for one above the current one and [ErrUnknownSchema] for any other identity that is not of the
// history. It does not allocate.
func (h *History) Index(id Identity) (int, error) {
	switch {
	case id.Version < h.least:
		return 0, ErrTooOld
	case id.Version > h.entries[0].id.Version:
		return 0, ErrTooNew
	}
	i, found := slices.BinarySearchFunc(h.entries, id.Version, func(e entry, v uint32) int {
		return cmp.Compare(v, e.id.Version)
	})
	if !found || h.entries[i].id != id {
		return 0, ErrUnknownSchema
	}
	return i, nil
}

// Lookup returns the layout that a state with this identity is to be decoded with, as [History.Index] and
// [History.Layout] do.
func (h *History) Lookup(id Identity) (Layout, error) {
	i, err := h.Index(id)
	if err != nil {
		return Layout{}, err
	}
	return h.Layout(i), nil
}
