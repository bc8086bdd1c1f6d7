package citadel

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Conn is one authenticated connection. Its methods are safe for concurrent use, and none but [Conn.Close]
// blocks.
//
// While nobody has anything to say, a connection has a goroutine for each way in which its peer may: one for
// either type of stream, one for datagrams and one for each stream that is open. Those that send exist while
// there is something to send.
type Conn struct {
	id       uint64
	link     Link
	cfg      *Config
	log      *slog.Logger
	listener *Listener    // nil on a client
	origin   netip.Prefix // what a server counts it under
	release  func()       // gives back what the connection was built on

	in       inQueue
	out      outbox
	stream   io.WriteCloser // the writer's
	unsent   datagramQueue
	counters counters

	// Life and death; see close.go.
	work      workers
	opened    chan struct{} // closed when the handshake has succeeded
	done      chan struct{} // closed when all is over
	err       atomic.Pointer[CloseError]
	handshake *time.Timer
	unlink    func() bool // stops watching the link
	endMu     sync.Mutex  // guards what follows
	killed    bool
	lingering *time.Timer

	// The receiving side; see handshake.go and receive.go.
	phase    atomic.Int32
	identity Identity           // set before opened is closed
	preAuth  context.Context    // a server's: lasts until datagrams are welcome
	admit    context.CancelFunc // ends preAuth
	admitted chan struct{}      // closed when the datagrams from before are gone
	asked    atomic.Bool        // a server's: a token has come
	uni      streamChain
	bidi     streamChain
	rx       sync.Mutex // one envelope at a time, from whatever stream; guards what follows
	joiner   joiner
	overdue  *time.Timer // for the frame that is arriving in parts

	transfers    atomic.Uint64 // frames that have arrived in parts
	reassembling atomic.Int64  // bytes that the joiner has
	maxDatagram  atomic.Int64  // that the link was known to carry
}

// lastID numbers the connections of the process.
var lastID atomic.Uint64

// newConn makes a connection of a link. release is called when all is over. A nil listener makes a client.
func newConn(link Link, cfg *Config, listener *Listener, release func()) *Conn {
	c := &Conn{
		id:       lastID.Add(1),
		link:     link,
		cfg:      cfg,
		listener: listener,
		release:  release,
		opened:   make(chan struct{}),
		done:     make(chan struct{}),
		joiner:   joiner{max: cfg.MaxSessionFrame},
	}
	c.log = cfg.Logger.With("conn", c.id)
	if listener != nil {
		c.joiner.budget = &listener.reassembly
		c.preAuth, c.admit = context.WithCancel(link.Context())
		c.admitted = make(chan struct{})
	}
	c.in.init(cfg)
	writer, sender := c.work.task(c.writeStream), c.work.task(c.writeDatagrams)
	c.out.init(cfg, func() { c.work.start(writer) })
	c.unsent.init(cfg.OutboundDatagrams, func() { c.work.start(sender) })
	c.uni.init(c, link.AcceptUni)
	c.bidi.init(c, link.AcceptBidi)
	return c
}

// start starts the connection's goroutines. All of them end before done is closed.
func (c *Conn) start() {
	c.endMu.Lock()
	defer c.endMu.Unlock()
	c.handshake = time.AfterFunc(c.cfg.HandshakeTimeout, c.handshakeTimedOut)
	c.unlink = context.AfterFunc(c.link.Context(), c.linkEnded)
	c.work.start(c.work.task(c.uni.run))
	c.work.start(c.work.task(c.bidi.run))
	c.work.start(c.work.task(c.readDatagrams))
}

// ID returns a number that no other connection of this process has.
func (c *Conn) ID() uint64 { return c.id }

// Identity returns who is connected: on a server as its authenticator said, on a client as the server said.
func (c *Conn) Identity() Identity { return c.identity }

// RemoteAddr returns the peer's address. It may change while the connection is open.
func (c *Conn) RemoteAddr() net.Addr { return c.link.RemoteAddr() }

// LocalAddr returns this end's address.
func (c *Conn) LocalAddr() net.Addr { return c.link.LocalAddr() }

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
