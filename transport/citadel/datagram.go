package citadel

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// QUIC promises packets of 1200 bytes; a datagram of this size fits one whatever the path. Larger ones may fit
// too, which only QUIC knows.
const safeDatagram = 1100

// oversized is a datagram that fits no packet. QUIC refuses it before looking at it and says in the error what
// would fit.
var oversized [1 << 17]byte

// SendDatagram queues an envelope for unreliable delivery. It does not retain body. When the queue is full the
// oldest datagram in it is dropped.
//
// A body that does not fit one packet of the path is refused with a [DatagramTooLargeError]; about 1100 bytes
// always fit. A peer that takes no datagrams is [ErrDatagramsUnsupported], a closed connection answers with
// its [CloseError], and the kinds of the transport are [ErrReservedKind].
func (c *Conn) SendDatagram(kind wire.Kind, body []byte) error {
	switch kind {
	case wire.KindAuth, wire.KindAuthResult, wire.KindGoodbye:
		return ErrReservedKind
	}
	if err := c.Err(); err != nil {
		return err
	}
	size := wire.KindBytes + len(body)
	if size > safeDatagram && int64(size) > c.maxDatagram.Load() {
		limit := c.datagramLimit()
		c.maxDatagram.Store(int64(limit))
		if size > limit {
			return &DatagramTooLargeError{Size: len(body), Max: limit - wire.KindBytes}
		}
	}
	if !c.datagrams {
		return ErrDatagramsUnsupported
	}
	if c.unsent.push(kind, body) {
		c.counters.outboundDatagrams.Add(1)
	}
	return nil
}

// datagramLimit asks QUIC what the path carries now, kind included.
func (c *Conn) datagramLimit() int {
	if e, ok := errors.AsType[*quic.DatagramTooLargeError](c.qc.SendDatagram(oversized[:])); ok {
		return int(e.MaxDatagramPayloadSize)
	}
	return safeDatagram
}

// writeDatagrams hands queued datagrams to QUIC, whose own queue may block.
func (c *Conn) writeDatagrams() {
	var buf []byte
	for {
		var ok bool
		if buf, ok = c.unsent.pop(buf, c.ctx.Done()); !ok {
			return
		}
		err := c.qc.SendDatagram(buf)
		if _, tooLarge := errors.AsType[*quic.DatagramTooLargeError](err); tooLarge {
			c.maxDatagram.Store(0) // the path has changed
			c.counters.oversizedDatagrams.Add(1)
			continue
		}
		if err != nil {
			return // the connection is going
		}
		c.counters.datagramsOut.Add(1)
	}
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
		case <-c.ctx.Done():
		}
	}
	for {
		b, err := c.qc.ReceiveDatagram(c.ctx)
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
		if _, err := c.qc.ReceiveDatagram(c.preAuth); err != nil {
			break
		}
		c.counters.preAuthDatagrams.Add(1)
	}
	for range maxPreAuthDatagrams {
		ctx, cancel := context.WithTimeout(c.ctx, settle)
		_, err := c.qc.ReceiveDatagram(ctx)
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
	wake chan struct{}

	mu   sync.Mutex
	ring [][]byte
	head int
	n    int
}

func (q *datagramQueue) init(size int) {
	q.ring = make([][]byte, size)
	q.wake = make(chan struct{}, 1)
}

// push queues a datagram and reports whether another had to go for it.
func (q *datagramQueue) push(kind wire.Kind, body []byte) (dropped bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if dropped = q.n == len(q.ring); dropped {
		q.head = (q.head + 1) % len(q.ring)
		q.n--
	}
	slot := &q.ring[(q.head+q.n)%len(q.ring)]
	*slot = wire.AppendDatagram((*slot)[:0], kind, body)
	q.n++
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return dropped
}

// pop waits for a datagram and returns it in buf, or false if done was closed first.
func (q *datagramQueue) pop(buf []byte, done <-chan struct{}) ([]byte, bool) {
	for {
		q.mu.Lock()
		if q.n > 0 {
			buf = append(buf[:0], q.ring[q.head]...)
			q.head = (q.head + 1) % len(q.ring)
			q.n--
			q.mu.Unlock()
			return buf, true
		}
		q.mu.Unlock()
		select {
		case <-q.wake:
		case <-done:
			return buf, false
		}
	}
}
