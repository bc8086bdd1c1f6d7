package citadel

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Conn is one authenticated connection. Its methods are safe for concurrent use, and none but [Conn.Close]
// blocks.
type Conn struct {
	id        uint64
	qc        *quic.Conn
	cfg       *Config
	log       *slog.Logger
	listener  *Listener // nil on a client
	release   func()    // gives back what the connection was built on
	datagrams bool      // the peer takes them

	in       inQueue
	out      outbox
	unsent   datagramQueue
	counters counters

	// Life and death; see close.go.
	ctx     context.Context // ends when the connection is torn down
	cancel  context.CancelFunc
	opened  chan struct{} // closed when the handshake has succeeded
	ending  chan struct{} // closed when an orderly end has begun
	kill    chan struct{} // closed when the connection shall go at once
	done    chan struct{} // closed when all is over
	err     atomic.Pointer[CloseError]
	endMu   sync.Mutex // guards the closing of ending and kill
	killed  bool
	linger  time.Duration // set before ending is closed
	workers sync.WaitGroup

	// The receiving side; see handshake.go and receive.go.
	phase    atomic.Int32
	identity Identity           // set before opened is closed
	preAuth  context.Context    // a server's: lasts until datagrams are welcome
	admit    context.CancelFunc // ends preAuth
	admitted chan struct{}      // closed when the datagrams from before are gone
	asked    atomic.Bool        // a server's: a token has come
	rx       sync.Mutex         // one envelope at a time, from whatever stream
	joiner   joiner             // guarded by rx

	maxDatagram atomic.Int64
}

// lastID numbers the connections of the process.
var lastID atomic.Uint64

// newConn makes a connection of a QUIC connection whose handshake is complete. release is called when all is
// over. A nil listener makes a client.
func newConn(qc *quic.Conn, cfg *Config, listener *Listener, release func()) *Conn {
	c := &Conn{
		id:        lastID.Add(1),
		qc:        qc,
		cfg:       cfg,
		listener:  listener,
		release:   release,
		datagrams: qc.ConnectionState().SupportsDatagrams.Remote,
		opened:    make(chan struct{}),
		ending:    make(chan struct{}),
		kill:      make(chan struct{}),
		done:      make(chan struct{}),
		admitted:  make(chan struct{}),
		joiner:    joiner{max: cfg.MaxSessionFrame},
	}
	c.log = cfg.Logger.With("conn", c.id)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.preAuth, c.admit = context.WithCancel(c.ctx)
	c.in.init(cfg)
	c.out.init(cfg)
	c.unsent.init(cfg.OutboundDatagrams)
	return c
}

// start starts the connection's goroutines. All of them end before done is closed.
func (c *Conn) start() {
	uni := newStreamChain(c, func(ctx context.Context) (incomingStream, error) {
		return c.qc.AcceptUniStream(ctx)
	})
	bidi := newStreamChain(c, func(ctx context.Context) (incomingStream, error) {
		s, err := c.qc.AcceptStream(ctx)
		if err != nil {
			return nil, err
		}
		// Answers never come on the stream of the question, so this end has nothing to say here.
		// A peer that does not want to hear anything has already closed it.
		_ = s.Close()
		return s, nil
	})
	c.workers.Go(uni.accept)
	c.workers.Go(uni.drain)
	c.workers.Go(bidi.accept)
	c.workers.Go(bidi.drain)
	c.workers.Go(c.readDatagrams)
	c.workers.Go(c.writeStream)
	c.workers.Go(c.writeDatagrams)
	go c.supervise()
}

// ID returns a number that no other connection of this process has.
func (c *Conn) ID() uint64 { return c.id }

// Identity returns who is connected: on a server as its authenticator said, on a client as the server said.
func (c *Conn) Identity() Identity { return c.identity }

// RemoteAddr returns the peer's address.
func (c *Conn) RemoteAddr() net.Addr { return c.qc.RemoteAddr() }

// Inbox returns where the connection's events go.
func (c *Conn) Inbox() *Inbox { return c.cfg.Inbox }

// Send queues an envelope for reliable, ordered delivery. It does not retain body.
//
// A closed connection answers with its [CloseError]. A queue that is full closes the connection: the peer is
// too slow, and what it has missed cannot be made up for. An envelope that would not even fit the empty queue
// is refused with [wire.ErrFrameTooLarge], and the kinds of the transport with [ErrReservedKind]; both leave
// the connection as it is.
func (c *Conn) Send(kind wire.Kind, body []byte) error {
	if c.reserved(kind) {
		return ErrReservedKind
	}
	return c.sent(c.out.add(kind, body))
}

// SendSession queues a frame of a command session for reliable, ordered delivery, in parts if it is larger
// than Config.MaxSessionEnvelope. It does not retain frame. Errors are those of [Conn.Send].
func (c *Conn) SendSession(frame []byte) error {
	_, err := c.out.addSession(frame)
	return c.sent(err)
}

// Flush lets go of what Config.ManualFlush has kept back.
func (c *Conn) Flush() { c.out.release() }

// sent turns an error of the queue into the connection's.
func (c *Conn) sent(err error) error {
	if err == nil {
		return nil
	}
	if full, ok := errors.AsType[errQueueFull](err); ok {
		c.end(&CloseError{Code: CodeOverflow, Reason: "outbound queue overflowed", Cause: full})
		return c.Err()
	}
	if errors.Is(err, errEnded) {
		return c.Err()
	}
	return err
}

func (c *Conn) reserved(kind wire.Kind) bool {
	switch kind {
	case wire.KindAuth, wire.KindAuthResult, wire.KindGoodbye, c.cfg.SessionKind, c.cfg.SessionPartKind:
		return true
	}
	return false
}

// writeStream writes what is queued to the one stream of this end: whatever has come together since the last
// write goes out in one.
func (c *Conn) writeStream() {
	str, err := c.qc.OpenUniStreamSync(c.ctx)
	if err != nil {
		return // the connection is going, and the supervisor knows why
	}
	for {
		buf, frames, last, ok := c.out.take(c.ctx.Done())
		if !ok {
			return
		}
		if len(buf) > 0 {
			if _, err := str.Write(buf); err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				c.end(&CloseError{Code: CodeProtocol, Reason: "the stream is not read", Cause: err})
				return
			}
			c.counters.writes.Add(1)
			c.counters.framesOut.Add(uint64(frames))
			c.counters.bytesOut.Add(uint64(len(buf)))
		}
		c.out.wrote(buf)
		if last {
			// Nobody is left to tell if this fails.
			_ = str.Close()
			return
		}
	}
}
