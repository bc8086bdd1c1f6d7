// Package quiet does nothing wrong.
package quiet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
)

type Paint struct {
	Brush  uint8
	Name   string
	Pixels []uint16
	Names  []string
}

type game struct {
	pixels  []uint16
	name    string
	names   []string
	brushes map[netcode.AuthorID]uint8
	paint   Paint
	moves   []Move
	key     netcode.Key
	seed    uint64
	later   func() string
}

// Without Shared, a payload that holds pointers is decoded afresh for every execution.
var options = registry.Options[Paint]{}

func (g *game) painting() session.Handlers[Paint] {
	return session.Handlers[Paint]{
		Validate: func(c netcode.Command[Paint], _ netcode.Step) error {
			g.name = c.Payload.Name
			g.brushes[c.Header.Key.Author] = c.Payload.Brush
			g.pixels = append(g.pixels[:0], c.Payload.Pixels...)
			g.names = slices.Clone(c.Payload.Names)
			key := c.Header.Key
			g.later = func() string { return key.String() }
			sorted := map[string][]uint16{"": c.Payload.Pixels}
			if len(sorted) == 0 {
				return &refusal{pixels: c.Payload.Pixels}
			}
			return check(c.Payload.Pixels)
		},
		Mutate: func(c *netcode.Command[Paint], prep *netcode.Preparation) error {
			c.Payload.Pixels = c.Payload.Pixels[:len(c.Payload.Pixels)/2]
			c.Payload.Names = append(c.Payload.Names, "more")
			p := &c.Payload
			p.Names[0] = "first"
			limit(p)
			g.seed = prep.NextSeed()
			g.key = c.Header.Key
			return nil
		},
		Execute: func(c netcode.Command[Paint]) {
			g.pixels = c.Payload.Pixels
			g.paint = c.Payload
		},
	}
}

type refusal struct{ pixels []uint16 }

func (r *refusal) Error() string { return fmt.Sprint(r.pixels) }

func check(pixels []uint16) error {
	for _, p := range pixels {
		if p == 0 {
			return errors.New("black")
		}
	}
	return nil
}

func limit(p *Paint) { p.Pixels = p.Pixels[:min(len(p.Pixels), 10)] }

type Move struct {
	Dir  uint8
	Path [4]uint8
}

// Move refers to nothing, so copies of it are independent.
func (g *game) moving() session.Handlers[Move] {
	return session.Handlers[Move]{
		Mutate: func(c *netcode.Command[Move], _ *netcode.Preparation) error {
			g.moves = append(g.moves, c.Payload)
			payload := c.Payload
			g.later = func() string { return string(payload.Path[:]) }
			return nil
		},
		Execute: func(c netcode.Command[Move]) {
			g.moves = append(g.moves, c.Payload)
			p := &c.Payload
			p.Dir++
		},
	}
}

// Transports that copy, or pass on to somebody who does.

type queue struct {
	frames [][]byte
	all    []byte
	sizes  map[int]int
	text   string
	w      io.Writer
	next   session.Transport
	out    chan []byte
	n      int
}

func (q *queue) Send(conn session.ConnID, frame []byte) {
	q.frames = append(q.frames, bytes.Clone(frame))
	q.frames = append(q.frames, append([]byte(nil), frame...))
	q.frames = append(q.frames, append(frame[:0:0], frame...))
	q.all = append(q.all, frame...)
	q.frames[0] = append(q.frames[0][:0], frame...)
	q.sizes[len(frame)]++
	q.text = string(frame)
	_, _ = q.w.Write(frame)
	q.next.Send(conn, frame)
	q.out <- slices.Clone(frame)
	copied := make([]byte, len(frame))
	copy(copied, frame)
	go q.write(copied)
	q.n += count(frame)
	local := [][]byte{frame, frame[1:]}
	for _, part := range local {
		q.n += len(part)
	}
	m := message{conn, frame}
	q.put(m)
}

type message struct {
	conn  session.ConnID
	frame []byte
}

func (q *queue) put(m message) {
	m.frame = bytes.Clone(m.frame)
	q.frames = append(q.frames, []byte{m.frame[0]})
}

func (q *queue) write([]byte) {}

func count(b []byte) (n int) {
	for range b {
		n++
	}
	return n
}

type borrowing struct {
	frame []byte
	other [][]byte
}

func (b *borrowing) Send(_ session.ConnID, frame []byte) {
	b.frame = frame
	defer func() { b.frame = nil }()
	b.use()
}

func (b *borrowing) use() {}

type recycling struct{ free, queue [][]byte }

func (r *recycling) Send(_ session.ConnID, frame []byte) {
	var b []byte
	if n := len(r.free); n > 0 {
		b, r.free = r.free[n-1], r.free[:n-1]
	}
	b = append(b[:0], frame...)
	r.queue = append(r.queue, b)
}

// Send methods of others.

type mailer struct{ last []byte }

func (m *mailer) Send(to string, body []byte) { m.last = body }

// Decoders that copy.

type Say struct {
	Text  string
	Bytes []byte
	Fixed [4]byte
	Words []string
	r     reader
}

func (s *Say) UnmarshalBinary(data []byte) error {
	r := reader{rest: data, to: s}
	s.Text = string(r.take(2))
	s.Bytes = append(s.Bytes[:0], r.take(3)...)
	s.Fixed = [4]byte(r.take(4))
	copy(s.Fixed[:], data)
	s.Words = strings.Fields(string(data))
	other := r.to
	other.Text = "x"
	s.r = reader{rest: data}
	s.r.take(1)
	s.r = reader{}
	if binary.LittleEndian.Uint16(data) == 0 {
		return fmt.Errorf("zero in %x", data)
	}
	return json.Unmarshal(data, &s.Words)
}

type reader struct {
	rest []byte
	to   *Say
}

func (r *reader) take(n int) []byte {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}
