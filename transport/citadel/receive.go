package citadel

import (
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// receive takes a reliable envelope from a stream. The body is borrowed. The error is errStop, and then the
// reason is recorded.
func (c *Conn) receive(e wire.Envelope) error {
	c.rx.Lock()
	defer c.rx.Unlock()
	c.counters.framesIn.Add(1)
	c.counters.bytesIn.Add(uint64(wire.FrameOverhead + len(e.Body)))
	switch c.phase.Load() {
	case phaseHandshake:
		return c.answer(e)
	case phaseEnded:
		// Reading goes on, because the peer may be waiting to say goodbye, too.
		if e.Kind == wire.KindGoodbye {
			return c.hearGoodbye(e.Body)
		}
		c.counters.framesAfterClose.Add(1)
		return nil
	}
	switch e.Kind {
	case wire.KindAuth:
		return c.refuseSecondAuth()
	case wire.KindAuthResult:
		return c.secondResult(e.Body)
	case wire.KindGoodbye:
		return c.hearGoodbye(e.Body)
	case c.cfg.SessionKind:
		if len(e.Body) > c.cfg.MaxSessionFrame {
			return c.violation(fmt.Errorf("%w: %d bytes, at most %d", ErrSessionTooLarge, len(e.Body), c.cfg.MaxSessionFrame))
		}
		c.deliver(Session, e, false)
	case c.cfg.SessionPartKind:
		return c.receivePart(e.Body)
	default:
		c.deliver(Frame, e, false)
	}
	return nil
}

// receivePart takes a part of a session frame.
func (c *Conn) receivePart(body []byte) error {
	begun := c.joiner.active
	frame, err := c.joiner.add(body)
	c.reassembling.Store(int64(len(c.joiner.buf)))
	switch {
	case errors.Is(err, errExhausted):
		return c.exhausted()
	case err != nil:
		return c.violation(err)
	case frame != nil:
		c.transfers.Add(1)
		if c.overdue != nil {
			c.overdue.Stop()
		}
		c.deliver(Session, wire.Envelope{Kind: c.cfg.SessionKind, Body: frame}, true)
		return nil
	}
	if !begun {
		transfer := c.transfers.Load()
		c.overdue = time.AfterFunc(c.cfg.SessionFrameTimeout, func() { c.tooSlow(transfer) })
	}
	if c.joiner.total >= minProgress {
		c.in.progress(c, len(c.joiner.buf), int(c.joiner.total))
	}
	return nil
}

// tooSlow ends the connection if a transfer is still not complete.
func (c *Conn) tooSlow(transfer uint64) {
	if c.transfers.Load() == transfer {
		c.end(&CloseError{Code: CodeProtocol, Reason: "session frame took too long", Cause: ErrSessionTooSlow})
	}
}

// exhausted ends the connection because there is no memory for what it sends.
func (c *Conn) exhausted() error {
	c.listener.counters.exhausted.Add(1)
	c.end(&CloseError{Code: CodeExhausted, Reason: "too many large frames at once"})
	return errStop
}

func (c *Conn) deliver(kind EventKind, e wire.Envelope, owned bool) {
	if !c.in.put(c, kind, e, owned) {
		c.counters.framesAfterClose.Add(1)
	}
}

// secondResult takes a handshake's answer that nobody waits for. A rejection is how a server says that it has
// seen a second handshake.
func (c *Conn) secondResult(body []byte) error {
	c.counters.strayAuth.Add(1)
	if c.listener != nil {
		return nil
	}
	if r, err := wire.ParseAuthResult(body); err == nil && r.Status == wire.AuthRejected {
		return c.rejected(r.Reason)
	}
	return nil
}

// hearGoodbye ends the connection as the peer wants. Everything that it sent before has been received.
func (c *Conn) hearGoodbye(body []byte) error {
	g, err := wire.ParseGoodbye(body)
	if err != nil {
		return c.violation(err)
	}
	c.end(&CloseError{Remote: true, Code: Code(g.Code), Reason: string(g.Reason)})
	return errStop
}

// violation ends the connection because the peer broke the protocol. During a handshake it is rejected.
func (c *Conn) violation(err error) error {
	if c.listener != nil && c.phase.Load() == phaseHandshake {
		return c.reject(wire.ReasonProtocol)
	}
	c.end(&CloseError{Code: CodeProtocol, Reason: "protocol violated", Cause: err})
	return errStop
}
