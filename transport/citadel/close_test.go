package citadel_test

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestCloseDeliversWhatWasQueued(t *testing.T) {
	for _, from := range []string{"client", "server"} {
		t.Run(from, func(t *testing.T) {
			cfg := citadel.Config{Linger: patience} // the machine may be busy
			p := connect(t, citadel.ListenConfig{Config: cfg}, citadel.DialConfig{Config: cfg})
			closer, other, atCloser, atOther := p.client, p.server, p.atClient, p.atServer
			if from == "server" {
				closer, other, atCloser, atOther = p.server, p.client, p.atServer, p.atClient
			}
			const frames = 1000
			for n := range frames {
				require.NoError(t, closer.SendSession(numbered(n)))
			}
			require.NoError(t, closer.SendSession(make([]byte, 1<<20)))
			closer.Disconnect(citadel.CodeApplication+7, "enough")
			require.Error(t, closer.SendSession(nil))
			require.Error(t, closer.Send(200, nil))
			require.Error(t, closer.SendDatagram(200, nil))
			end := atCloser.Expect(citadel.Closed)
			require.Equal(t, &citadel.CloseError{Code: citadel.CodeApplication + 7, Reason: "enough"}, end.Err)
			require.Same(t, end.Err, closer.Err())

			for n := range frames {
				require.Equal(t, numbered(n), atOther.Expect(citadel.Session).Body)
			}
			require.Len(t, atOther.Expect(citadel.Session).Body, 1<<20)
			end = atOther.Expect(citadel.Closed)
			require.Equal(t, &citadel.CloseError{Remote: true, Code: citadel.CodeApplication + 7, Reason: "enough"}, end.Err)
			require.ErrorIs(t, end.Err, net.ErrClosed)
			require.False(t, errors.Is(end.Err, citadel.ErrTimeout))
			require.NoError(t, closer.Close())
			require.NoError(t, other.Close())
			require.Equal(t, end.Err, other.Err())
		})
	}
}

func TestBothClose(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	p.client.Disconnect(citadel.CodeNone, "")
	p.server.Disconnect(citadel.CodeNone, "")
	for _, c := range []*citadel.Conn{p.client, p.server} {
		select {
		case <-c.Done():
		case <-time.After(patience):
			require.Fail(t, "a connection that both ends close must end")
		}
		var closed *citadel.CloseError
		require.ErrorAs(t, c.Err(), &closed)
		require.Equal(t, citadel.CodeNone, closed.Code)
	}
}

func TestLongReasonsAreCut(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	p.server.Disconnect(citadel.CodeApplication, strings.Repeat("é", 1000)+"\xff")
	var closed *citadel.CloseError
	require.ErrorAs(t, p.atClient.Expect(citadel.Closed).Err, &closed)
	require.Equal(t, strings.Repeat("é", 128), closed.Reason)
}

// A peer that does not know our goodbye sees the connection close after the linger time.
func TestCloseWithoutAnAnswer(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{Config: citadel.Config{Linger: 50 * time.Millisecond}})
	conn := rawDial(t, ln.Addr().String())
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	c := citadeltest.Read(t, ln.Inbox()).Expect(citadel.Opened).Conn
	require.NoError(t, c.Send(200, []byte("last words")))
	c.Disconnect(citadel.CodeApplication+1, "bye")

	s, err := conn.AcceptUniStream(t.Context())
	require.NoError(t, err)
	var dec wire.Decoder
	require.Equal(t, wire.KindAuthResult, readEnvelope(t, s, &dec).Kind)
	require.Equal(t, "last words", string(readEnvelope(t, s, &dec).Body))
	e := readEnvelope(t, s, &dec)
	require.Equal(t, wire.KindGoodbye, e.Kind)
	g, err := wire.ParseGoodbye(e.Body)
	require.NoError(t, err)
	require.Equal(t, "bye", string(g.Reason))
	closed := rawClosed(t, conn)
	require.EqualValues(t, citadel.CodeApplication+1, closed.ErrorCode)
	require.Equal(t, "bye", closed.ErrorMessage)
}

func TestShutdownFlushes(t *testing.T) {
	const clients = 5
	ln := listen(t, citadel.ListenConfig{})
	readers := make([]*citadeltest.Reader, clients)
	for i := range readers {
		readers[i] = citadeltest.Read(t, dial(t, ln.Addr().String(), citadel.DialConfig{}).Inbox())
		readers[i].Expect(citadel.Opened)
	}
	waiting := rawDial(t, ln.Addr().String()) // has not authenticated
	citadeltest.Eventually(t, "the server knows it", func() bool { return ln.Stats().Open == clients+1 })
	server := citadeltest.Read(t, ln.Inbox())
	for range clients {
		c := server.Expect(citadel.Opened).Conn
		for n := range 500 {
			require.NoError(t, c.SendSession(numbered(n)))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, ln.Shutdown(ctx))
	require.Zero(t, ln.Stats().Open)
	for range clients {
		require.ErrorIs(t, server.Expect(citadel.Closed).Err, citadel.ErrShutdown)
	}
	for _, r := range readers {
		for n := range 500 {
			require.Equal(t, numbered(n), r.Expect(citadel.Session).Body)
		}
		require.ErrorIs(t, r.Expect(citadel.Closed).Err, citadel.ErrShutdown)
	}
	require.EqualValues(t, citadel.CodeShutdown, rawClosed(t, waiting).ErrorCode)
	require.NoError(t, ln.Shutdown(ctx))
	require.NoError(t, ln.Close())
	_, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Config: citadel.Config{HandshakeTimeout: 50 * time.Millisecond}, Pin: pin()})
	require.Error(t, err)
}

