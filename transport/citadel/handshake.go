package citadel

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The phases of a connection.
const (
	phaseHandshake int32 = iota
	phaseOpen
	phaseEnded
)

// rejectLinger bounds how long a rejected client has for reading that it is rejected.
const rejectLinger = 500 * time.Millisecond

// errStop makes whoever reads a stream stop: the connection is ending, and the reason is recorded.
var errStop = errors.New("citadel: connection ends")

// answer takes an envelope that came before the handshake was over. It is called with rx held, so whatever
// else has arrived waits.
func (c *Conn) answer(e wire.Envelope) error {
	if c.listener != nil {
		return c.authenticate(e)
	}
	return c.readResult(e)
}

// authenticate is the server's half: the first envelope decides.
func (c *Conn) authenticate(e wire.Envelope) error {
	if e.Kind != wire.KindAuth || len(e.Body) > c.listener.cfg.MaxTokenBytes {
		return c.reject(wire.ReasonProtocol)
	}
	c.asked.Store(true)
	id, err := c.identify(e.Body)
	if err != nil {
		if auth, ok := errors.AsType[*AuthError](err); ok && auth.Reason == wire.ReasonAuthRequired {
			return c.reject(wire.ReasonAuthRequired)
		}
		return c.reject(wire.ReasonAuthFailed)
	}
	c.admit()
	<-c.admitted

	result := wire.AuthResult{Status: wire.AuthGuest}
	if !id.Guest {
		result = wire.AuthResult{Status: wire.AuthAuthenticated, UserID: []byte(id.UserID)}
	}
	c.listener.counters.accepted.Add(1) // before anybody can know
	// The answer is the first thing to be sent, and the event the first one to be seen: the answer waits until the
	// event is there, because the client may reply to it faster than this goroutine gets on.
	if err := c.out.addFirst(wire.KindAuthResult, wire.AppendAuthResult(nil, result)); err != nil {
		return errStop
	}
	if !c.open(id) {
		return errStop
	}
	c.out.release()
	c.log.Info("connection opened", "remote", c.RemoteAddr(), "user", id.UserID, "guest", id.Guest)
	return nil
}

// identify asks the authenticator.
func (c *Conn) identify(token []byte) (Identity, error) {
	if !utf8.Valid(token) {
		return Identity{}, ErrAuthFailed
	}
	ctx, cancel := context.WithTimeout(c.link.Context(), c.cfg.HandshakeTimeout)
	defer cancel()
	id, err := c.listener.cfg.Authenticator.Authenticate(ctx, token)
	if err != nil {
		return Identity{}, err
	}
	if !utf8.ValidString(id.UserID) || len(id.UserID) > maxUserID {
		return Identity{}, ErrAuthFailed
	}
	return id, nil
}

// maxUserID keeps an authenticator's mistake from becoming an envelope that no client accepts.
const maxUserID = 64 << 10

// reject answers a handshake with a reason and ends the connection in good order.
func (c *Conn) reject(reason wire.AuthReason) error {
	if c.rejectWith(reason) {
		c.listener.counters.rejected.Add(1)
		c.log.Info("handshake rejected", "remote", c.RemoteAddr(), "reason", reason)
	}
	return errStop
}

func (c *Conn) rejectWith(reason wire.AuthReason) bool {
	e := &CloseError{Code: authCode(reason), Reason: reason.String()}
	result := wire.AppendAuthResult(nil, wire.AuthResult{Status: wire.AuthRejected, Reason: reason})
	return c.finish(e, min(rejectLinger, c.cfg.Linger), wire.KindAuthResult, result)
}

// refuseSecondAuth answers a handshake frame that comes after the handshake. It is a breach of the protocol on
// a server and of no interest to a client.
func (c *Conn) refuseSecondAuth() error {
	c.counters.strayAuth.Add(1)
	if c.listener == nil {
		return nil
	}
	c.rejectWith(wire.ReasonProtocol)
	return errStop
}

// readResult is the client's half. Whatever a server sends before its answer is not for a client to act on.
func (c *Conn) readResult(e wire.Envelope) error {
	if e.Kind == wire.KindGoodbye {
		return c.hearGoodbye(e.Body)
	}
	if e.Kind != wire.KindAuthResult {
		c.counters.preAuthFrames.Add(1)
		return nil
	}
	r, err := wire.ParseAuthResult(e.Body)
	switch {
	case err != nil:
		return c.violation(err)
	case r.Status == wire.AuthRejected:
		return c.rejected(r.Reason)
	case r.Status != wire.AuthAuthenticated && r.Status != wire.AuthGuest:
		return c.violation(errors.New("citadel: auth result with unknown " + r.Status.String()))
	}
	id := Identity{UserID: string(r.UserID), Guest: r.Status == wire.AuthGuest}
	if !c.open(id) {
		return errStop
	}
	c.log.Info("connection opened", "remote", c.RemoteAddr(), "user", id.UserID, "guest", id.Guest)
	return nil
}

// rejected ends a client's connection that the server does not want.
func (c *Conn) rejected(reason wire.AuthReason) error {
	c.end(&CloseError{Remote: true, Code: authCode(reason), Reason: reason.String()})
	return errStop
}

// open ends the handshake. It returns false if the connection has ended meanwhile.
func (c *Conn) open(id Identity) bool {
	c.identity = id
	// The event is there before anything else can be, and is taken back by nobody: if the connection has just
	// ended, a Closed event follows.
	c.in.open(c)
	if !c.phase.CompareAndSwap(phaseHandshake, phaseOpen) {
		return false
	}
	c.handshake.Stop()
	if c.listener != nil {
		c.listener.opened(c)
	}
	close(c.opened)
	return true
}

// handshakeTimedOut ends a handshake that takes too long.
func (c *Conn) handshakeTimedOut() {
	if c.phase.Load() != phaseHandshake {
		return
	}
	if c.listener == nil {
		c.end(&CloseError{Code: CodeTimeout, Reason: "no auth result"})
		return
	}
	c.listener.counters.timedOut.Add(1)
	reason := wire.ReasonProtocol
	if c.asked.Load() {
		reason = wire.ReasonAuthFailed // the authenticator takes too long
	}
	_ = c.reject(reason) // nobody reads on here
}
