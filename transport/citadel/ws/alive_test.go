//go:build !js

package ws_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// quick notices the dead early.
var quick = citadel.Config{IdleTimeout: 800 * time.Millisecond, KeepAlive: 100 * time.Millisecond}

// cable is a TCP relay that can be cut without either end being told.
type cable struct {
	addr string
	mu   sync.Mutex
	cut  bool
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{addr: ln.Addr().String()}
	var group sync.WaitGroup
	var conns []net.Conn
	group.Go(func() {
		for {
			a, err := ln.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				return
			}
			c.mu.Lock()
			conns = append(conns, a, b)
			c.mu.Unlock()
			group.Go(func() { c.carry(a, b) })
			group.Go(func() { c.carry(b, a) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		c.mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		c.mu.Unlock()
		group.Wait()
	})
	return c
}

func (c *cable) carry(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		cut := c.cut
		c.mu.Unlock()
		switch {
		case err != nil && cut:
			return // the other end must not learn of it
		case err != nil:
			_ = to.Close()
			return
		case cut:
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			_ = from.Close()
			return
		}
	}
}

func TestDeadPeer(t *testing.T) {
	t.Parallel()
	s := serve(t, citadel.ListenConfig{Config: quick}, ws.Options{})
	c := newCable(t, s.addr())
	conn := dial(t, "ws://"+c.addr, citadel.DialConfig{Config: quick})
	atServer, atClient := citadeltest.Read(t, s.ln.Inbox()), citadeltest.Read(t, conn.Inbox())
	atServer.Expect(citadel.Opened)
	atClient.Expect(citadel.Opened)
	c.mu.Lock()
	c.cut = true
	c.mu.Unlock()
	for _, at := range []*citadeltest.Reader{atServer, atClient} {
		e := at.ExpectClosed()
		require.ErrorIs(t, e, citadel.ErrTimeout)
		require.False(t, e.Remote)
	}
	<-conn.Done()
}

// Nobody says anything for many times as long as a peer may be silent.
func TestIdle(t *testing.T) {
	t.Parallel()
	p := connect(t, citadel.ListenConfig{Config: quick}, citadel.DialConfig{Config: quick})
	time.Sleep(2 * quick.IdleTimeout)
	require.NoError(t, p.Here.Err())
	require.NoError(t, p.There.Err())
	for _, c := range []*citadel.Conn{p.Here, p.There} {
		stats := c.Stats()
		require.Positive(t, stats.Link.RTT)
		require.Positive(t, stats.Link.MinRTT)
		require.LessOrEqual(t, stats.FramesIn+stats.FramesOut, uint64(2), "it was the handshake's alone")
	}
}

// A client that is idle by another measure is asked by the server.
func TestIdleClientWithOtherMeasure(t *testing.T) {
	t.Parallel()
	p := connect(t, citadel.ListenConfig{Config: quick},
		citadel.DialConfig{Config: citadel.Config{IdleTimeout: time.Hour, KeepAlive: time.Minute}})
	time.Sleep(2 * quick.IdleTimeout)
	require.NoError(t, p.There.Err())
}

// A client that answers no pings, and one that does nothing else.
func TestForeignClients(t *testing.T) {
	t.Parallel()
	s := serve(t, citadel.ListenConfig{Config: quick}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())

	rawGuest(t, s.url) // reads no more
	at.Expect(citadel.Opened)
	require.ErrorIs(t, at.ExpectClosed(), citadel.ErrTimeout)

	conn := rawGuest(t, s.url)
	at.Expect(citadel.Opened)
	var group sync.WaitGroup
	group.Go(func() { _, _, _ = conn.Read(t.Context()) })
	time.Sleep(2 * quick.IdleTimeout)
	require.Equal(t, 1, s.ln.Stats().Open)
	_ = conn.CloseNow()
	group.Wait()
}

// A client that insists on an answer to each of its pings gets it, however much it is sent meanwhile.
func TestForeignPings(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	conn := rawGuest(t, s.url)
	there := citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened).Conn
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			_, _, _ = conn.Read(context.Background())
		}
	})
	group.Go(func() {
		for ctx.Err() == nil {
			if there.Stats().QueuedOut < 1<<20 {
				_ = there.Send(100, citadeltest.Pattern(10_000))
			}
		}
	})
	for range 200 {
		require.NoError(t, conn.Ping(citadeltest.Within(t)))
	}
	cancel()
	_ = conn.CloseNow()
	group.Wait()
}

// What a page does to learn whether its server is alive.
func TestEmptyMessages(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: quick}, ws.Options{})
	conn := rawGuest(t, s.url)
	for range 3 {
		rawSend(t, conn, nil)
		typ, b, err := conn.Read(citadeltest.Within(t))
		require.NoError(t, err)
		require.Equal(t, websocket.MessageBinary, typ)
		require.Empty(t, b)
	}
	// Nor do they disturb what follows.
	rawSend(t, conn, citadeltest.Frame(t, 100, []byte("still there")))
	at := citadeltest.Read(t, s.ln.Inbox())
	there := at.Expect(citadel.Opened).Conn
	require.Equal(t, "still there", string(at.Expect(citadel.Frame).Body))
	require.EqualValues(t, 2, there.Stats().FramesIn)
}

// While the game does not drain its inbox, nothing is read, and no silence counts.
func TestFullInbox(t *testing.T) {
	t.Parallel()
	cfg := quick
	cfg.InboundBytes = 4 << 10
	p := connect(t, citadel.ListenConfig{Config: cfg}, citadel.DialConfig{Config: quick})
	const n = 2000
	for range n {
		require.NoError(t, p.Here.Send(100, citadeltest.Pattern(1000)))
	}
	time.Sleep(2 * quick.IdleTimeout)
	require.NoError(t, p.Here.Err())
	require.NoError(t, p.There.Err())
	for range n {
		p.AtServer.Expect(citadel.Frame)
	}
}
