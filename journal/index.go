package journal

import (
	"iter"
	"slices"
)

// chunkSize is how many entries a chunk of an index holds. Inserting moves half a chunk at most, and once per
// half chunk the list of chunks, which is short: some 16,000 for a million records in the worst order.
const chunkSize = 128

// index keeps slots sorted by O, in chunks of bounded size.
//
// No chunk is empty, and each sorts before the next. Records mostly arrive at the end, so searches start
// there and work backward in growing strides: they cost the logarithm of the distance from the end. Other
// orders of arrival, which peers can provoke, cost no more than moving what chunkSize says.
type index[O ordering] struct {
	chunks [][]entry
}

// entry is a slot with its rank beside it, so that a search reads few slots.
type entry struct {
	rank uint64
	slot *slot
}

// insert adds s, which must not be in the index.
func (x *index[O]) insert(s *slot, pool *chunks) {
	var o O
	e := entry{o.rank(s), s}
	c, i := x.find(e)
	if c == len(x.chunks) {
		// At the end a full chunk is left full, so that records arriving in order pack densely.
		if c == 0 || len(x.chunks[c-1]) == chunkSize {
			x.chunks = append(x.chunks, append(pool.take(), e))
			return
		}
		x.chunks[c-1] = append(x.chunks[c-1], e)
		return
	}
	if len(x.chunks[c]) == chunkSize {
		x.split(c, pool)
		if i > chunkSize/2 {
			c, i = c+1, i-chunkSize/2
		}
	}
	x.chunks[c] = slices.Insert(x.chunks[c], i, e)
}

// split moves the upper half of the full chunk c to a new chunk after it.
func (x *index[O]) split(c int, pool *chunks) {
	lower, upper := x.chunks[c][:chunkSize/2], x.chunks[c][chunkSize/2:]
	moved := append(pool.take(), upper...)
	clear(upper)
	x.chunks[c] = lower
	x.chunks = slices.Insert(x.chunks, c+1, moved)
}

// remove takes s, which must be in the index, out of it.
func (x *index[O]) remove(s *slot, pool *chunks) {
	var o O
	c, i := x.find(entry{o.rank(s), s})
	x.chunks[c] = slices.Delete(x.chunks[c], i, i+1)
	if len(x.chunks[c]) == 0 {
		x.discard(c, pool)
		return
	}
	// Two neighbours that would fit in half a chunk are joined, so that no order of removals leaves the index
	// holding many nearly empty chunks.
	x.join(c, pool)
	if c > 0 {
		x.join(c-1, pool)
	}
}

// join merges chunk c+1 into chunk c if both together are small.
func (x *index[O]) join(c int, pool *chunks) {
	if c+1 >= len(x.chunks) || len(x.chunks[c])+len(x.chunks[c+1]) > chunkSize/2 {
		return
	}
	x.chunks[c] = append(x.chunks[c], x.chunks[c+1]...)
	x.discard(c+1, pool)
}

// discard removes chunk c from the list of chunks.
func (x *index[O]) discard(c int, pool *chunks) {
	pool.give(x.chunks[c])
	x.chunks = slices.Delete(x.chunks, c, c+1)
}

// find returns the position of e, or the one at which it belongs.
func (x *index[O]) find(e entry) (c, i int) {
	var o O
	reached := func(t entry) bool {
		if t.rank != e.rank {
			return t.rank > e.rank
		}
		return o.compareTied(t.slot, e.slot) >= 0
	}
	// Compaction removes records at the beginning, from where the search would otherwise be furthest away.
	if len(x.chunks) > 1 {
		if first := x.chunks[0]; reached(first[len(first)-1]) {
			return 0, seek(len(first), func(i int) bool { return reached(first[i]) })
		}
	}
	return x.seek(reached)
}

// seek returns the position of the first entry that reached reports true for; reached must not turn false
// again further on. Without such an entry the position is that of the chunk after the last.
func (x *index[O]) seek(reached func(entry) bool) (c, i int) {
	c = seek(len(x.chunks), func(c int) bool {
		chunk := x.chunks[c]
		return reached(chunk[len(chunk)-1])
	})
	if c == len(x.chunks) {
		return c, 0
	}
	chunk := x.chunks[c]
	return c, seek(len(chunk), func(i int) bool { return reached(chunk[i]) })
}

// reaching returns the position of the first entry of at least this rank.
func (x *index[O]) reaching(rank uint64) (c, i int) {
	return x.seek(func(e entry) bool { return e.rank >= rank })
}

// above returns the position of the first entry of a higher rank than this.
func (x *index[O]) above(rank uint64) (c, i int) {
	return x.seek(func(e entry) bool { return e.rank > rank })
}

// from yields the slots from a position on.
func (x *index[O]) from(c, i int) iter.Seq[*slot] {
	return func(yield func(*slot) bool) {
		for ; c < len(x.chunks); c, i = c+1, 0 {
			for _, e := range x.chunks[c][i:] {
				if !yield(e.slot) {
					return
				}
			}
		}
	}
}

// seek returns the smallest i in [0, n) for which reached(i) holds, or n. Where sort.Search begins in the
// middle, it begins at the end.
func seek(n int, reached func(int) bool) int {
	low, high := 0, n
	for stride := 1; stride <= high; stride *= 2 {
		if !reached(high - stride) {
			low = high - stride + 1
			break
		}
		high -= stride
	}
	for low < high {
		if mid := low + (high-low)/2; reached(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// chunks keeps the chunks that indexes do not use at the moment.
type chunks struct {
	free [][]entry
}

// take returns an empty chunk.
func (p *chunks) take() []entry {
	last := len(p.free) - 1
	if last < 0 {
		return make([]entry, 0, chunkSize)
	}
	chunk := p.free[last]
	p.free[last] = nil
	p.free = p.free[:last]
	return chunk
}

// give takes back a chunk that [chunks.take] returned.
func (p *chunks) give(chunk []entry) {
	clear(chunk)
	p.free = append(p.free, chunk[:0])
}
