package citadel

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// streamChain reads the streams of one type in the order in which the peer opened them: a stream is read to its
// end before the next one is touched, and each envelope is delivered as soon as it is complete. So the peer's
// order survives whether it sends all envelopes on one stream or each on a fresh one.
//
// A peer that does both would be stuck, because a long-lived stream has no end. Therefore a stream that has
// delivered something, holds no part of an envelope and has nothing to say for a while is parked when others
// wait: its goroutine reads on, and the chain goes on with the next stream. A few may be parked; a peer that
// wants more has to finish some.
type streamChain struct {
	c      *Conn
	accept func(context.Context) (io.Reader, error)

	mu      sync.Mutex
	waiting []io.Reader // bounded by the peer's limit on open streams
	since   time.Time   // when waiting became non-empty, or the current stream current
	current *streamReader
	seen    uint64 // its reads when it was last looked at
	parked  int
	watch   *time.Timer // looks at the current stream while others wait
	spare   *streamReader
	stopped bool
}

// How long others must wait before a quiet stream is parked, and before one is that is never quiet.
const (
	parkQuiet = 100 * time.Millisecond
	parkBusy  = time.Second
)

func (ch *streamChain) init(c *Conn, accept func(context.Context) (io.Reader, error)) {
	ch.c, ch.accept = c, accept
}

// run accepts streams and sees to it that they are read.
func (ch *streamChain) run() {
	for {
		s, err := ch.accept(ch.c.link.Context())
		if err != nil {
			return // the connection is going, or there are no streams of this type
		}
		ch.mu.Lock()
		if ch.current == nil {
			ch.begin(s)
		} else {
			ch.waiting = append(ch.waiting, s)
			if len(ch.waiting) == 1 {
				ch.since = time.Now()
				ch.look(false)
			}
		}
		ch.mu.Unlock()
	}
}

// begin makes a stream the current one. It is called with mu held.
func (ch *streamChain) begin(s io.Reader) {
	if ch.stopped {
		return
	}
	ch.c.work.start(ch.reader(s).task)
}

// reader makes a stream the current one and returns what is to read it. It is called with mu held.
func (ch *streamChain) reader(s io.Reader) *streamReader {
	r := ch.spare
	if r == nil {
		r = &streamReader{}
		r.task = ch.c.work.task(func() { ch.read(r) })
	}
	ch.spare = nil
	r.begin(ch.c, s)
	ch.current = r
	if len(ch.waiting) > 0 {
		ch.since = time.Now()
		ch.look(false)
	}
	return r
}

// read reads a stream, and those after it until one is parked or there are no more.
func (ch *streamChain) read(r *streamReader) {
	for r != nil {
		r = ch.next(r, r.run())
	}
}

// next is called when a reader is done with its stream. It returns what it shall read next.
func (ch *streamChain) next(r *streamReader, err error) *streamReader {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if err != nil {
		ch.stopped = true // the connection is going
		return nil
	}
	if ch.current != r { // it was parked
		ch.parked--
		ch.look(false)
		return nil
	}
	ch.current = nil
	ch.spare = r
	if len(ch.waiting) == 0 || ch.stopped {
		return nil
	}
	return ch.reader(ch.shift())
}

// shift takes the first stream that waits. It is called with mu held.
func (ch *streamChain) shift() io.Reader {
	s := ch.waiting[0]
	n := copy(ch.waiting, ch.waiting[1:])
	ch.waiting[n] = nil
	ch.waiting = ch.waiting[:n]
	return s
}

// look parks the current stream if others wait and it may be parked, and comes back later if they must go on
// waiting. due says that the current stream has been looked at before, a while ago. It is called with mu held.
func (ch *streamChain) look(due bool) {
	r := ch.current
	if r == nil || len(ch.waiting) == 0 || ch.parked >= maxParked || ch.stopped {
		return
	}
	reads := r.reads.Load()
	if due && r.parkable.Load() && (reads == ch.seen || time.Since(ch.since) >= parkBusy) {
		ch.parked++
		ch.begin(ch.shift())
		return
	}
	ch.seen = reads
	// A lost packet is sent again within this time.
	quiet := parkQuiet + 3*ch.c.link.Stats().RTT
	if ch.watch == nil {
		ch.watch = time.AfterFunc(quiet, func() {
			ch.mu.Lock()
			defer ch.mu.Unlock()
			ch.look(true)
		})
	} else {
		ch.watch.Reset(quiet)
	}
}

