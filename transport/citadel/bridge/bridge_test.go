package bridge_test

import (
	"context"
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

// authors are who the tokens' users play as.
var authors = map[string]netcode.AuthorID{"ann": 1, "bob": 2, "cut": 3}

var errCut = errors.New("nobody knows cut")

// table is a server and its clients, all of them run by the goroutine of the test.
type table struct {
	t        *testing.T
	cert     tls.Certificate
	pin      string
	open     func(addr string) (*citadel.Listener, error)
	listener *citadel.Listener
	server   *peer
	link     *bridge.Server
	clients  []*client
	barred   map[string]bool          // users that are not admitted
	seen     map[string]*citadel.Conn // the latest connection of each user
}

type client struct {
	*peer
	link *bridge.Client
	errs []*bridge.LinkError
}

func newTableWithoutListener(t *testing.T) *table {
	w := &table{t: t, barred: map[string]bool{"cut": true}, seen: make(map[string]*citadel.Conn)}
	w.cert, w.pin = newCertificate(t)
	w.open = func(addr string) (*citadel.Listener, error) { return listen(addr, w.cert) }
	var err error
	w.server, err = newPeer(netcode.Server, 0, game, protocol)
	require.NoError(t, err)
	return w
}

func newTable(t *testing.T) *table {
	w := newTableWithoutListener(t)
	w.serve("127.0.0.1:0")
	return w
}

// serve starts to listen, in place of a listener that has been closed.
func (w *table) serve(addr string) {
	var err error
	w.listener, err = w.open(addr)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = w.listener.Close() })
	w.link = bridge.NewServer(w.listener, func(c *citadel.Conn) (netcode.SessionID, netcode.AuthorID, error) {
		user := c.Identity().UserID
		w.seen[user] = c
		if w.barred[user] {
			return 0, 0, errCut
		}
		return game, authors[user], nil
	})
	require.NoError(w.t, w.link.Router().Add(w.server.host))
}

func (w *table) addr() string { return w.listener.Addr().String() }

// dial returns a Dial to an address.
func (w *table) dial(addr, token string) bridge.Dial {
	return func(ctx context.Context) (*citadel.Conn, error) {
		return citadel.Dial(ctx, addr, citadel.DialConfig{Token: []byte(token), Pin: w.pin})
	}
}

// join adds a client. It is not connected yet.
func (w *table) join(author netcode.AuthorID, dial bridge.Dial) *client {
	p, err := newPeer(netcode.Client, author, game, protocol)
	require.NoError(w.t, err)
	return w.add(p, dial, bridge.Config{})
}

func (w *table) add(p *peer, dial bridge.Dial, cfg bridge.Config) *client {
	link, err := bridge.NewClient(p.host, dial, cfg)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = link.Close() })
	c := &client{peer: p, link: link}
	w.clients = append(w.clients, c)
	return c
}

// turn is one turn of everybody's game loop.
func (w *table) turn() {
	w.link.Pump()
	w.link.Flush()
	for _, c := range w.clients {
		if err := c.link.Pump(); err != nil {
			lost, ok := errors.AsType[*bridge.LinkError](err)
			require.True(w.t, ok, "%v", err)
			c.errs = append(c.errs, lost)
		}
		require.NoError(w.t, c.host.Tick(c.host.Step()))
		c.link.Flush()
	}
}

// tick completes a step of the authority, with everybody.
func (w *table) tick() {
	step := w.server.host.Step() + 1
	require.NoError(w.t, w.server.host.Tick(step))
	require.NoError(w.t, w.link.Router().BroadcastStep(game))
}

// until lets time pass until something is the case.
func (w *table) until(what string, done func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("still not: %s", what)
		}
		w.turn()
	}
}

func (w *table) ready(c *client) {
	w.t.Helper()
	w.until("ready", func() bool { return c.link.Session().State() == session.Ready })
}

// agree waits until the server and the given clients have arrived at a total.
func (w *table) agree(total int64, clients ...*client) {
	w.t.Helper()
	w.until("same total", func() bool {
		require.NoError(w.t, w.server.host.Tick(w.server.host.Step()))
		for _, c := range clients {
			if c.sum.total != total {
				return false
			}
		}
		return w.server.sum.total == total
	})
}

