package journal

import (
	"fmt"
	"slices"
)

// CheckInvariants returns an error if the parts of m contradict each other.
func CheckInvariants(m *Memory) error {
	var live, inUse, refused, records int
	last := m.floor
	n := 0
	for s := m.changes.head; s != nil; s = s.links[byChange].next {
		n++
		if s.revision <= last || s.revision > m.revision {
			return fmt.Errorf("revision %d of %v after %d, journal is at %d", s.revision, s.header.Key, last, m.revision)
		}
		last = s.revision
		if s.live() {
			live++
		}
		if class := sizeClass(len(s.payload)); len(s.payload) > 0 && class <= maxClass {
			inUse += 1 << class
		}
		if s.author != m.authors[s.header.Key.Author] || s.author.lookup(s.header.Key) != s {
			return fmt.Errorf("%v is not found under its key", s.header.Key)
		}
		if next := s.links[byChange].next; next == nil && m.changes.tail != s {
			return fmt.Errorf("%v ends the chain but is not its tail", s.header.Key)
		}
	}
	if n != m.changes.len {
		return fmt.Errorf("%d records, counted %d", m.changes.len, n)
	}
	if inUse != m.buffers.inUse {
		return fmt.Errorf("%d buffer bytes in use, counted %d", m.buffers.inUse, inUse)
	}
	spare := 0
	for class, free := range m.buffers.free {
		spare += len(free) << class
	}
	if spare != m.buffers.spare || spare > inUse+spareAllowance {
		return fmt.Errorf("%d spare buffer bytes, counted %d, with %d in use", m.buffers.spare, spare, inUse)
	}
	if err := checkIndex(&m.byStep, live); err != nil {
		return fmt.Errorf("by step: %w", err)
	}
	if err := checkIndex(&m.byOrder, live); err != nil {
		return fmt.Errorf("by order: %w", err)
	}
	for id, a := range m.authors {
		size := 0
		for _, chunk := range a.records.chunks {
			size += len(chunk)
		}
		records += size
		if err := checkIndex(&a.records, size); err != nil {
			return fmt.Errorf("author %d: %w", id, err)
		}
		last, n := a.floor, 0
		for s := a.refused.head; s != nil; s = s.links[byRefusal].next {
			n++
			if s.admitted || s.author != a || s.revision <= last {
				return fmt.Errorf("author %d: %v is among the refused", id, s.header.Key)
			}
			last = s.revision
		}
		if n != a.refused.len {
			return fmt.Errorf("author %d: %d refused, counted %d", id, a.refused.len, n)
		}
		refused += n
		for _, l := range a.dropped {
			if err := checkSpans(l.spans); err != nil {
				return fmt.Errorf("author %d: %w", id, err)
			}
		}
	}
	if records != n {
		return fmt.Errorf("%d records, %d with authors", n, records)
	}
	for s := m.changes.head; s != nil; s = s.links[byChange].next {
		if !s.admitted {
			refused--
		}
	}
	if refused != 0 {
		return fmt.Errorf("%d refused too many", refused)
	}
	return nil
}

func checkIndex[O ordering](x *index[O], want int) error {
	var o O
	var all []entry
	for c, chunk := range x.chunks {
		if len(chunk) == 0 || len(chunk) > chunkSize || cap(chunk) != chunkSize {
			return fmt.Errorf("chunk %d has length %d, capacity %d", c, len(chunk), cap(chunk))
		}
		for i, e := range chunk[len(chunk):cap(chunk)] {
			if e.slot != nil {
				return fmt.Errorf("chunk %d still holds a slot %d beyond its end", c, i)
			}
		}
		if c > 0 && len(x.chunks[c-1])+len(chunk) <= chunkSize/2 {
			return fmt.Errorf("chunks %d and %d hold %d and %d", c-1, c, len(x.chunks[c-1]), len(chunk))
		}
		all = append(all, chunk...)
	}
	if len(all) != want {
		return fmt.Errorf("%d entries, want %d", len(all), want)
	}
	for i, e := range all {
		if e.rank != o.rank(e.slot) {
			return fmt.Errorf("entry %d is ranked %d, not %d", i, e.rank, o.rank(e.slot))
		}
		if i == 0 {
			continue
		}
		if p := all[i-1]; p.rank > e.rank || p.rank == e.rank && o.compareTied(p.slot, e.slot) >= 0 {
			return fmt.Errorf("entries %d and %d are out of order", i-1, i)
		}
	}
	return nil
}

func checkSpans(p spans) error {
	if len(p) > maxSpans {
		return fmt.Errorf("%d spans", len(p))
	}
	if slices.ContainsFunc(p, func(s span) bool { return s.first > s.last }) {
		return fmt.Errorf("reversed span in %v", p)
	}
	for i := 1; i < len(p); i++ {
		if p[i-1].last >= p[i].first-1 {
			return fmt.Errorf("spans %v overlap or touch", p[i-1:i+1])
		}
	}
	return nil
}
