// Package frame has transports that keep frames.
package frame

import (
	"github.com/ariadne-netcode/ariadne/session"
)

type field struct{ last []byte }

func (t *field) Send(_ session.ConnID, frame []byte) {
	t.last = frame // want `Send keeps the frame in t.last, and it is built in a buffer that is used again: copy it`
}

type queue struct {
	frames [][]byte
	n      int
}

func (q *queue) Send(_ session.ConnID, frame []byte) {
	q.n++
	q.frames = append(q.frames, frame) // want `Send keeps the frame in q.frames`
}

type part [][]byte

func (p *part) Send(_ session.ConnID, frame []byte) {
	body := frame[1:]
	*p = append(*p, body[:len(body)-1]) // want `Send keeps the frame in p`
}

type message struct {
	conn  session.ConnID
	frame []byte
}

type channel chan message

func (c channel) Send(conn session.ConnID, frame []byte) {
	c <- message{conn, frame} // want `Send keeps the frame in a channel`
}

type choosing struct{ out chan []byte }

func (c choosing) Send(conn session.ConnID, frame []byte) {
	select {
	case c.out <- frame: // want `Send keeps the frame in a channel`
	default:
	}
}

type perConn struct {
	last map[session.ConnID][]byte
}

func (p perConn) Send(conn session.ConnID, frame []byte) {
	p.last[conn] = frame // want `Send keeps the frame in p.last`
}

type slot struct{ frame []byte }

type slots struct {
	ring [8]slot
	at   int
	byID map[session.ConnID]*slot
}

func (s *slots) Send(conn session.ConnID, frame []byte) {
	s.ring[s.at].frame = frame // want `Send keeps the frame in s.ring\[...\].frame`
	if m, ok := s.byID[conn]; ok {
		m.frame = frame // want `Send keeps the frame for later`
	}
}

var last []byte

type global struct{}

func (global) Send(_ session.ConnID, frame []byte) {
	last = frame // want `Send keeps the frame in last`
}

type concurrent struct{ write func([]byte) }

func (c concurrent) Send(_ session.ConnID, frame []byte) {
	go c.write(frame) // want `Send keeps the frame in another goroutine`
}

type closing struct{ write func([]byte) }

func (c closing) Send(_ session.ConnID, frame []byte) {
	go func() { // want `Send keeps the frame in another goroutine`
		c.write(frame)
	}()
}

type later struct{ todo []func() }

func (l *later) Send(_ session.ConnID, frame []byte) {
	l.todo = append(l.todo, func() { l.write(frame) }) // want `Send keeps the frame in l.todo`
}

func (l *later) write([]byte) {}

type helped struct{ queue queue }

func (h *helped) Send(conn session.ConnID, frame []byte) {
	h.put(message{conn, frame}) // want `Send keeps the frame in h.queue.frames by calling put`
}

func (h *helped) put(m message) {
	h.queue.frames = append(h.queue.frames, m.frame)
}

type found struct{ peers []*slot }

func (f *found) peer(i int) *slot {
	if i < 0 {
		return nil
	}
	return f.peers[i]
}

func (f *found) Send(conn session.ConnID, frame []byte) {
	f.peer(int(conn)).frame = frame // want `Send keeps the frame for later`
}

type wrapping struct{ out []any }

func (w *wrapping) Send(conn session.ConnID, frame []byte) {
	w.out = append(w.out, &message{conn: conn, frame: frame}) // want `Send keeps the frame in w.out`
}

type deferring struct{ last []byte }

func (d *deferring) Send(conn session.ConnID, frame []byte) {
	defer func() {
		d.last = frame // want `Send keeps the frame in d.last, and`
	}()
}