func (c *client) send(t *testing.T, n int64) {
	_, err := c.adds.Send(add{n}, c.host.Step())
	require.NoError(t, err)
}

func TestPlay(t *testing.T) {
	w := newTable(t)
	w.tick()
	ann, bob := w.join(1, w.dial(w.addr(), "a")), w.join(2, w.dial(w.addr(), "b"))
	w.ready(ann)
	w.ready(bob)
	ann.send(t, 3)
	bob.send(t, 40)
	_, err := w.server.adds.Send(add{500}, w.server.host.Step())
	require.NoError(t, err)
	w.agree(543, ann, bob)
	require.Empty(t, ann.errs)
	require.Empty(t, bob.errs)

	id := session.ConnID(w.seen["ann"].ID())
	conn, ok := w.link.Conn(id)
	require.True(t, ok)
	require.Equal(t, w.seen["ann"], conn)

	require.NoError(t, ann.link.Close())
	require.NoError(t, ann.link.Close(), "closing again is harmless")
	w.clients = w.clients[1:]
	w.until("ann is gone", func() bool {
		_, ok := w.link.Conn(id)
		return !ok
	})
	_, _, bound := w.link.Router().Bound(id)
	require.False(t, bound)
	w.link.Send(id, []byte{1}) // to nobody
}

func TestLostConnectionResumes(t *testing.T) {
	w := newTable(t)
	w.tick()
	relay, err := netem.Listen(w.addr(), netem.Config{})
	require.NoError(t, err)
	defer relay.Close()
	ann, bob := w.join(1, w.dial(relay.Addr().String(), "a")), w.join(2, w.dial(w.addr(), "b"))
	w.ready(ann)
	w.ready(bob)
	first := ann.link.Conn()
	ann.send(t, 1)
	w.agree(1, ann, bob)

	// The network dies without a word. What both do in the meantime is not lost.
	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	ann.send(t, 20)
	bob.send(t, 300)
	w.until("ann notices", func() bool { return len(ann.errs) > 0 })
	lost := ann.errs[0]
	require.ErrorIs(t, lost, citadel.ErrTimeout)
	require.False(t, lost.Dialing)
	require.False(t, lost.Final)
	_, ok := errors.AsType[*citadel.CloseError](lost)
	require.True(t, ok)
	require.Equal(t, session.Disconnected, ann.link.Session().State())
	ann.send(t, 4000)
	w.tick()

	require.NoError(t, relay.Update(netem.Config{}))
	w.ready(ann)
	require.NotEqual(t, first.ID(), ann.link.Conn().ID())
	w.agree(4321, ann, bob)
	for _, e := range ann.errs[1:] {
		require.True(t, e.Dialing, "a loss is reported once: %v", e)
	}
	require.Zero(t, ann.host.Stats().Refused)
}

func TestServerIsFoundAgain(t *testing.T) {
	w := newTable(t)
	w.tick()
	ann := w.join(1, w.dial(w.addr(), "a"))
	w.ready(ann)
	ann.send(t, 7)
	w.agree(7, ann)

	addr := w.addr()
	require.NoError(t, w.listener.Close())
	w.until("ann notices", func() bool { return len(ann.errs) > 0 })
	require.ErrorIs(t, ann.errs[0], citadel.ErrShutdown)
	require.False(t, ann.errs[0].Final)

	// The game goes on behind a new listener.
	ann.send(t, 10)
	w.serve(addr)
	w.tick()
	w.ready(ann)
	w.agree(17, ann)
	ann.send(t, 5)
	w.agree(22, ann)
}

// A server that was started anew has forgotten everything, and its clients start over with it.
func TestRestartedServer(t *testing.T) {
	w := newTable(t)
	w.tick()
	ann := w.join(1, w.dial(w.addr(), "a"))
	w.ready(ann)
	ann.send(t, 7)
	w.agree(7, ann)

	addr := w.addr()
	require.NoError(t, w.listener.Close())
	w.until("ann notices", func() bool { return len(ann.errs) > 0 })
	var err error
	w.server, err = newRun(netcode.Server, 0, game, protocol, 2)
	require.NoError(t, err)
	w.serve(addr)
	w.tick()
	w.ready(ann)
	w.agree(0, ann)
	ann.send(t, 5)
	w.agree(5, ann)
}

