package netem

import "time"

// A packet under way.
type packet struct {
	at     time.Time
	number uint64 // order of arrival over both directions; breaks ties
	dir    direction
	peer   *peer
	data   []byte
}

// A queue is a heap of packets by departure, and a stock of buffers.
type queue struct {
	heap []packet
	free [][]byte
}

func (q *queue) before(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	if a.at.Equal(b.at) {
		return a.number < b.number
	}
	return a.at.Before(b.at)
}

func (q *queue) push(p packet) {
	q.heap = append(q.heap, p)
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.before(i, parent) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

func (q *queue) pop() packet {
	p := q.heap[0]
	n := len(q.heap) - 1
	q.heap[0], q.heap[n] = q.heap[n], packet{}
	q.heap = q.heap[:n]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2; child++ {
			if child < n && q.before(child, least) {
				least = child
			}
		}
		if least == i {
			return p
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// buffer returns a copy of b in a recycled buffer.
func (q *queue) buffer(b []byte) []byte {
	var buf []byte
	if n := len(q.free); n > 0 {
		buf, q.free = q.free[n-1], q.free[:n-1]
	}
	return append(buf[:0], b...)
}

// maxFree bounds the stock: a burst should not stay in memory for ever.
const maxFree = 512

func (q *queue) recycle(buf []byte) {
	if len(q.free) < maxFree {
		q.free = append(q.free, buf)
	}
}
