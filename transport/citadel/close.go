package citadel

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A connection ends in one of two ways. At once: kill is closed, the supervisor closes the QUIC connection and
// everything else falls. Or in good order: ending is closed, the outbox writes what it holds and a goodbye
// after it, and the peer, which has then received everything, closes the connection; if it does not, the
// supervisor does when the linger time is over.
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
	c.out.end(kind, body)
	c.linger = linger
	close(c.ending)
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
		close(c.kill)
	}
	// If this end decided, nothing more is of interest. Otherwise what has been read is still delivered, and
	// the supervisor follows with the Closed event.
	if first && !e.Remote && !e.Code.local() {
		c.in.close(c, e)
	}
}

// local reports whether a code is this end's name for something that happened to it.
func (c Code) local() bool { return c == CodeTimeout || c == CodeReset || c == CodeTransport }

// supervise waits for the connection's end and tears it down.
func (c *Conn) supervise() {
	handshake := time.NewTimer(c.cfg.HandshakeTimeout)
	defer handshake.Stop()
	var linger <-chan time.Time
	opened, ending := c.opened, c.ending
	for over := false; !over; {
		select {
		case <-c.qc.Context().Done():
			c.end(closeError(context.Cause(c.qc.Context())))
			over = true
		case <-c.kill:
			over = true
		case <-linger:
			over = true
		case <-ending:
			ending = nil
			if c.linger != forever {
				t := time.NewTimer(c.linger)
				defer t.Stop()
				linger = t.C
			}
		case <-opened:
			opened = nil
			handshake.Stop()
		case <-handshake.C:
			if opened != nil {
				c.handshakeTimedOut()
			}
		}
	}
	e := c.err.Load()
	c.sendClose(e)
	c.cancel()
	c.in.release()
	c.workers.Wait()
	c.in.close(c, e)
	c.log.Info("connection closed", "code", e.Code, "remote", e.Remote, "reason", e.Reason)
	c.release()
	close(c.done)
}

// sendClose closes the QUIC connection, if it is not closed already.
func (c *Conn) sendClose(e *CloseError) {
	code, reason := e.Code, e.Reason
	if e.Remote || code.local() {
		code, reason = CodeNone, "" // an answer to a goodbye, or nothing that the peer should hear
	}
	_ = c.qc.CloseWithError(quic.ApplicationErrorCode(code), reason) // its error is always nil
}

// closeError explains the end of a QUIC connection.
func closeError(err error) *CloseError {
	if e, ok := errors.AsType[*quic.ApplicationError](err); ok {
		return &CloseError{Remote: e.Remote, Code: Code(min(uint64(e.ErrorCode), 1<<32-1)), Reason: clip(e.ErrorMessage)}
	}
	if e, ok := errors.AsType[*quic.TransportError](err); ok {
		return &CloseError{Remote: e.Remote, Code: CodeTransport, Cause: err}
	}
	if _, ok := errors.AsType[*quic.StatelessResetError](err); ok {
		return &CloseError{Remote: true, Code: CodeReset, Cause: err}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &CloseError{Code: CodeTimeout, Cause: err}
	}
	return &CloseError{Code: CodeTransport, Cause: err}
}

// clip makes a reason fit for a packet and a log: UTF-8, and not too long.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ToValidUTF8(reason, "")
}
