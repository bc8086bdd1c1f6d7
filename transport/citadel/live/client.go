package live

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Client feeds a [client.Client] what a connection brings, and sends what it has to say. It is not safe for concurrent
// use.
type Client struct {
	conn    *citadel.Conn
	sync    *client.Client
	onEvent func(citadel.Event) // made once: a method value costs an allocation
	heard   func(client.Event)  // of the call of Pump
	err     error               // of the call of Pump
}

// NewClient ties a connection that has been opened to a client that has not met a server. The connection stays
// the caller's to close. After its end, a new connection needs a new client.
func NewClient(conn *citadel.Conn, sync *client.Client) *Client {
	c := &Client{conn: conn, sync: sync}
	c.onEvent = c.drained
	return c
}

// Conn returns the connection.
func (c *Client) Conn() *citadel.Conn { return c.conn }

// Sync returns the client.
func (c *Client) Sync() *client.Client { return c.sync }

// Pump handles everything that has arrived since the last call, and calls heard with what the application has to
// know of it; nil if that is nothing. It does not block. The inbox must be the connection's own.
//
// An error that matches [net.ErrClosed] says that the connection is over, and why. Any other is the first of those
// of [Client.Handle] for frames that no server sends; they were dropped.
func (c *Client) Pump(heard func(client.Event)) error {
	c.heard, c.err = heard, nil
	c.conn.Inbox().Drain(c.onEvent)
	return c.err
}

// drained takes an event of Pump.
func (c *Client) drained(e citadel.Event) {
	if _, err := c.Handle(e, c.heard); err != nil && (c.err == nil || e.Kind == citadel.Closed) {
		c.err = err
	}
}

// Handle takes an event of the connection, for applications that drain the inbox themselves. It returns false for
// frames and datagrams of another protocol. The error is that of [client.Client.Receive], or why the connection is
// over.
func (c *Client) Handle(e citadel.Event, heard func(client.Event)) (ours bool, err error) {
	switch e.Kind {
	case citadel.Opened:
		return true, nil
	case citadel.Closed:
		return true, e.Err
	case citadel.Frame, citadel.Datagram:
	default:
		return false, nil
	}
	if !fromServer(e.Envelope.Kind) {
		return false, nil
	}
	news, err := c.sync.Receive(e.Envelope.Kind, e.Envelope.Body)
	if news != nil && heard != nil {
		heard(news)
	}
	return true, err
}

// fromServer reports whether a server of transform sync sends a kind.
func fromServer(kind wire.Kind) bool {
	switch kind {
	case wire.KindTsyncHello, wire.KindTsyncV2Hello, wire.KindTsyncSnapshot, wire.KindTsyncV2Snapshot,
		wire.KindTsyncRole, wire.KindTsyncRewind:
		return true
	}
	return false
}

// Flush sends what the client has to say now, and lets go of what a connection that is configured with ManualFlush has
// kept back. Call it once for every step of input, see [client.Client.Flush].
func (c *Client) Flush() {
	for _, f := range c.sync.Flush() {
		deliver(c.conn, f.Kind, f.Body)
	}
	c.conn.Flush()
}
