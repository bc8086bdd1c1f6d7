package rpc_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// patience bounds every wait of the tests. A test that is right never needs it.
const patience = 20 * time.Second

var devCert = sync.OnceValues(func() (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		panic(err)
	}
	return cert, pin
})

// listen starts a server whose loop gives events to the RPC server first. It is stopped with the test.
func listen(t testing.TB, s *rpc.Server) *citadel.Listener {
	t.Helper()
	cert, _ := devCert()
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	require.NoError(t, err)
	stop := loop(ln.Inbox(), func(e citadel.Event) { s.Receive(e) })
	t.Cleanup(func() {
		_ = ln.Close()
		stop()
	})
	return ln
}

// dial connects a client whose loop runs until the test ends.
func dial(t testing.TB, ln *citadel.Listener) (*citadel.Conn, *rpc.Client) {
	t.Helper()
	_, pin := devCert()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Pin: pin})
	require.NoError(t, err)
	c := newClient(t, conn, rpc.ClientConfig{})
	stop := loop(conn.Inbox(), func(e citadel.Event) { c.Receive(e) })
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
	})
	return conn, c
}

// loop drains an inbox until it is stopped.
func loop(inbox *citadel.Inbox, fn func(citadel.Event)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for inbox.Wait(ctx) == nil {
			inbox.Drain(fn)
		}
		inbox.Drain(fn)
	}()
	return func() {
		cancel()
		<-done
	}
}

func TestOverQUIC(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("calls", func(t *testing.T) {
		s := newServer(t, rpc.Config{MaxPerPeer: 64})
		require.NoError(t, s.Handle("echo", func(_ context.Context, c rpc.Call) ([]byte, error) { return c.Payload, nil }))
		require.NoError(t, s.HandleLoop("whoami", func(c rpc.Call) ([]byte, error) {
			return fmt.Appendf(nil, "%v", c.Peer.Identity().Guest), nil
		}))
		ln := listen(t, s)
		var callers sync.WaitGroup
		for range 4 {
			_, c := dial(t, ln)
			for g := range 4 {
				callers.Go(func() {
					for n := range 25 {
						want := bytes.Repeat([]byte{byte(g)}, n*100)
						got, err := c.Call(t.Context(), "echo", want)
						if err != nil || !bytes.Equal(want, got) {
							t.Errorf("echo of %d bytes: %d, %v", len(want), len(got), err)
						}
						if got, err := c.Call(t.Context(), "whoami", nil); err != nil || string(got) != "true" {
							t.Errorf("whoami: %s, %v", got, err)
						}
					}
				})
			}
			_, err := c.Call(citadeltest.Within(t), "unknown", nil)
			require.ErrorIs(t, err, rpc.ErrUnknownMethod)
			_, err = c.Call(citadeltest.Within(t), "echo", make([]byte, rpc.DefaultMaxRequest+1))
			require.ErrorIs(t, err, rpc.ErrRequestTooLarge)
		}
		callers.Wait()
		stats := s.Stats()
		require.EqualValues(t, 4*4*25*2, stats.Succeeded)
		require.EqualValues(t, 8, stats.Failed)
	})
	t.Run("the server disconnects", func(t *testing.T) {
		s := newServer(t, rpc.Config{})
		entered := make(chan *citadel.Conn, 1)
		cause := make(chan error, 1)
		require.NoError(t, s.Handle("wait", func(ctx context.Context, c rpc.Call) ([]byte, error) {
			entered <- c.Peer.(*citadel.Conn)
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return nil, ctx.Err()
		}))
		ln := listen(t, s)
		_, c := dial(t, ln)
		failed := make(chan error, 1)
		go func() {
			_, err := c.Call(t.Context(), "wait", nil)
			failed <- err
		}()
		(<-entered).Disconnect(citadel.CodeApplication, "enough")
		err := <-failed
		require.ErrorIs(t, err, rpc.ErrClosed)
		var closed *citadel.CloseError
		require.ErrorAs(t, err, &closed)
		require.Equal(t, "enough", closed.Reason)
		require.Equal(t, rpc.ErrClosed, <-cause)
		require.NoError(t, s.Shutdown(citadeltest.Within(t)))
		_, err = c.Call(citadeltest.Within(t), "wait", nil)
		require.ErrorIs(t, err, rpc.ErrClosed)
	})
	t.Run("datagrams", func(t *testing.T) {
		s := newServer(t, rpc.Config{})
		require.NoError(t, s.HandleLoop("echo", func(c rpc.Call) ([]byte, error) {
			return nil, c.Peer.(*citadel.Conn).SendDatagram(wire.KindRPCResponse, answer(1, wire.RPCOK, "forged").Body)
		}))
		conn, c := dial(t, listen(t, s))
		require.NoError(t, conn.SendDatagram(wire.KindRPCRequest, ask(9, "echo", "").Body))
		citadeltest.Eventually(t, "a request as a datagram is counted", func() bool { return s.Stats().Unreliable == 1 })
		reply, err := c.Call(citadeltest.Within(t), "echo", nil)
		require.NoError(t, err)
		require.Empty(t, reply)
		citadeltest.Eventually(t, "a response as a datagram is counted", func() bool { return c.Stats().Unreliable == 1 })
		require.EqualValues(t, 1, s.Stats().Requests)
	})
	// A caller that does not take its answers loses its connection, and nobody else anything.
	t.Run("a caller that does not read", func(t *testing.T) {
		s := newServer(t, rpc.Config{})
		reply := make([]byte, rpc.DefaultMaxResponse)
		require.NoError(t, s.HandleLoop("big", func(rpc.Call) ([]byte, error) { return reply, nil }))
		ln := listen(t, s)
		_, pin := devCert()
		deaf, err := citadel.Dial(citadeltest.Within(t), ln.Addr().String(), citadel.DialConfig{Pin: pin})
		require.NoError(t, err)
		defer deaf.Close()
		_, other := dial(t, ln)
		for id := uint64(1); deaf.Err() == nil; id++ {
			_ = deaf.Send(wire.KindRPCRequest, ask(id, "big", "").Body)
			if id%10 == 0 {
				got, err := other.Call(citadeltest.Within(t), "big", nil)
				require.NoError(t, err)
				require.Len(t, got, len(reply))
			}
		}
		require.ErrorIs(t, deaf.Err(), citadel.ErrOverflow)
	})
	citadeltest.Eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}