func TestReplacedAuthor(t *testing.T) {
	w := newTable(t)
	w.tick()
	old := w.join(1, w.dial(w.addr(), "a"))
	w.ready(old)
	before := w.link

	again := w.join(1, w.dial(w.addr(), "a"))
	w.ready(again)
	w.until("the old one knows", func() bool { return len(old.errs) > 0 })
	closed, ok := errors.AsType[*citadel.CloseError](old.errs[0])
	require.True(t, ok)
	require.Equal(t, bridge.CodeReplaced, closed.Code)
	require.True(t, old.errs[0].Final, "or the two would push each other out for ever")

	replaced := 0
	for _, e := range w.server.host.Events() {
		if e.Kind == session.Replaced {
			replaced++
			_, _, bound := before.Router().Bound(e.Conn)
			require.False(t, bound)
		}
	}
	require.Equal(t, 1, replaced)

	// The new connection works, and the end of the old one has not taken it along.
	require.NoError(t, old.link.Close())
	again.send(t, 8)
	w.agree(8, again)
	require.Empty(t, again.errs)
	require.Len(t, old.errs, 1)
	require.Nil(t, old.link.Conn())
}

func TestNotAdmitted(t *testing.T) {
	w := newTable(t)
	w.tick()
	cut := w.join(3, w.dial(w.addr(), "c"))
	w.until("refused twice", func() bool { return len(cut.errs) > 1 })
	for _, e := range cut.errs[:2] {
		closed, ok := errors.AsType[*citadel.CloseError](e)
		require.True(t, ok)
		require.Equal(t, bridge.CodeRefused, closed.Code)
		require.Equal(t, errCut.Error(), closed.Reason)
		require.False(t, e.Final)
	}
	w.barred = nil
	w.ready(cut)
}

func TestWrongTokenIsFinal(t *testing.T) {
	w := newTable(t)
	ann := w.join(1, w.dial(w.addr(), "wrong"))
	w.until("rejected", func() bool { return len(ann.errs) > 0 })
	require.ErrorIs(t, ann.errs[0], citadel.ErrAuthFailed)
	require.True(t, ann.errs[0].Final)
	require.True(t, ann.errs[0].Dialing)
}

func TestSessionThatIsNotThere(t *testing.T) {
	w := newTable(t)
	w.tick()
	other, err := newPeer(netcode.Client, 1, game+1, protocol)
	require.NoError(t, err)
	ann := w.add(other, w.dial(w.addr(), "a"), bridge.Config{})
	w.until("not found", func() bool { return len(ann.errs) > 1 })
	require.ErrorIs(t, ann.errs[0], bridge.ErrSessionNotFound)
	require.False(t, ann.errs[0].Final, "it may be started later")
}

func TestServerWithoutTheSession(t *testing.T) {
	w := newTable(t)
	w.link.Router().Remove(game)
	ann := w.join(1, w.dial(w.addr(), "a"))
	w.until("refused", func() bool { return len(ann.errs) > 0 })
	closed, ok := errors.AsType[*citadel.CloseError](ann.errs[0])
	require.True(t, ok)
	require.Equal(t, bridge.CodeRefused, closed.Code)
}

func TestOtherRulesAreFinal(t *testing.T) {
	w := newTable(t)
	w.tick()
	other, err := newPeer(netcode.Client, 1, game, protocol+1)
	require.NoError(t, err)
	ann := w.add(other, w.dial(w.addr(), "a"), bridge.Config{})
	w.until("mismatch", func() bool { return len(ann.errs) > 0 })
	require.ErrorIs(t, ann.errs[0], bridge.ErrProtocolMismatch)
	require.True(t, ann.errs[0].Final)
}

