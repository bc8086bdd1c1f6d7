package citadel

import (
	"strings"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A connection ends in one of two ways. At once: it is torn down, the link is closed and everything that waits
// for it falls. Or in good order: the outbox writes what it holds and a goodbye after it, and the peer, which
// has then received everything, closes the link; if it does not, this end does when the linger time is over.
//
// Waiting for the peer matters because QUIC, once closed, forgets whatever the other end has not received, and
// the other end forgets whatever it has received and not read.

// forever is a linger time that only a kill ends.
const forever time.Duration = 1<<63 - 1

// maxReason bounds the words of a close in bytes; QUIC sends them in one packet.
const maxReason = 256

// Close ends the connection in good order: what is queued is still sent, and Close returns when the peer has
// it, or after Config.Linger. It is idempotent and always returns nil.
//
// It blocks; a game loop uses [Conn.Disconnect].
func (c *Conn) Close() error {
	c.Disconnect(CodeNone, "")
	<-c.done
	return nil
}

// Disconnect starts what [Conn.Close] does and returns at once. The peer learns the code and the reason, of
// which it gets the first 256 bytes. The Closed event follows immediately; nothing that the peer has sent
// comes after it.
func (c *Conn) Disconnect(code Code, reason string) {
	c.disconnect(&CloseError{Code: code, Reason: reason}, c.cfg.Linger)
}

// Done returns a channel that is closed when the connection has ended and all its goroutines have.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection is open, and then why it is not, as a [*CloseError].
func (c *Conn) Err() error {
	if e := c.err.Load(); e != nil {
		return e
	}
	return nil
}

// disconnect begins an orderly end, if there is not one already.
func (c *Conn) disconnect(e *CloseError, linger time.Duration) {
	e.Reason = clip(e.Reason)
	bye := wire.AppendGoodbye(nil, wire.Goodbye{Code: uint32(e.Code), Reason: []byte(e.Reason)})
	c.finish(e, linger, wire.KindGoodbye, bye)
}

// finish is an orderly end with a last envelope of any kind.
// It reports whether the connection was open until now.
func (c *Conn) finish(e *CloseError, linger time.Duration, kind wire.Kind, body []byte) bool {
	c.endMu.Lock()
	defer c.endMu.Unlock()
	if !c.err.CompareAndSwap(nil, e) {
		return false
	}
	c.phase.Store(phaseEnded)
	if linger != forever && !c.killed {
		c.lingering = time.AfterFunc(linger, func() { c.end(&CloseError{Code: e.Code}) })
	}
	c.out.end(kind, body)
	c.in.close(c, e)
	return true
}

// end ends the connection at once. If it had been ending already, the first reason stays.
func (c *Conn) end(e *CloseError) {
	e.Reason = clip(e.Reason)
	c.endMu.Lock()
	defer c.endMu.Unlock()
	first := c.err.CompareAndSwap(nil, e)
	c.phase.Store(phaseEnded)
	c.out.close()
	if !c.killed {
		c.killed = true
		go c.tearDown()
	}
	// If this end decided, nothing more is of interest. Otherwise what has been read is still delivered, and
	// tearDown follows with the Closed event.
	if first && !e.Remote && !e.Code.local() {
		c.in.close(c, e)
	}
}

// local reports whether a code is this end's name for something that happened to it.
func (c Code) local() bool { return c == CodeTimeout || c == CodeReset || c == CodeTransport }

// linkEnded is called when the link has ended by itself, or by the peer.
func (c *Conn) linkEnded() { c.end(linkError(c.link.Err())) }

// tearDown closes the link and waits until nothing is left that needs it.
func (c *Conn) tearDown() {
	e := c.err.Load()
	c.handshake.Stop()
	c.unlink()
	c.endMu.Lock()
	if c.lingering != nil {
		c.lingering.Stop()
	}
	c.endMu.Unlock()
	c.sendClose(e)
	c.in.release()
	c.work.wait()
	c.uni.stop()
	c.bidi.stop()
	c.discard()
	c.in.close(c, e)
	c.log.Info("connection closed", "code", e.Code, "remote", e.Remote, "reason", e.Reason)
	c.release()
	close(c.done)
}

// discard forgets a frame that has not arrived completely, and will not.
func (c *Conn) discard() {
	c.rx.Lock()
	defer c.rx.Unlock()
	if c.joiner.active {
		c.counters.brokenTransfers.Add(1)
		c.joiner.discard()
		c.reassembling.Store(0)
	}
	c.transfers.Add(1)
	if c.overdue != nil {
		c.overdue.Stop()
	}
}

// sendClose closes the link, if it is not closed already.
func (c *Conn) sendClose(e *CloseError) {
	code, reason := e.Code, e.Reason
	if e.Remote || code.local() {
		code, reason = CodeNone, "" // an answer to a goodbye, or nothing that the peer should hear
	}
	c.link.Close(code, reason)
}

// clip makes a reason fit for a packet and a log: UTF-8, and not too long.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ToValidUTF8(reason, "")
}
