package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// socket is a WebSocket that is open. All methods are safe for concurrent use, but only one goroutine reads.
//
// While next or a message waits for the peer, the socket tells the link's life so.
type socket interface {
	// next waits for a message and returns a reader of it, which is valid until the next call.
	next() (text bool, message io.Reader, err error)

	// send sends a binary message, waiting for the peer to take it. It does not retain p.
	send(p []byte) error

	// ping asks for a sign of life, if it can.
	ping()

	// close tells the peer why, without waiting for it, and makes everybody return who waits.
	close(status int, reason string)

	// counts returns the bytes that went over the wire.
	counts() (sent, received uint64)
}

// link is a WebSocket as a [citadel.Link].
type link struct {
	sock          socket
	server        bool
	local, remote net.Addr
	ctx           context.Context
	cancel        context.CancelCauseFunc
	closing       sync.Once

	accepted atomic.Bool // the one stream has been handed out
	message  io.Reader   // the reader's, nil between messages
	frames   framer      // the reader's

	life life
}

var _ citadel.Link = (*link)(nil)

// The ways in which a peer can break the protocol of messages.
var (
	errText      = errors.New("ws: text message")
	errTruncated = errors.New("ws: message ends inside an envelope")
)

// verdictDelay is how long a failed write waits for the reader to find out why.
const verdictDelay = 250 * time.Millisecond

// newLink makes a link and starts looking after it.
func newLink(sock socket, cfg *citadel.Config, server bool, local, remote net.Addr) *link {
	l := &link{sock: sock, server: server, local: local, remote: remote}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.life.start(l, cfg)
	return l
}

// OpenUni implements [citadel.Link]. Whatever is opened is the same stream of messages.
func (l *link) OpenUni(context.Context) (io.WriteCloser, error) {
	if l.ctx.Err() != nil {
		return nil, net.ErrClosed
	}
	return writer{l}, nil
}

// writer sends messages. There is nothing to finish.
type writer struct{ l *link }

func (w writer) Close() error { return nil }

// Write sends whole framed envelopes in as few messages as possible.
func (w writer) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := batch(p[done:])
		if err := w.l.send(p[done : done+n]); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func (l *link) send(p []byte) error {
	err := l.sock.send(p)
	l.life.speak()
	if err == nil {
		return nil
	}
	// If the peer has closed the connection, the reader is about to read why.
	select {
	case <-l.ctx.Done():
	case <-time.After(verdictDelay):
		l.fail(fmt.Errorf("ws: write: %w", err))
	}
	return net.ErrClosed
}

// AcceptUni implements [citadel.Link].
func (l *link) AcceptUni(context.Context) (io.Reader, error) {
	if l.accepted.Swap(true) {
		return nil, errors.ErrUnsupported
	}
	return reader{l}, nil
}

// reader is all that the peer says, without the borders of messages.
type reader struct{ l *link }

// Read reads from the present message or the next one. An error ends the link.
func (r reader) Read(p []byte) (int, error) {
	l := r.l
	n, err := l.read(p)
	if err != nil {
		l.fail(err)
		return n, context.Cause(l.ctx)
	}
	return n, nil
}

func (l *link) read(p []byte) (int, error) {
	for {
		if l.message == nil {
			text, message, err := l.sock.next()
			switch {
			case err != nil:
				return 0, l.explain(err)
			case text:
				return 0, violation("text message", errText)
			}
			l.message = message
		}
		n, err := l.message.Read(p)
		l.frames.write(p[:n])
		l.life.filled = l.life.filled || n > 0
		switch {
		case err == nil && n > 0:
			return n, nil
		case err == io.EOF:
			l.message = nil
			if !l.frames.whole() {
				return n, violation("message ends inside an envelope", errTruncated)
			}
			if l.life.end(l.server); n > 0 {
				return n, nil
			}
		case err != nil:
			return n, l.explain(err)
		}
	}
}

// explain says why reading has failed.
func (l *link) explain(err error) error {
	if closed, ok := errors.AsType[*closedError](err); ok {
		return closeError(closed.status, closed.reason, l.server)
	}
	return err
}

// closedError is how a socket reports that the peer has closed it.
type closedError struct {
	status int
	reason string
}

func (e *closedError) Error() string {
	return fmt.Sprintf("ws: closed with status %d: %s", e.status, e.reason)
}

// violation is the end of a link whose peer broke the protocol.
func violation(reason string, cause error) *citadel.CloseError {
	return &citadel.CloseError{Code: citadel.CodeProtocol, Reason: reason, Cause: cause}
}

// fail ends the link. The socket stays open for [link.Close] to say goodbye.
func (l *link) fail(err error) { l.cancel(err) }

// AcceptBidi implements [citadel.Link]. There are no such streams.
func (l *link) AcceptBidi(context.Context) (io.Reader, error) { return nil, errors.ErrUnsupported }

// SendDatagram implements [citadel.Link]. There are no datagrams.
func (l *link) SendDatagram([]byte) error { return errors.ErrUnsupported }

// ReceiveDatagram implements [citadel.Link]. There are no datagrams.
func (l *link) ReceiveDatagram(context.Context) ([]byte, error) { return nil, errors.ErrUnsupported }

// MaxDatagram implements [citadel.Link]. There are no datagrams.
func (l *link) MaxDatagram() int { return 0 }

// Close implements [citadel.Link].
func (l *link) Close(code citadel.Code, reason string) {
	l.closing.Do(func() {
		l.fail(&citadel.CloseError{Code: code, Reason: reason})
		l.life.stop()
		l.sock.close(status(code), clip(reason))
	})
}

// Context implements [citadel.Link].
func (l *link) Context() context.Context { return l.ctx }

// Err implements [citadel.Link].
func (l *link) Err() error { return context.Cause(l.ctx) }

// LocalAddr implements [citadel.Link].
func (l *link) LocalAddr() net.Addr { return l.local }

// RemoteAddr implements [citadel.Link].
func (l *link) RemoteAddr() net.Addr { return l.remote }

// Stats implements [citadel.Link].
func (l *link) Stats() citadel.LinkStats {
	s := l.life.roundTrip()
	s.BytesSent, s.BytesReceived = l.sock.counts()
	return s
}
