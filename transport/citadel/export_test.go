package citadel

import "github.com/quic-go/quic-go"

// EarlyDatagrams counts what was dropped before the handshakes of a server's open connections were over.
func EarlyDatagrams(l *Listener) (n uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		n += c.counters.preAuthDatagrams.Load()
	}
	return n
}

// Crash takes a server's socket away, so that it can say nothing any more.
func Crash(l *Listener) { _ = l.udp.Close() }

// QUICLink makes a link of a QUIC connection that a test has configured itself.
func QUICLink(qc *quic.Conn) Link { return quicLink{qc} }
