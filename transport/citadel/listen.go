package citadel

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/quic-go/quic-go"
)

// Listener is a server. It is safe for concurrent use.
//
// Connections are not accepted one by one: a connection whose handshake has succeeded shows up in the inbox as
// an [Opened] event.
type Listener struct {
	cfg  ListenConfig
	log  *slog.Logger
	udp  *net.UDPConn
	tr   *quic.Transport
	quic *quic.Listener

	counters listenerCounters
	accepts  sync.WaitGroup
	closing  sync.Once

	mu     sync.Mutex
	conns  map[*Conn]struct{}
	closed bool
}

// Listen starts a server on a UDP address such as ":7350"; port 0 lets the system choose. Its goroutines run
// until Shutdown or Close. A configuration that cannot work is a [*ConfigError].
func Listen(addr string, cfg ListenConfig) (*Listener, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	local, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("citadel: listen: %w", err)
	}
	udp, err := listenUDP(local, cfg.Logger)
	if err != nil {
		return nil, fmt.Errorf("citadel: listen: %w", err)
	}
	l := &Listener{cfg: cfg, log: cfg.Logger, udp: udp, conns: make(map[*Conn]struct{})}
	l.tr = &quic.Transport{Conn: udp, VerifySourceAddress: l.pressed}
	if cfg.StatelessResetKey != nil {
		key := quic.StatelessResetKey(*cfg.StatelessResetKey)
		l.tr.StatelessResetKey = &key
	}
	l.quic, err = l.tr.Listen(cfg.TLS, cfg.quic())
	if err != nil {
		_ = l.tr.Close()
		_ = udp.Close()
		return nil, fmt.Errorf("citadel: listen: %w", err)
	}
	l.accepts.Go(l.accept)
	l.log.Info("listening", "addr", l.Addr())
	return l, nil
}

// Addr returns where the server listens.
func (l *Listener) Addr() net.Addr { return l.udp.LocalAddr() }

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
	_ = l.quic.Close()
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
	l.closing.Do(func() {
		_ = l.tr.Close()
		_ = l.udp.Close()
		l.log.Info("closed", "addr", l.Addr())
	})
	return err
}

// accept turns QUIC connections into ours until the QUIC listener is closed.
func (l *Listener) accept() {
	for {
		qc, err := l.quic.Accept(context.Background())
		if err != nil {
			return
		}
		l.admit(qc)
	}
}

func (l *Listener) admit(qc *quic.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		l.refuse(qc, CodeShutdown, "server shut down")
	case len(l.conns) >= l.cfg.MaxConnections:
		l.counters.refused.Add(1)
		l.log.Warn("connection refused: server full", "remote", qc.RemoteAddr(), "max", l.cfg.MaxConnections)
		l.refuse(qc, CodeServerFull, "server full")
	default:
		var c *Conn
		c = newConn(qc, &l.cfg.Config, l, func() { l.forget(c) })
		l.conns[c] = struct{}{}
		c.start()
	}
}

func (l *Listener) refuse(qc *quic.Conn, code Code, reason string) {
	l.accepts.Go(func() { _ = qc.CloseWithError(quic.ApplicationErrorCode(code), reason) })
}

func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// pressed reports whether newcomers must first prove that they receive at their address, which costs them a
// round trip and keeps forged packets from filling the server.
func (l *Listener) pressed(net.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns) > l.cfg.MaxConnections/2
}
