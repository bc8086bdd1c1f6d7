package rpc

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Conn is what a client needs of a connection. A [*citadel.Conn] is one. Send neither blocks nor retains the body,
// and does not call the client.
type Conn interface {
	ID() uint64
	Send(kind wire.Kind, body []byte) error
}

var _ Conn = (*citadel.Conn)(nil)

// Client calls the methods of the server at the other end of a connection. It is safe for concurrent use.
type Client struct {
	conn Conn
	cfg  ClientConfig

	mu      sync.Mutex
	last    uint64 // id
	waiting map[uint64]func(reply []byte, err error)
	closed  error // why there can be no calls any more
	request []byte
	stats   ClientStats
}

// NewClient returns a client for a connection whose events are given to Receive. A configuration that cannot work is
// a [*ConfigError].
func NewClient(conn Conn, cfg ClientConfig) (*Client, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, cfg: cfg, waiting: make(map[uint64]func([]byte, error))}, nil
}

// Call calls a method and waits for the response. The loop must go on meanwhile, so Call is for other goroutines.
// It does not retain payload, and the reply is the caller's.
//
// What the server answers with instead of a reply is an [*Error]. When ctx ends, Call returns its error; the server
// is not told and may still do what it was asked. A connection that ends is [ErrClosed], and other errors are those
// of [Client.Go].
func (c *Client) Call(ctx context.Context, method string, payload []byte) (reply []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rpc: call %q: %w", method, err)
	}
	done := make(chan struct{})
	var failure error
	id, err := c.Go(method, payload, func(b []byte, err error) {
		reply, failure = bytes.Clone(b), err
		close(done)
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-done:
		return reply, failure
	case <-ctx.Done():
	}
	if c.GiveUp(id) {
		return nil, fmt.Errorf("rpc: call %q: %w", method, ctx.Err())
	}
	<-done // somebody is about to call back
	return reply, failure
}

// Go calls a method and returns at once, with the call's id. It does not retain payload. done is called once: with
// the reply, borrowed until it returns, with an [*Error], or with [ErrClosed]. That happens inside Receive, or
// inside Close, and never inside Go; a nil done is not called. An error of Go itself means that nothing was sent and done is not called:
// [ErrMethod], [ErrTooManyCalls], [ErrClosed], or what the connection says of the payload's size.
func (c *Client) Go(method string, payload []byte, done func(reply []byte, err error)) (id uint64, err error) {
	if err := checkMethod(method); err != nil {
		return 0, err
	}
	if done == nil {
		done = func([]byte, error) {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed != nil:
		return 0, c.closed
	case len(c.waiting) >= c.cfg.MaxOutstanding:
		return 0, ErrTooManyCalls
	}
	c.last++
	id = c.last
	// Sent with the lock held, so that the server sees ids in their order.
	c.request = wire.AppendRPCRequest(c.request[:0], wire.RPCRequest{ID: id, Method: []byte(method), Payload: payload})
	err = c.conn.Send(wire.KindRPCRequest, c.request)
	if cap(c.request) > maxIdleBuffer {
		c.request = nil
	}
	if err != nil {
		return 0, fmt.Errorf("rpc: call %q: %w", method, sendError(err))
	}
	c.waiting[id] = done
	c.stats.Calls++
	return id, nil
}

// GiveUp forgets a call. It returns false if its done function has been called or is about to be; otherwise that
// will not happen, and the response is ignored.
func (c *Client) GiveUp(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.waiting[id]; !ok {
		return false
	}
	delete(c.waiting, id)
	c.stats.GivenUp++
	return true
}

// Receive takes an event of the inbox and reports whether it was a response to this client. Closed events must come
// here too, but are nobody's alone: it returns false. Events of other connections are left alone.
func (c *Client) Receive(e citadel.Event) bool {
	if e.Conn == nil || e.Conn.ID() != c.conn.ID() {
		return false
	}
	switch e.Kind {
	case citadel.Frame:
		return c.Frame(e.Envelope)
	case citadel.Datagram:
		if e.Envelope.Kind == wire.KindRPCResponse {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.stats.Unreliable++
			return true
		}
	case citadel.Closed:
		c.Closed(e.Err)
	}
	return false
}

// Frame is [Client.Receive] for connections that are not citadel's: it takes a reliable envelope and reports whether
// it was a response. It borrows the body.
func (c *Client) Frame(e wire.Envelope) bool {
	if e.Kind != wire.KindRPCResponse {
		return false
	}
	r, err := wire.ParseRPCResponse(e.Body)
	c.mu.Lock()
	done := c.waiting[r.ID]
	switch {
	case err != nil:
		c.stats.Malformed++
	case done == nil:
		c.stats.Stale++
	default:
		c.stats.Answered++
		delete(c.waiting, r.ID)
	}
	c.mu.Unlock()
	switch {
	case done == nil || err != nil:
	case r.Status == wire.RPCOK:
		done(r.Payload, nil)
	default:
		done(nil, &Error{Status: r.Status, Text: clip(r.Payload)})
	}
	return true
}

// Close fails all calls, those that wait and those to come, with [ErrClosed]. It is for loops that stop before their
// connection has closed; the connection is left as it is.
func (c *Client) Close() { c.Closed(nil) }

// Closed is [Client.Close] with the reason, which the errors of calls then wrap as well.
func (c *Client) Closed(reason error) {
	c.mu.Lock()
	if c.closed == nil {
		c.closed = ErrClosed
		if reason != nil {
			c.closed = fmt.Errorf("%w: %w", ErrClosed, reason)
		}
	}
	err, waiting := c.closed, c.waiting
	c.waiting = make(map[uint64]func([]byte, error))
	c.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		waiting[id](nil, err)
	}
}

// Stats returns the counters.
func (c *Client) Stats() ClientStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Outstanding = len(c.waiting)
	return s
}
