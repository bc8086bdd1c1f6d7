package citadel

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// EventKind says what an [Event] reports. The zero value is none.
type EventKind uint8

// The kinds of events. A connection's first event is Opened and its last one is Closed.
const (
	Opened   EventKind = iota + 1 // the handshake succeeded
	Session                       // a session frame, put together again if it came in parts
	Frame                         // any other reliable envelope, known to somebody or not
	Datagram                      // an unreliable envelope
	Closed                        // the connection is over; Err says why
	Progress                      // more of a long session frame has arrived; Received and Total say how much
)

var eventKindNames = [...]string{"none", "opened", "session", "frame", "datagram", "closed", "progress"}

// String returns the kind's name.
func (k EventKind) String() string {
	if int(k) >= len(eventKindNames) {
		return "unknown"
	}
	return eventKindNames[k]
}

// Event is one thing that happened on a connection.
type Event struct {
	Kind EventKind
	Conn *Conn

	// Envelope is set in Session, Frame and Datagram events. Its body is borrowed: it is valid until the
	// function that got the event returns.
	Envelope wire.Envelope

	// Received and Total are set in Progress events: how much of a session frame that is sent in parts has
	// arrived, in bytes. That is reported for frames of at least 256 KiB, and no more than once for each time
	// the inbox is drained. When the frame is complete, a Session event follows; a frame that never will be
	// complete ends with its connection.
	Received, Total int

	// Err is set in Closed events, and is then a [*CloseError].
	Err error
}

// minProgress is the size in bytes from which progress is reported.
const minProgress = 256 << 10

// Inbox collects the events of any number of connections until the game loop takes them. What one connection
// may have in it is bounded by its configuration; its other connections do not notice when one is full.
//
// Connections put events in from their own goroutines. Only one goroutine should take them out.
type Inbox struct {
	notify   chan struct{} // ready has become non-empty
	draining atomic.Bool

	mu    sync.Mutex
	ready []*Conn // connections with events, in the order in which they got their first one
	spare []*Conn
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{notify: make(chan struct{}, 1)} }

// Drain calls fn for everything that was in the inbox when Drain was called, on the caller's goroutine, and
// returns the number of events. The events of a connection come in order and without those of others in
// between; connections come in the order in which they first had something to report.
//
// fn may send on connections and close them. Drain within Drain does nothing and returns 0, and so does a call
// that overlaps another.
func (in *Inbox) Drain(fn func(Event)) int {
	if !in.draining.CompareAndSwap(false, true) {
		return 0
	}
	in.mu.Lock()
	ready := in.ready
	in.ready, in.spare = in.spare[:0], nil
	in.mu.Unlock()

	n, done := 0, 0
	defer func() {
		in.mu.Lock()
		// Only if fn panicked is there a rest, which must not be forgotten.
		in.ready = append(in.ready, ready[done:]...)
		clear(ready)
		in.spare = ready[:0]
		in.mu.Unlock()
		in.draining.Store(false)
	}()
	for done < len(ready) {
		c := ready[done]
		done++
		n += c.in.drain(c, fn)
	}
	return n
}

