package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// Dial makes a connection to the authority, by [citadel.Dial] or the function of that name of package ws or wt. It
// is called on a goroutine of the [Client], never twice at once, and must return when the context ends. Each call
// is free to go to another address or by another transport than the last one; what must stay is who the
// authority takes the connection for.
type Dial func(ctx context.Context) (*citadel.Conn, error)

// Config says how a [Client] deals with failure. The zero value is useful.
type Config struct {
	// Backoff is the pause after a failure: an attempt to connect that did not succeed, or a connection that
	// was lost before the session was joined. It doubles with each further failure in a row, up to MaxBackoff.
	// After the loss of a connection that was in use, the first attempt follows at once. Zero means 50 ms.
	Backoff time.Duration

	// MaxBackoff bounds the pause. Zero means one second.
	MaxBackoff time.Duration

	// DialTimeout bounds one attempt. Zero means two seconds.
	DialTimeout time.Duration

	// Retry decides whether another attempt may help after a failure. Nil means [Retry].
	Retry func(err error) bool
}

func (c Config) withDefaults() (Config, error) {
	for _, f := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"Backoff", &c.Backoff, 50 * time.Millisecond},
		{"MaxBackoff", &c.MaxBackoff, time.Second},
		{"DialTimeout", &c.DialTimeout, 2 * time.Second},
	} {
		if *f.v < 0 {
			return c, fmt.Errorf("bridge: Config.%s is negative", f.name)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if c.Retry == nil {
		c.Retry = Retry
	}
	return c, nil
}

// Retry reports whether it makes sense to try again after err: always, unless the authority has rejected who
// we are or plays by other rules, or somebody else has connected as the same author.
func Retry(err error) bool {
	if closed, ok := errors.AsType[*citadel.CloseError](err); ok && closed.Remote && closed.Code == CodeReplaced {
		return false
	}
	_, rejected := errors.AsType[*citadel.AuthError](err)
	return !rejected && !errors.Is(err, ErrProtocolMismatch)
}

// How a session can fail to be joined over a connection that works. The connection is then closed.
var (
	ErrSessionNotFound  = errors.New("bridge: authority does not host the session")
	ErrProtocolMismatch = errors.New("bridge: authority plays by other rules")
	ErrNoProgress       = errors.New("bridge: client cannot follow the authority")

	errNoConn = errors.New("bridge: Dial returned neither a connection nor an error")
)

// LinkError says that there is no connection to the authority, or no longer.
type LinkError struct {
	Dialing bool // an attempt to connect has failed; otherwise a connection was lost
	Final   bool // there will be no further attempt

	// Err is why: a [*citadel.CloseError], [ErrSessionNotFound], [ErrProtocolMismatch], [ErrNoProgress], or
	// what Dial returned.
	Err error
}

// Error implements error.
func (e *LinkError) Error() string {
	if e.Dialing {
		return fmt.Sprintf("bridge: cannot connect: %v", e.Err)
	}
	return fmt.Sprintf("bridge: connection lost: %v", e.Err)
}

// Unwrap returns why.
func (e *LinkError) Unwrap() error { return e.Err }

// Client keeps a session client connected. It is not safe for concurrent use: one goroutine runs the game
// loop, and calls Pump in it.
type Client struct {
	session *session.Client
	dial    Dial
	cfg     Config

	conn  *citadel.Conn // nil while there is none
	pause time.Duration // before dialing again, should conn be lost
	err   error         // to be returned by Pump

	onEvent func(citadel.Event) // handle, made once: a method value costs an allocation

	// The goroutine that dials. It ends when it has delivered a connection, or when ctx ends.
	ctx     context.Context
	cancel  context.CancelFunc
	attempt chan attempt
	working sync.WaitGroup
}

// attempt is what came of dialing.
type attempt struct {
	conn  *citadel.Conn
	err   error
	final bool
}

// NewClient returns a client for a host in client mode, and starts to dial. Close it when it is no longer
// needed.
func NewClient(h *session.Host, dial Dial, cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Client{dial: dial, cfg: cfg, attempt: make(chan attempt)}
	c.onEvent = c.handle
	if c.session, err = session.NewClient(h, c); err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.redial()
	return c, nil
}

// Session returns the session client.
func (c *Client) Session() *session.Client { return c.session }

// Conn returns the present connection, or nil.
func (c *Client) Conn() *citadel.Conn { return c.conn }

// Pump handles everything that has arrived since the last call. It does not block. Its error is a
// [*LinkError], reported once per loss and per failed attempt; unless that is final, the client goes on
// trying and the caller need not do anything.
func (c *Client) Pump() error {
	c.err = nil
	if c.conn == nil {
		c.pickUp()
	}
	if c.conn != nil {
		c.conn.Inbox().Drain(c.onEvent)
	}
	if c.conn != nil {
		c.judge()
	}
	return c.err
}

// Flush lets go of what a connection that is configured with ManualFlush has kept back. Call it at the end of
// each turn of the game loop.
func (c *Client) Flush() {
	if c.conn != nil {
		c.conn.Flush()
	}
}

// Close ends the connection in good order and waits until the client's goroutine has ended. It is idempotent
// and returns nil.
func (c *Client) Close() error {
	c.cancel()
	c.working.Wait()
	c.session.Disconnect()
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
	return nil
}

// Send implements [session.Transport]. A connection that cannot take the frame is closed, which Pump will hear
// of like of any other loss.
func (c *Client) Send(id session.ConnID, frame []byte) {
	if c.conn != nil && session.ConnID(c.conn.ID()) == id {
		send(c.conn, frame)
	}
}

func (c *Client) handle(e citadel.Event) {
	if e.Conn != c.conn {
		return // of an earlier connection, if they share an inbox
	}
	switch e.Kind {
	case citadel.Session:
		// Frames that the session cannot use do it no harm; what it cannot go on after, it reports as an event.
		_, _ = c.session.Receive(session.ConnID(e.Conn.ID()), e.Envelope.Body)
	case citadel.Closed:
		c.lost(e.Err)
	}
}

// judge looks at what has become of the session on the present connection.
func (c *Client) judge() {
	var err error
	switch c.session.State() {
	case session.Ready:
		c.pause = 0
	case session.SessionNotFound:
		err = ErrSessionNotFound
	case session.ProtocolMismatch:
		err = ErrProtocolMismatch
	case session.Disconnected:
		err = ErrNoProgress // it lets go by itself when snapshots do not help
	}
	if err != nil {
		c.conn.Disconnect(citadel.CodeNone, err.Error())
		c.lost(err)
	}
}

// pickUp takes what the dialing goroutine has to say, if anything.
func (c *Client) pickUp() {
	select {
	case a := <-c.attempt:
		if a.err != nil {
			c.err = &LinkError{Dialing: true, Final: a.final, Err: a.err}
			return
		}
		c.conn = a.conn
		c.pause = c.longer(c.pause) // until the session is ready
		c.session.Join(session.ConnID(a.conn.ID()))
	default:
	}
}

func (c *Client) lost(err error) {
	c.conn = nil
	c.session.Disconnect()
	final := !c.cfg.Retry(err)
	c.err = &LinkError{Final: final, Err: err}
	if !final {
		c.redial()
	}
}

// longer returns the pause after the next failure in a row.
func (c *Client) longer(pause time.Duration) time.Duration {
	return min(max(2*pause, c.cfg.Backoff), c.cfg.MaxBackoff)
}

func (c *Client) redial() {
	pause := c.pause
	c.working.Go(func() { c.dialing(pause) })
}

// dialing tries until there is a connection or it makes no sense any more. Each result waits for the game
// loop to take it.
func (c *Client) dialing(pause time.Duration) {
	for ; c.rest(pause); pause = c.longer(pause) {
		conn, err := c.try()
		a := attempt{conn: conn, err: err, final: err != nil && !c.cfg.Retry(err)}
		select {
		case c.attempt <- a:
		case <-c.ctx.Done():
			if conn != nil {
				_ = conn.Close()
			}
			return
		}
		if err == nil || a.final {
			return
		}
	}
}

// rest waits, and reports whether the client is still wanted afterwards.
func (c *Client) rest(pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-c.ctx.Done():
		return false
	}
}

func (c *Client) try() (*citadel.Conn, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.cfg.DialTimeout)
	defer cancel()
	conn, err := c.dial(ctx)
	if conn == nil && err == nil {
		err = errNoConn
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}
