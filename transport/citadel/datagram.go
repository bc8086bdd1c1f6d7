package citadel

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// SendDatagram queues an envelope for unreliable delivery. It does not retain body. When the queue is full the
// oldest datagram in it is dropped.
//
// A body that does not fit one packet of the path now is refused with a [DatagramTooLargeError], or sent
// reliably if Config.DatagramFallback says so; about 1090 bytes always fit. Over a link that carries no
// datagrams at all, such as a WebSocket, everything is sent reliably. What is sent reliably leaves at once, and
// arrives as a [Frame] event; it is dropped if more than 64 KiB are queued already. All that is counted: see
// [Stats].
//
// A closed connection answers with its [CloseError], and the kinds of the transport are [ErrReservedKind].
func (c *Conn) SendDatagram(kind wire.Kind, body []byte) error {
	if c.reserved(kind) {
		return ErrReservedKind
	}
	if err := c.Err(); err != nil {
		return err
	}
	if size := int64(wire.KindBytes + len(body)); size > c.maxDatagram.Load() {
		limit := c.measure()
		switch {
		case limit == 0, size > limit && c.cfg.DatagramFallback:
			return c.sendReliably(kind, body)
		case size > limit:
			return &DatagramTooLargeError{Size: len(body), Max: int(limit) - wire.KindBytes}
		}
	}
	if c.unsent.push(kind, body) {
		c.counters.outboundDatagrams.Add(1)
	}
	return nil
}

// MaxDatagram returns the length in bytes of the longest body that [Conn.SendDatagram] would send as a
// datagram now. It changes as more is learned of the path, and with the path. Zero means that the link carries
// no datagrams.
func (c *Conn) MaxDatagram() int { return max(0, int(c.measure())-wire.KindBytes) }

// sendReliably sends what cannot be a datagram.
func (c *Conn) sendReliably(kind wire.Kind, body []byte) error {
	queued, err := c.out.offer(kind, body)
	switch {
	case err != nil:
		return c.sent(err)
	case queued:
		c.counters.datagramsReliable.Add(1)
	default:
		c.counters.outboundDatagrams.Add(1)
	}
	return nil
}

// measure asks the link what it carries now, kind included.
func (c *Conn) measure() int64 {
	limit := int64(c.link.MaxDatagram())
	c.maxDatagram.Store(limit)
	return limit
}

// writeDatagrams hands queued datagrams to the link, whose own queue may block, until there are no more. The
// queue starts it again; there is never more than one.
func (c *Conn) writeDatagrams() {
	for {
		b, ok := c.unsent.pop()
		if !ok {
			return
		}
		err := c.link.SendDatagram(b)
		switch _, tooLarge := errors.AsType[*DatagramTooLargeError](err); {
		case tooLarge:
			c.outgrown(b)
		case err != nil:
			return // the connection is going, and the queue may believe that somebody sends
		default:
			c.counters.datagramsOut.Add(1)
		}
	}
}

// outgrown deals with a datagram for which the path has become too narrow while it was queued.
func (c *Conn) outgrown(b []byte) {
	c.maxDatagram.Store(0)
	if e, err := wire.ParseDatagram(b); err == nil && c.cfg.DatagramFallback {
		_ = c.sendReliably(e.Kind, e.Body) // only the end of the connection makes it fail
		return
	}
	c.counters.oversizedDatagrams.Add(1)
}

// settle bounds the search for datagrams that QUIC had received before the handshake was over.
const settle = time.Millisecond

// readDatagrams delivers datagrams once the handshake has succeeded.
func (c *Conn) readDatagrams() {
	if c.listener != nil {
		c.dropEarlyDatagrams()
		close(c.admitted)
	} else {
		// What comes together with the result waits for it in QUIC's queue.
		select {
		case <-c.opened:
		case <-c.link.Context().Done():
		}
	}
	for {
		b, err := c.link.ReceiveDatagram(c.link.Context())
		if err != nil {
			return
		}
		c.receiveDatagram(b)
	}
}

// dropEarlyDatagrams throws away what a client sends before its handshake is over, and what QUIC has received
// and still holds when it is.
func (c *Conn) dropEarlyDatagrams() {
	for {
		if _, err := c.link.ReceiveDatagram(c.preAuth); err != nil {
			break
		}
		c.counters.preAuthDatagrams.Add(1)
	}
	for range maxPreAuthDatagrams {
		ctx, cancel := context.WithTimeout(c.link.Context(), settle)
		_, err := c.link.ReceiveDatagram(ctx)
		cancel()
		if err != nil {
			return
		}
		c.counters.preAuthDatagrams.Add(1)
	}
}

// QUIC holds back 128 datagrams at most.
const maxPreAuthDatagrams = 128

func (c *Conn) receiveDatagram(b []byte) {
	e, err := wire.ParseDatagram(b)
	switch {
	case c.phase.Load() == phaseHandshake:
		c.counters.preAuthDatagrams.Add(1) // it came while the answer was being written
	case err != nil:
		c.counters.malformedDatagrams.Add(1)
	case e.Kind == wire.KindAuth:
		_ = c.refuseSecondAuth() // datagrams are read on, for nobody
	case e.Kind == wire.KindAuthResult, e.Kind == wire.KindGoodbye:
		c.counters.strayAuth.Add(1)
	case !c.in.putDatagram(c, e):
		c.counters.inboundDatagrams.Add(1)
	default:
		c.counters.datagramsIn.Add(1)
	}
}

// datagramQueue is a ring of datagrams in which the newest push out the oldest.
type datagramQueue struct {
	start func() // starts a sender

	mu      sync.Mutex
	running bool     // there is a sender
	ring    [][]byte // made when there is something to put into it
	size    int
	head    int
	n       int
	taken   []byte // what the sender holds
}

func (q *datagramQueue) init(size int, start func()) {
	q.size, q.start = size, start
}

// push queues a datagram and reports whether another had to go for it.
func (q *datagramQueue) push(kind wire.Kind, body []byte) (dropped bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring == nil {
		q.ring = make([][]byte, q.size)
	}
	if dropped = q.n == len(q.ring); dropped {
		q.head = (q.head + 1) % len(q.ring)
		q.n--
	}
	slot := &q.ring[(q.head+q.n)%len(q.ring)]
	*slot = wire.AppendDatagram((*slot)[:0], kind, body)
	q.n++
	if !q.running {
		q.running = true
		q.start()
	}
	return dropped
}

// pop returns the oldest datagram, valid until the next call, or false if there is none; the sender then ends.
func (q *datagramQueue) pop() ([]byte, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		q.running = false
		return nil, false
	}
	slot := &q.ring[q.head]
	q.taken, *slot = *slot, q.taken
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return q.taken, true
}

func (q *datagramQueue) queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}