// Wait blocks until there is something to drain, or returns the context's error.
func (in *Inbox) Wait(ctx context.Context) error {
	for {
		in.mu.Lock()
		n := len(in.ready)
		in.mu.Unlock()
		if n > 0 {
			return nil
		}
		select {
		case <-in.notify:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add notes that a connection has something to report.
func (in *Inbox) add(c *Conn) {
	in.mu.Lock()
	in.ready = append(in.ready, c)
	in.mu.Unlock()
	select {
	case in.notify <- struct{}{}:
	default:
	}
}

const (
	eventOverhead = 64 // what an event counts beside its body

	// A buffer that a burst has grown beyond this is given back after draining.
	maxIdleArena  = 256 << 10
	maxIdleEvents = 4096
)

// inQueue is a connection's share of the inbox. Bodies are copied into an arena; a body that the queue owns is
// taken as it is.
type inQueue struct {
	limit        int
	maxDatagrams int

	mu          sync.Mutex
	space       sync.Cond // there is room again, or nobody shall wait any more
	events      []queuedEvent
	arena       []byte
	spareEvents []queuedEvent
	spareArena  []byte
	cost        int  // of everything queued or being handled
	datagrams   int  // of those the datagrams
	progressed  int  // where in events progress is reported, plus 1
	listed      bool // the inbox knows
	opened      bool
	closed      bool // Closed was queued: nothing comes after it
	hurry       bool // do not wait for room any more
}

type queuedEvent struct {
	kind     EventKind
	envelope wire.Kind
	off, n   int    // the body in the arena
	owned    []byte // or the body itself
	total    int    // of a Progress event; n is what has been received
	err      error
}

// event makes an event of it.
func (e *queuedEvent) event(c *Conn, arena []byte) Event {
	ev := Event{Kind: e.kind, Conn: c, Err: e.err}
	switch {
	case e.kind == Progress:
		ev.Received, ev.Total = e.n, e.total
	case e.owned != nil:
		ev.Envelope = wire.Envelope{Kind: e.envelope, Body: e.owned}
	default:
		ev.Envelope = wire.Envelope{Kind: e.envelope, Body: arena[e.off : e.off+e.n : e.off+e.n]}
	}
	return ev
}

// cost is what an event counts against the limits.
func (e *queuedEvent) cost() int {
	if e.kind == Progress {
		return 0 // there is only one of them
	}
	return e.n + eventOverhead
}

func (q *inQueue) init(cfg *Config) {
	q.limit, q.maxDatagrams = cfg.InboundBytes, cfg.InboundDatagrams
	q.space.L = &q.mu
}

// put queues an envelope, and waits for room first. It returns false if the envelope was dropped because the
// connection is over. owned says that the queue may keep the body; else it is copied.
func (q *inQueue) put(c *Conn, kind EventKind, e wire.Envelope, owned bool) bool {
	cost := len(e.Body) + eventOverhead
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed && q.cost > 0 && q.cost+cost > q.limit {
		if q.hurry {
			return false
		}
		q.space.Wait()
	}
	if q.closed {
		return false
	}
	q.add(c, kind, e, owned)
	return true
}

// putDatagram queues a datagram if there is room.
func (q *inQueue) putDatagram(c *Conn, e wire.Envelope) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.datagrams >= q.maxDatagrams {
		return false
	}
	q.datagrams++
	q.add(c, Datagram, e, true)
	return true
}

// progress reports how far a frame has arrived, in the place of an earlier report that nobody has seen yet.
func (q *inQueue) progress(c *Conn, received, total int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return
	case q.progressed > 0:
		e := &q.events[q.progressed-1]
		e.n, e.total = received, total
		return
	}
	q.events = append(q.events, queuedEvent{kind: Progress, n: received, total: total})
	q.progressed = len(q.events)
	q.list(c)
}

// open queues the Opened event.
func (q *inQueue) open(c *Conn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.opened = true
	q.add(c, Opened, wire.Envelope{}, false)
}

// close queues the Closed event, if there was an Opened one, and lets nothing follow it.
func (q *inQueue) close(c *Conn, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	if q.opened {
		q.events = append(q.events, queuedEvent{kind: Closed, err: err})
		q.cost += eventOverhead
		q.list(c)
	}
	q.space.Broadcast()
}

// release makes those who wait for room give up.
func (q *inQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hurry = true
	q.space.Broadcast()
}

// add is called with mu held.
func (q *inQueue) add(c *Conn, kind EventKind, e wire.Envelope, owned bool) {
	ev := queuedEvent{kind: kind, envelope: e.Kind, n: len(e.Body)}
	if owned {
		ev.owned = e.Body
	} else {
		ev.off = len(q.arena)
		q.arena = append(q.arena, e.Body...)
	}
	q.events = append(q.events, ev)
	q.cost += len(e.Body) + eventOverhead
	q.list(c)
}

func (q *inQueue) list(c *Conn) {
	if !q.listed {
		q.listed = true
		c.cfg.Inbox.add(c)
	}
}

// queued returns the bytes that count against the limit, and the datagrams.
func (q *inQueue) queued() (bytes, datagrams int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cost, q.datagrams
}

// drain hands the queued events to fn.
func (q *inQueue) drain(c *Conn, fn func(Event)) int {
	q.mu.Lock()
	events, arena := q.events, q.arena
	q.events, q.arena = q.spareEvents[:0], q.spareArena[:0]
	q.spareEvents, q.spareArena = nil, nil
	q.listed = false
	q.progressed = 0
	q.mu.Unlock()

	defer q.recycle(events, arena)
	for i := range events {
		fn(events[i].event(c, arena))
	}
	return len(events)
}

func (q *inQueue) recycle(events []queuedEvent, arena []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range events {
		q.cost -= events[i].cost()
		if events[i].kind == Datagram {
			q.datagrams--
		}
	}
	clear(events)
	if cap(events) <= maxIdleEvents {
		q.spareEvents = events[:0]
	}
	if cap(arena) <= maxIdleArena {
		q.spareArena = arena[:0]
	}
	q.space.Broadcast()
}