func TestSnapshotsThatDoNotHelp(t *testing.T) {
	w := newTable(t)
	w.tick()
	ann := w.join(1, w.dial(w.addr(), "a"))
	ann.sum.version, ann.sum.strict = 2, true
	w.until("no progress", func() bool { return len(ann.errs) > 0 })
	require.ErrorIs(t, ann.errs[0], bridge.ErrNoProgress)
	require.False(t, ann.errs[0].Final)

	ann.sum.strict = false
	w.ready(ann)
	ann.send(t, 2)
	w.agree(2, ann)
}

// A client that waited for a snapshot that cannot be sent would wait for ever.
func TestSnapshotThatCannotBeSent(t *testing.T) {
	w := newTable(t)
	w.server.sum.ballast = outbound
	w.tick()
	ann := w.join(1, w.dial(w.addr(), "a"))
	w.until("lost", func() bool { return len(ann.errs) > 0 })
	closed, ok := errors.AsType[*citadel.CloseError](ann.errs[0])
	require.True(t, ok)
	require.Equal(t, bridge.CodeUnsendable, closed.Code)
	require.True(t, closed.Remote)
	require.False(t, ann.errs[0].Final)
}

func TestFailedAttempts(t *testing.T) {
	w := newTable(t)
	w.tick()
	errBusy, errOver := errors.New("busy"), errors.New("over")
	results := []error{errBusy, nil, errBusy, errOver}
	tried := 0
	p, err := newPeer(netcode.Client, 1, game, protocol)
	require.NoError(t, err)
	ann := w.add(p, func(context.Context) (*citadel.Conn, error) {
		tried++
		return nil, results[tried-1]
	}, bridge.Config{
		Backoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond,
		Retry: func(err error) bool { return !errors.Is(err, errOver) },
	})
	w.until("over", func() bool { return len(ann.errs) == len(results) })
	for i, e := range ann.errs {
		require.True(t, e.Dialing)
		require.Equal(t, i == len(results)-1, e.Final)
		if results[i] != nil {
			require.ErrorIs(t, e, results[i])
		} else {
			require.ErrorContains(t, e, "neither")
		}
	}
	for range 20 {
		w.turn()
	}
	require.Len(t, ann.errs, len(results), "each failure is reported once")
	require.NoError(t, ann.link.Close())
	require.Equal(t, len(results), tried, "nothing more is tried after a final failure")
}

func TestCloseEndsAnAttempt(t *testing.T) {
	p, err := newPeer(netcode.Client, 1, game, protocol)
	require.NoError(t, err)
	started, ended := make(chan struct{}), make(chan struct{})
	c, err := bridge.NewClient(p.host, func(ctx context.Context) (*citadel.Conn, error) {
		close(started)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}, bridge.Config{DialTimeout: time.Hour})
	require.NoError(t, err)
	<-started
	require.NoError(t, c.Close())
	select {
	case <-ended:
	default:
		t.Fatal("Close returned while Dial was running")
	}
}

func TestConnectionThatNobodyTookIsClosed(t *testing.T) {
	w := newTable(t)
	p, err := newPeer(netcode.Client, 1, game, protocol)
	require.NoError(t, err)
	made := make(chan *citadel.Conn, 1)
	c, err := bridge.NewClient(p.host, func(ctx context.Context) (*citadel.Conn, error) {
		conn, err := w.dial(w.addr(), "a")(ctx)
		made <- conn
		return conn, err
	}, bridge.Config{})
	require.NoError(t, err)
	conn := <-made
	require.NotNil(t, conn)
	require.NoError(t, c.Close())
	<-conn.Done()
}

func TestConfigErrors(t *testing.T) {
	p, err := newPeer(netcode.Client, 1, game, protocol)
	require.NoError(t, err)
	for name, cfg := range map[string]bridge.Config{
		"Backoff": {Backoff: -1}, "MaxBackoff": {MaxBackoff: -1}, "DialTimeout": {DialTimeout: -1},
	} {
		_, err := bridge.NewClient(p.host, nil, cfg)
		require.ErrorContains(t, err, name)
	}
	p, err = newPeer(netcode.Server, 0, game, protocol)
	require.NoError(t, err)
	_, err = bridge.NewClient(p.host, nil, bridge.Config{})
	require.ErrorIs(t, err, session.ErrWrongMode)
}