func TestShutdownDoesNotWaitForEver(t *testing.T) {
	small := citadel.Config{InboundBytes: 1 << 10}
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{Config: small})
	for range 200 {
		require.NoError(t, p.server.SendSession(make([]byte, 16<<10))) // more than the client can hold
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.ln.Shutdown(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, p.server.Err(), citadel.ErrShutdown)
	for p.atClient.Next().Kind != citadel.Closed {
	}
	require.ErrorIs(t, p.client.Err(), citadel.ErrShutdown)
}

// A peer that falls silent without a word is noticed, by both ends.
func TestSilenceIsNoticed(t *testing.T) {
	t.Parallel()
	byDefault := citadel.Config{IdleTimeout: citadel.DefaultIdleTimeout}
	ln := listen(t, citadel.ListenConfig{Config: byDefault})
	relay, err := netem.Listen(ln.Addr().String(), netem.Config{})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, relay.Addr().String(), citadel.DialConfig{Config: byDefault})
	client, server := citadeltest.Read(t, conn.Inbox()), citadeltest.Read(t, ln.Inbox())
	client.Expect(citadel.Opened)
	server.Expect(citadel.Opened)
	// A connection that has nothing to say stays open.
	time.Sleep(700 * time.Millisecond)
	client.Poll()
	server.Poll()
	require.Empty(t, append(client.Queued(), server.Queued()...))

	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	start := time.Now()
	for _, r := range []*citadeltest.Reader{client, server} {
		end := r.Expect(citadel.Closed)
		require.ErrorIs(t, end.Err, citadel.ErrTimeout)
		require.ErrorIs(t, end.Err, os.ErrDeadlineExceeded)
		require.ErrorIs(t, end.Err, net.ErrClosed)
		var timeout net.Error
		require.ErrorAs(t, end.Err, &timeout)
		require.True(t, timeout.Timeout())
	}
	t.Logf("both ends noticed within %v", time.Since(start))
}

// A server that comes back with the same reset key says so at once.
func TestRestartIsNoticed(t *testing.T) {
	key := [32]byte{1, 2, 3}
	idle := citadel.Config{IdleTimeout: time.Minute} // so that it is not the silence that is noticed
	ln := listen(t, citadel.ListenConfig{Config: idle, StatelessResetKey: &key})
	addr := ln.Addr().String()
	conn := dial(t, addr, citadel.DialConfig{Config: idle})
	client, server := citadeltest.Read(t, conn.Inbox()), citadeltest.Read(t, ln.Inbox())
	client.Expect(citadel.Opened)
	server.Expect(citadel.Opened)

	citadel.Crash(ln)
	require.ErrorIs(t, server.Expect(citadel.Closed).Err, citadel.ErrTransport)
	again, err := citadel.Listen(addr, citadel.ListenConfig{TLS: serverTLS(), StatelessResetKey: &key})
	require.NoError(t, err)
	defer again.Close()

	require.NoError(t, conn.SendSession(make([]byte, 100)))
	end := client.Expect(citadel.Closed)
	require.ErrorIs(t, end.Err, citadel.ErrReset)
}

// Close leaves nothing behind, whatever state the connections were in.
func TestNoGoroutinesAreLeft(t *testing.T) {
	count := func() int {
		runtime.Gosched()
		return runtime.NumGoroutine()
	}
	before := count()
	for round := range 3 {
		ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
			Config:        citadel.Config{Linger: 200 * time.Millisecond},
			TLS:           serverTLS(),
			Authenticator: citadel.FirstOf(citadel.Guests(), tokens()),
		})
		require.NoError(t, err)
		relay, err := netem.Listen(ln.Addr().String(), netem.Config{Lag: 5 * time.Millisecond, Jitter: time.Millisecond})
		require.NoError(t, err)
		var conns []*citadel.Conn
		for n := range 6 {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			conn, err := citadel.Dial(ctx, relay.Addr().String(), citadel.DialConfig{
				Config: citadel.Config{Linger: 200 * time.Millisecond}, Pin: pin(), Token: []byte([]string{"", goodToken, "bad"}[n%3]),
			})
			cancel()
			if n%3 == 2 {
				require.Error(t, err)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, conn.SendSession(make([]byte, 100_000)))
			require.NoError(t, conn.SendDatagram(200, make([]byte, 100)))
			conns = append(conns, conn)
		}
		switch round {
		case 0: // the clients go first
			for _, c := range conns {
				require.NoError(t, c.Close())
			}
			require.NoError(t, ln.Close())
		case 1: // the server goes first
			require.NoError(t, ln.Close())
		case 2: // the network goes first
			require.NoError(t, relay.Update(netem.Config{Loss: 1}))
			require.NoError(t, ln.Close())
		}
		for _, c := range conns {
			require.NoError(t, c.Close())
		}
		require.NoError(t, relay.Close())
	}
	// QUIC's own goroutines end soon after what they served.
	deadline := time.Now().Add(patience)
	for count() > before {
		if time.Now().After(deadline) {
			var stacks strings.Builder
			require.NoError(t, pprof.Lookup("goroutine").WriteTo(&stacks, 1))
			require.LessOrEqual(t, count(), before, stacks.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}
