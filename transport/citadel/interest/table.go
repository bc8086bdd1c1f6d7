package interest

import "math/bits"

// table maps keys to numbers that are not zero. It is a hash table of its own, and not a map, so that insertions
// and removals that balance never allocate.
type table struct {
	entries []tableEntry // open addressing, linear probing; a power of two long
	used    int
}

type tableEntry struct {
	key   uint64
	value int32 // zero for a free entry
}

const leastTable = 16

// home returns where the search for a key begins.
func (t *table) home(key uint64) int {
	// The upper bits of the product depend on all bits of the key.
	return int(key * 0x9e3779b97f4a7c15 >> (65 - bits.Len(uint(len(t.entries)))))
}

// get returns the number of a key, or zero.
func (t *table) get(key uint64) int32 {
	if t.used == 0 {
		return 0
	}
	mask := len(t.entries) - 1
	for i := t.home(key); ; i = (i + 1) & mask {
		e := &t.entries[i]
		if e.value == 0 || e.key == key {
			return e.value
		}
	}
}

// put gives a key its number. There must be room for it: see reserve.
func (t *table) put(key uint64, value int32) {
	mask := len(t.entries) - 1
	for i := t.home(key); ; i = (i + 1) & mask {
		switch e := &t.entries[i]; {
		case e.value == 0:
			*e = tableEntry{key, value}
			t.used++
			return
		case e.key == key:
			e.value = value
			return
		}
	}
}

// remove takes a key away. What was pushed off its place by it, or by what is moved, moves up, so that no
// search ends too early.
func (t *table) remove(key uint64) {
	if t.get(key) == 0 {
		return
	}
	mask := len(t.entries) - 1
	free := t.home(key)
	for t.entries[free].key != key {
		free = (free + 1) & mask
	}
	for i := (free + 1) & mask; t.entries[i].value != 0; i = (i + 1) & mask {
		// The entry may move to the free place unless that lies before the entry's home.
		if (i-t.home(t.entries[i].key))&mask >= (i-free)&mask {
			t.entries[free] = t.entries[i]
			free = i
		}
	}
	t.entries[free] = tableEntry{}
	t.used--
}

// reserve makes room for n keys.
func (t *table) reserve(n int) {
	size := max(leastTable, len(t.entries))
	for size/4*3 < n {
		size *= 2
	}
	if size == len(t.entries) {
		return
	}
	old := t.entries
	*t = table{entries: make([]tableEntry, size)}
	for _, e := range old {
		if e.value != 0 {
			t.put(e.key, e.value)
		}
	}
}
