package replica

import (
	"iter"
	"math/bits"
)

// Fields is a set of fields of a class: bit i%64 of word i/64 says whether field i is in it. The length is fixed by
// the class.
type Fields []uint64

// NewFields returns an empty set for a class of n fields.
func NewFields(n int) Fields { return make(Fields, (n+63)/64) }

// Has reports whether a field is in the set.
func (f Fields) Has(i int) bool {
	return uint(i)/64 < uint(len(f)) && f[uint(i)/64]>>(uint(i)%64)&1 != 0
}

// Add puts a field into the set. It panics if the class has no such field.
func (f Fields) Add(i int) { f[uint(i)/64] |= 1 << (uint(i) % 64) }

// AddAll puts the first n fields into the set.
func (f Fields) AddAll(n int) {
	for i := range f {
		switch left := n - 64*i; {
		case left >= 64:
			f[i] = ^uint64(0)
		case left > 0:
			f[i] |= 1<<uint(left) - 1
		}
	}
}

// Remove takes a field out of the set.
func (f Fields) Remove(i int) {
	if uint(i)/64 < uint(len(f)) {
		f[uint(i)/64] &^= 1 << (uint(i) % 64)
	}
}

// Clear empties the set.
func (f Fields) Clear() { clear(f) }

// Empty reports whether nothing is in the set.
func (f Fields) Empty() bool {
	for _, word := range f {
		if word != 0 {
			return false
		}
	}
	return true
}

// Len returns how many fields are in the set.
func (f Fields) Len() (n int) {
	for _, word := range f {
		n += bits.OnesCount64(word)
	}
	return n
}

// All yields the fields of the set in ascending order.
func (f Fields) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range f {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
