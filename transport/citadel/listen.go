package citadel

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/quic-go/quic-go"
)

// Listener is a server. It is safe for concurrent use.
//
// Connections are not accepted one by one: a connection whose handshake has succeeded shows up in the inbox as
// an [Opened] event.
type Listener struct {
	cfg ListenConfig
	log *slog.Logger

	// What QUIC needs; nil on a server without it.
	udp  *net.UDPConn
	tr   *quic.Transport
	quic *quic.Listener

	counters listenerCounters
	refusals occasional
	accepts  sync.WaitGroup
	serving  sync.WaitGroup // of other protocols
	closing  sync.Once

	reassembly budget       // of all connections
	shaking    atomic.Int32 // QUIC handshakes that are not complete

	mu     sync.Mutex
	census census
	conns  map[*Conn]struct{}
	past   Stats // of connections that have ended
	closed bool
}

// NewListener starts a server that listens nowhere: all its connections are brought in by [Listener.Admit]. It
// needs no certificate. A configuration that cannot work is a [*ConfigError].
func NewListener(cfg ListenConfig) (*Listener, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	l := &Listener{
		cfg: cfg, log: cfg.Logger,
		conns:      make(map[*Conn]struct{}),
		reassembly: budget{limit: int64(cfg.MaxReassembly)},
	}
	l.census.init()
	return l, nil
}

// Listen starts a server on a UDP address such as ":7350"; port 0 lets the system choose. Its goroutines run
// until Shutdown or Close. A configuration that cannot work is a [*ConfigError].
func Listen(addr string, cfg ListenConfig) (*Listener, error) {
	if err := cfg.needCertificate(); err != nil {
		return nil, err
	}
	l, err := NewListener(cfg)
	if err != nil {
		return nil, err
	}
	if err := l.listenQUIC(addr); err != nil {
		return nil, fmt.Errorf("citadel: listen: %w", err)
	}
	l.log.Info("listening", "addr", l.Addr())
	return l, nil
}

// Addr returns where the server listens for QUIC, or nil if it does not.
func (l *Listener) Addr() net.Addr {
	if l.udp == nil {
		return nil
	}
	return l.udp.LocalAddr()
}

// Config returns the server's configuration with all defaults filled in.
func (l *Listener) Config() ListenConfig { return l.cfg }

// Inbox returns where the events of the server's connections go.
func (l *Listener) Inbox() *Inbox { return l.cfg.Inbox }

// Flush calls [Conn.Flush] on every connection.
func (l *Listener) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.Flush()
	}
}

// Close is [Listener.Shutdown] with Config.Linger as its deadline. It returns nil.
func (l *Listener) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), l.cfg.Linger)
	defer cancel()
	_ = l.Shutdown(ctx)
	return nil
}

// Shutdown stops the server. No new connection is accepted, those that are open end in good order with
// [CodeShutdown]: what is queued for them is sent. Connections whose peers have not taken everything when the
// context ends are cut off, and the context's error is returned. In either case all of the server's goroutines
// have ended when Shutdown returns. Calling it again is harmless.
func (l *Listener) Shutdown(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	open := make([]*Conn, 0, len(l.conns))
	for c := range l.conns {
		open = append(open, c)
	}
	l.mu.Unlock()
	if l.quic != nil {
		_ = l.quic.Close()
	}
	l.accepts.Wait()

	for _, c := range open {
		bye := &CloseError{Code: CodeShutdown, Reason: "server shut down"}
		if c.phase.Load() == phaseHandshake {
			c.end(bye)
		} else {
			c.disconnect(bye, forever)
		}
	}
	var err error
	for _, c := range open {
		select {
		case <-c.done:
		case <-ctx.Done():
			err = ctx.Err()
			c.end(&CloseError{Code: CodeShutdown, Reason: "server shut down"})
			<-c.done
		}
	}
	l.endOthers()
	l.closing.Do(func() {
		if l.quic != nil {
			_ = l.tr.Close()
			_ = l.udp.Close()
		}
		l.log.Info("closed", "addr", l.Addr())
	})
	return err
}

// Admit makes a connection of a link on which the peer has not said anything yet. The listener's limits, inbox
// and authenticator apply to it as to any other, and Shutdown ends it. The listener owns the link from here on.
//
// A link that is not let in is closed, and the error says why: [ErrServerFull], [ErrAddressFull] or
// [ErrShutdown].
func (l *Listener) Admit(link Link) error {
	if e := l.admit(link); e != nil {
		link.Close(e.Code, e.Reason)
		return e
	}
	return nil
}

// admit does not close a link that is not let in, because that may take a moment.
func (l *Listener) admit(link Link) *CloseError {
	from := origin(link.RemoteAddr())
	l.mu.Lock()
	refused, victim := l.refuse(from)
	if refused == nil {
		var c *Conn
		c = newConn(link, &l.cfg.Config, l, func() { l.forget(c) })
		c.origin = from
		l.conns[c] = struct{}{}
		l.census.enter(c)
		if victim != nil {
			delete(l.census.halfOpen, victim)
		}
		c.start()
	}
	l.mu.Unlock()
	if refused != nil {
		l.logRefusal(refused, link)
	}
	if victim != nil {
		victim.end(&CloseError{Code: CodeServerFull, Reason: "silent for too long while others wait"})
	}
	return refused
}

// logRefusal writes a line once in a while: refusing must not cost more than it saves.
func (l *Listener) logRefusal(e *CloseError, link Link) {
	if n := l.refusals.due(); n > 0 {
		l.log.Warn("connections refused", "count", n, "last", link.RemoteAddr(), "reason", e.Reason)
	}
}

// opened notes that a connection has authenticated.
func (l *Listener) opened(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.census.halfOpen, c)
}

func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	l.census.leave(c)
	stats := c.Stats().over()
	l.past.add(&stats)
}
