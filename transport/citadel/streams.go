package citadel

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// incomingStream is what a stream is to its reader, whichever type it has.
type incomingStream interface {
	io.Reader
	SetReadDeadline(time.Time) error
}

// streamChain reads the streams of one type in the order of their ids, which is the order in which the peer
// opened them: a stream is read to its end before the next one is touched, and each envelope is delivered as
// soon as it is complete. So the peer's order survives whether it sends all envelopes on one stream or each on
// a fresh one.
//
// A peer that does both would be stuck, because a long-lived stream has no end. Therefore a stream that has
// delivered something, holds no part of an envelope and has nothing to say for a while is parked when others
// wait: a goroutine of its own reads on, and the chain goes on with the next stream. A few may be parked; a
// peer that wants more has to finish some.
type streamChain struct {
	c    *Conn
	next func(context.Context) (incomingStream, error)
	wake chan struct{} // waiting has become non-empty

	mu      sync.Mutex
	waiting []incomingStream
	since   time.Time // when waiting became non-empty
	current incomingStream
	parked  int
}

// How long others must wait before a quiet stream is parked, and before one is that is never quiet.
const (
	parkQuiet = 100 * time.Millisecond
	parkBusy  = time.Second
)

const minRead = 2 << 10

func newStreamChain(c *Conn, next func(context.Context) (incomingStream, error)) *streamChain {
	return &streamChain{c: c, next: next, wake: make(chan struct{}, 1)}
}

// accept queues streams as they come. QUIC's limit on open streams bounds their number.
func (ch *streamChain) accept() {
	for {
		s, err := ch.next(ch.c.ctx)
		if err != nil {
			return // the connection is going
		}
		ch.mu.Lock()
		ch.waiting = append(ch.waiting, s)
		if len(ch.waiting) == 1 {
			ch.since = time.Now()
			if ch.current != nil {
				// Its reader shall look up after a while.
				_ = ch.current.SetReadDeadline(ch.since.Add(ch.quiet()))
			}
		}
		ch.mu.Unlock()
		select {
		case ch.wake <- struct{}{}:
		default:
		}
	}
}

// quiet is how long a stream must have nothing to say. A lost packet is sent again within this time.
func (ch *streamChain) quiet() time.Duration {
	return parkQuiet + 3*ch.c.qc.ConnectionStats().SmoothedRTT
}

// drain reads one stream after the other.
func (ch *streamChain) drain() {
	for {
		s, ok := ch.begin()
		if !ok {
			return
		}
		r := &streamReader{c: ch.c, s: s, chain: ch}
		err := r.run()
		ch.mu.Lock()
		ch.current = nil
		ch.mu.Unlock()
		switch {
		case errors.Is(err, errParked):
			_ = s.SetReadDeadline(time.Time{})
			r.chain = nil
			ch.c.workers.Go(func() {
				_ = r.run() // whatever it is, it has been dealt with
				ch.mu.Lock()
				ch.parked--
				ch.mu.Unlock()
			})
		case err != nil:
			return
		}
	}
}

// begin waits for a stream and makes it the current one.
func (ch *streamChain) begin() (incomingStream, bool) {
	for {
		ch.mu.Lock()
		if len(ch.waiting) > 0 {
			s := ch.waiting[0]
			n := copy(ch.waiting, ch.waiting[1:])
			ch.waiting[n] = nil
			ch.waiting = ch.waiting[:n]
			ch.since = time.Now()
			ch.current = s
			ch.mu.Unlock()
			return s, true
		}
		ch.mu.Unlock()
		select {
		case <-ch.wake:
		case <-ch.c.ctx.Done():
			return nil, false
		}
	}
}

var errParked = errors.New("citadel: stream parked")

// setDeadline prepares the current stream for a read: with others waiting and nothing at stake, it must not
// take long. It reports whether the stream must be parked now.
func (ch *streamChain) setDeadline(s incomingStream, parkable bool) (park bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if !parkable || len(ch.waiting) == 0 || ch.parked >= maxParked {
		_ = s.SetReadDeadline(time.Time{})
		return false
	}
	now := time.Now()
	busy := ch.since.Add(parkBusy)
	if !now.Before(busy) {
		ch.parked++
		return true
	}
	deadline := now.Add(ch.quiet())
	if busy.Before(deadline) {
		deadline = busy
	}
	_ = s.SetReadDeadline(deadline)
	return false
}

// park is called when nothing came in time. It reports whether the stream must be parked.
func (ch *streamChain) park(parkable bool) bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if !parkable || len(ch.waiting) == 0 || ch.parked >= maxParked {
		return false
	}
	ch.parked++
	return true
}

// streamReader turns the bytes of one stream into envelopes.
type streamReader struct {
	c     *Conn
	s     incomingStream
	chain *streamChain // nil once parked
	dec   wire.Decoder
	any   bool // an envelope has been delivered
}

// run reads until the stream ends, which is nil, until it shall be parked, which is errParked, or until the
// connection ends.
func (r *streamReader) run() error {
	for {
		if err := r.deliver(); err != nil {
			return err
		}
		if r.chain != nil && r.chain.setDeadline(r.s, r.parkable()) {
			return errParked
		}
		n, err := r.s.Read(r.dec.Free(minRead))
		r.dec.Commit(n)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return r.finish()
		case errors.Is(err, os.ErrDeadlineExceeded):
			if r.chain != nil && r.chain.park(r.parkable() && n == 0) {
				return errParked
			}
		default:
			return r.broken(err)
		}
	}
}

func (r *streamReader) parkable() bool { return r.any && r.dec.Buffered() == 0 }

// deliver hands on the complete envelopes.
func (r *streamReader) deliver() error {
	for {
		r.dec.SetLimit(r.c.frameLimit())
		e, ok, err := r.dec.Next()
		if err != nil {
			return r.c.violation(err)
		}
		if !ok {
			return nil
		}
		if err := r.c.receive(e); err != nil {
			return err
		}
		r.any = true
	}
}

// finish is the end of a stream.
func (r *streamReader) finish() error {
	if err := r.deliver(); err != nil {
		return err
	}
	if r.dec.Buffered() > 0 {
		return r.c.violation(errStreamTruncated)
	}
	return nil
}

// broken is any other end. A stream that the peer has reset is a stream that it does not want any more.
func (r *streamReader) broken(err error) error {
	if _, reset := errors.AsType[*quic.StreamError](err); reset {
		r.c.counters.abortedStreams.Add(1)
		return nil
	}
	return errStop
}

// frameLimit is the largest length that a frame may announce now.
func (c *Conn) frameLimit() int {
	if c.listener != nil && c.phase.Load() == phaseHandshake {
		return wire.KindBytes + c.listener.cfg.MaxTokenBytes
	}
	return wire.KindBytes + c.cfg.MaxEnvelope
}
