package citadel

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
)

// listenQUIC opens the server's socket and accepts connections on it.
func (l *Listener) listenQUIC(addr string) error {
	local, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return err
	}
	udp, err := listenUDP(local, l.log)
	if err != nil {
		return err
	}
	tr := &quic.Transport{Conn: udp, VerifySourceAddress: l.pressed, ConnContext: l.knock}
	if l.cfg.StatelessResetKey != nil {
		key := quic.StatelessResetKey(*l.cfg.StatelessResetKey)
		tr.StatelessResetKey = &key
	}
	ql, err := tr.Listen(l.cfg.TLS, l.quicConfig())
	if err != nil {
		_ = tr.Close()
		_ = udp.Close()
		return err
	}
	l.udp, l.tr, l.quic = udp, tr, ql
	for range acceptors {
		l.accepts.Go(l.accept)
	}
	return nil
}

// acceptors is how many goroutines accept connections. QUIC refuses newcomers when 32 of them wait to be accepted beside
// those for whom a goroutine is ready, and on a busy machine one goroutine may not run for so long.
const acceptors = 32

func (l *Listener) quicConfig() *quic.Config {
	q := l.cfg.quic()
	// What other protocols want, and does not disturb ours.
	if len(l.cfg.ALPN) > 0 {
		q.EnableStreamResetPartialDelivery = true
		// Chromium gives up a silent connection a second before the time that we name.
		q.MaxIdleTimeout += time.Second
	}
	return q
}

// accept turns QUIC connections into ours until the QUIC listener is closed.
func (l *Listener) accept() {
	for {
		qc, err := l.quic.Accept(context.Background())
		if err != nil {
			return
		}
		knocked(qc)
		if l.serveOther(qc) {
			continue
		}
		link := quicLink{qc}
		if e := l.admit(link); e != nil {
			l.accepts.Go(func() { link.Close(e.Code, e.Reason) })
		}
	}
}

// serveOther lets somebody else deal with a connection if it speaks another protocol.
func (l *Listener) serveOther(qc *quic.Conn) bool {
	if len(l.cfg.ALPN) == 0 {
		return false
	}
	serve, ok := l.cfg.ALPN[qc.ConnectionState().TLS.NegotiatedProtocol]
	if !ok {
		return false
	}
	from := origin(qc.RemoteAddr())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuseOther(from) {
		l.accepts.Go(func() { closeOther(qc) })
		return true
	}
	l.census.enterOther(qc, from)
	l.serving.Go(func() {
		serve(l, qc)
		closeOther(qc)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.census.leaveOther(qc, from)
	})
	return true
}

// closeOther closes a connection that speaks another protocol, whose codes we do not know.
func closeOther(qc *quic.Conn) { _ = qc.CloseWithError(0, "") }

// farewell is how long connections that speak other protocols may take to tell their peers what has just happened.
const farewell = time.Second

// endOthers ends the connections that speak other protocols, after they had time to end by themselves: their peers
// are the ones that close when they have heard why.
func (l *Listener) endOthers() {
	gone := make(chan struct{})
	go func() {
		l.serving.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return
	case <-time.After(farewell):
	}
	var closers sync.WaitGroup
	l.mu.Lock()
	for qc := range l.census.others {
		closers.Go(func() { closeOther(qc) })
	}
	l.mu.Unlock()
	closers.Wait()
	<-gone
}

// shaking is a QUIC handshake that is not complete.
type shaking struct {
	l    *Listener
	once sync.Once
	stop func() bool // stops watching
}

type shakingKey struct{}

// knock is called when somebody begins a QUIC handshake.
func (l *Listener) knock(ctx context.Context, _ *quic.ClientInfo) (context.Context, error) {
	if int(l.shaking.Add(1)) > l.cfg.MaxHalfOpen {
		l.shaking.Add(-1)
		l.counters.refusedHandshake.Add(1)
		return nil, ErrServerFull
	}
	s := &shaking{l: l}
	s.stop = context.AfterFunc(ctx, s.over)
	return context.WithValue(ctx, shakingKey{}, s), nil
}

// knocked is called when the handshake is complete.
func knocked(qc *quic.Conn) {
	if s, ok := qc.Context().Value(shakingKey{}).(*shaking); ok {
		s.stop()
		s.over()
	}
}

func (s *shaking) over() { s.once.Do(func() { s.l.shaking.Add(-1) }) }

// pressed reports whether newcomers must first prove that they receive at their address, which costs them a
// round trip and keeps forged packets from filling the server.
func (l *Listener) pressed(net.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns) > l.cfg.MaxConnections/2 ||
		len(l.census.halfOpen)+int(l.shaking.Load()) > l.cfg.MaxHalfOpen/2
}