// stop ends the chain, when its goroutines have ended.
func (ch *streamChain) stop() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.stopped = true
	if ch.watch != nil {
		ch.watch.Stop()
	}
}

// A stream is read into a small buffer, since most of them are idle most of the time. It grows when it turns out
// to be too small.
const (
	minRead = 1 << 10
	maxRead = 16 << 10
)

// streamReader turns the bytes of one stream into envelopes.
type streamReader struct {
	task func() // for a goroutine that has nothing to read yet
	c    *Conn
	s    io.Reader
	buf  []byte // what a read fills
	dec  wire.Decoder
	any  bool // an envelope has been delivered
	held int  // what the buffer has taken from the listener's budget

	reads    atomic.Uint64 // how often something came
	parkable atomic.Bool   // something was delivered, and nothing is at stake
}

func (r *streamReader) begin(c *Conn, s io.Reader) {
	r.c, r.s, r.any = c, s, false
	r.dec.Reset()
	r.parkable.Store(false)
	if r.buf == nil {
		r.buf = make([]byte, minRead)
	}
}

// run reads until the stream ends, which is nil, or until the connection does.
func (r *streamReader) run() error {
	defer r.letGo()
	for {
		r.parkable.Store(r.any && r.dec.Buffered() == 0)
		n, err := r.s.Read(r.buf)
		if n > 0 {
			r.reads.Add(1)
			r.parkable.Store(false)
			if err := r.deliver(r.buf[:n]); err != nil {
				return err
			}
			if n == len(r.buf) && n < maxRead {
				r.buf = make([]byte, 2*n)
			}
			if !r.hold() {
				return r.c.exhausted()
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			if r.dec.Buffered() > 0 {
				return r.c.violation(errStreamTruncated)
			}
			return nil
		case errors.Is(err, ErrStreamReset):
			// A stream that the peer has reset is a stream that it does not want any more.
			r.c.counters.abortedStreams.Add(1)
			return nil
		default:
			return errStop
		}
	}
}

// hold takes what an envelope that has not arrived completely makes the buffer grow to from the budget of the
// listener, unless it is little. It reports whether there was enough.
func (r *streamReader) hold() bool {
	want := 2 * r.dec.Buffered()
	if want <= freeBuffer {
		want = 0
	}
	if want > r.held && !r.c.joiner.budget.take(want-r.held) {
		return false
	}
	if want < r.held {
		r.c.joiner.budget.give(r.held - want)
	}
	r.held = want
	return true
}

// freeBuffer is what a stream may buffer without asking.
const freeBuffer = 64 << 10

func (r *streamReader) letGo() {
	r.c.joiner.budget.give(r.held)
	r.held = 0
}

// deliver hands on the envelopes that are complete with p.
func (r *streamReader) deliver(p []byte) error {
	for {
		r.dec.SetLimit(r.c.frameLimit())
		again := false
		for e, err := range r.dec.Frames(p) {
			if err != nil {
				return r.c.violation(err)
			}
			handshake := r.c.phase.Load() == phaseHandshake
			if err := r.c.receive(e); err != nil {
				return err
			}
			r.any = true
			if again = handshake; again {
				break // the next one may be larger
			}
		}
		if !again {
			return nil
		}
		p = nil // the decoder has the rest
	}
}

// frameLimit is the largest length that a frame may announce now.
func (c *Conn) frameLimit() int {
	if c.listener != nil && c.phase.Load() == phaseHandshake {
		return wire.KindBytes + c.listener.cfg.MaxTokenBytes
	}
	return wire.KindBytes + c.cfg.MaxEnvelope
}
