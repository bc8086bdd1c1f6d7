package rpc_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// result is how a call ended.
type result struct {
	reply string
	err   error
}

// start makes a call that is answered into a channel.
func start(t *testing.T, c *rpc.Client, ctx context.Context, method, payload string) <-chan result {
	t.Helper()
	ch := make(chan result, 1)
	go func() {
		reply, err := c.Call(ctx, method, []byte(payload))
		ch <- result{string(reply), err}
	}()
	synctest.Wait()
	return ch
}

func TestCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := new(peer)
		c := newClient(t, conn, rpc.ClientConfig{})
		first := start(t, c, t.Context(), "first", "1")
		second := start(t, c, t.Context(), "second", "2")
		require.Equal(t, []wire.Envelope{ask(1, "first", "1"), ask(2, "second", "2")}, conn.take())

		body := answer(2, wire.RPCOK, "zwei")
		require.True(t, c.Frame(body), "answers come in any order")
		synctest.Wait()
		clear(body.Body) // it was borrowed
		require.Equal(t, result{reply: "zwei"}, <-second)
		require.True(t, c.Frame(answer(1, wire.RPCError, "no")))
		r := <-first
		require.Empty(t, r.reply)
		require.Equal(t, &rpc.Error{Status: wire.RPCError, Text: "no"}, r.err)
		require.Equal(t, rpc.ClientStats{Calls: 2, Answered: 2}, c.Stats())
	})
}

// Errors of the server match by their words, and what is wrong with those is put right.
func TestErrorsOfTheServer(t *testing.T) {
	call := func(status wire.RPCStatus, text string) error {
		c := newClient(t, new(peer), rpc.ClientConfig{})
		var failure error
		_, err := c.Go("m", nil, func(_ []byte, err error) { failure = err })
		require.NoError(t, err)
		c.Frame(answer(1, status, text))
		return failure
	}
	require.ErrorIs(t, call(wire.RPCError, "too many calls"), rpc.ErrBusy)
	require.NotErrorIs(t, call(wire.RPCError, "too many calls"), rpc.ErrDeadline)
	require.ErrorIs(t, call(9, "unknown method"), rpc.ErrUnknownMethod, "a status of the future")
	e, ok := errors.AsType[*rpc.Error](call(9, "odd"))
	require.True(t, ok)
	require.EqualValues(t, 9, e.Status)
	require.EqualError(t, call(wire.RPCError, "a\nb\xff"), `rpc: server answered "a\nb"`)
	e, _ = errors.AsType[*rpc.Error](call(wire.RPCError, strings.Repeat("ä", 1<<20)))
	require.Equal(t, strings.Repeat("ä", rpc.MaxErrorText/2), e.Text)
}

func TestStaleResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, new(peer), rpc.ClientConfig{})
		for _, id := range []uint64{0, 1, 99} {
			require.True(t, c.Frame(answer(id, wire.RPCOK, "unasked")))
		}
		ctx, cancel := context.WithCancel(t.Context())
		given := start(t, c, ctx, "m", "")
		cancel()
		r := <-given
		require.ErrorIs(t, r.err, context.Canceled)
		require.True(t, c.Frame(answer(1, wire.RPCOK, "too late")))

		other := start(t, c, t.Context(), "m", "")
		require.True(t, c.Frame(answer(2, wire.RPCOK, "once")))
		require.True(t, c.Frame(answer(2, wire.RPCOK, "twice")))
		require.Equal(t, result{reply: "once"}, <-other)
		for n := range wire.RPCResponseHeaderBytes {
			require.True(t, c.Frame(wire.Envelope{Kind: wire.KindRPCResponse, Body: make([]byte, n)}))
		}
		require.False(t, c.Frame(ask(1, "m", "")))
		require.Equal(t, rpc.ClientStats{
			Calls: 2, Answered: 1, GivenUp: 1, Stale: 5, Malformed: wire.RPCResponseHeaderBytes,
		}, c.Stats())
	})
}

func TestCallWithContextOver(t *testing.T) {
	conn := new(peer)
	c := newClient(t, conn, rpc.ClientConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Call(ctx, "m", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, conn.take())
}

func TestGo(t *testing.T) {
	conn := new(peer)
	c := newClient(t, conn, rpc.ClientConfig{})
	var got []string
	done := func(reply []byte, err error) {
		require.NoError(t, err)
		got = append(got, string(reply))
		if len(got) < 3 { // a callback may call
			_, err := c.Go("again", reply, nil)
			require.NoError(t, err)
		}
	}
	id, err := c.Go("m", nil, done)
	require.NoError(t, err)
	require.EqualValues(t, 1, id)
	c.Frame(answer(1, wire.RPCOK, "a"))
	require.Equal(t, []string{"a"}, got)
	require.Equal(t, []wire.Envelope{ask(1, "m", ""), ask(2, "again", "a")}, conn.take())
	require.False(t, c.GiveUp(1))
	require.True(t, c.GiveUp(2))
	require.False(t, c.GiveUp(2))
	require.False(t, c.GiveUp(77))

	_, err = c.Go("nobody cares", nil, nil)
	require.NoError(t, err)
	c.Frame(answer(3, wire.RPCOK, ""))
	require.EqualValues(t, 2, c.Stats().Answered)
}

func TestTooManyCalls(t *testing.T) {
	conn := new(peer)
	c := newClient(t, conn, rpc.ClientConfig{MaxOutstanding: 2})
	for range 2 {
		_, err := c.Go("m", nil, nil)
		require.NoError(t, err)
	}
	_, err := c.Go("m", nil, nil)
	require.ErrorIs(t, err, rpc.ErrTooManyCalls)
	_, err = c.Call(t.Context(), "m", nil)
	require.ErrorIs(t, err, rpc.ErrTooManyCalls)
	require.Equal(t, 2, c.Stats().Outstanding)
	c.Frame(answer(2, wire.RPCOK, ""))
	id, err := c.Go("m", nil, nil)
	require.NoError(t, err)
	require.EqualValues(t, 3, id, "a refused call takes no id")
}

func TestUnusableCalls(t *testing.T) {
	conn := &peer{limit: 1000}
	c := newClient(t, conn, rpc.ClientConfig{})
	for _, method := range []string{"\xff", strings.Repeat("x", wire.MaxString+1)} {
		_, err := c.Go(method, nil, nil)
		require.ErrorIs(t, err, rpc.ErrMethod)
	}
	_, err := c.Go("m", make([]byte, 1000), nil)
	require.ErrorIs(t, err, wire.ErrFrameTooLarge)
	require.NotErrorIs(t, err, rpc.ErrClosed)
	require.Zero(t, c.Stats().Outstanding)
	conn.close()
	_, err = c.Go("m", nil, nil)
	require.ErrorIs(t, err, rpc.ErrClosed)
	require.ErrorIs(t, err, net.ErrClosed)
	require.Zero(t, c.Stats().Outstanding)
}

func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, new(peer), rpc.ClientConfig{})
		var failed []uint64
		for id := uint64(1); id <= 20; id++ {
			_, err := c.Go("m", nil, func(_ []byte, err error) {
				require.ErrorIs(t, err, rpc.ErrClosed)
				failed = append(failed, id)
				_, again := c.Go("m", nil, nil)
				require.ErrorIs(t, again, rpc.ErrClosed)
			})
			require.NoError(t, err)
		}
		call := start(t, c, t.Context(), "m", "")
		why := &citadel.CloseError{Code: citadel.CodeTimeout}
		c.Closed(why)
		for i, id := range failed {
			require.EqualValues(t, i+1, id, "in the order of the calls")
		}
		require.Len(t, failed, 20)
		r := <-call
		require.ErrorIs(t, r.err, rpc.ErrClosed)
		require.ErrorIs(t, r.err, citadel.ErrTimeout)
		c.Close()
		_, err := c.Call(t.Context(), "m", nil)
		require.ErrorIs(t, err, citadel.ErrTimeout, "the first reason stays")
		require.True(t, c.Frame(answer(1, wire.RPCOK, "")))
		require.EqualValues(t, 1, c.Stats().Stale)
	})
}

func TestClose(t *testing.T) {
	c := newClient(t, new(peer), rpc.ClientConfig{})
	c.Close()
	_, err := c.Go("m", nil, nil)
	require.Equal(t, rpc.ErrClosed, err)
}

// Calls from many goroutines, given up at any moment: each ends once, and ids reach the server in their order.
func TestConcurrentCalls(t *testing.T) {
	const goroutines, calls = 8, 100
	conn := new(peer)
	c := newClient(t, conn, rpc.ClientConfig{MaxOutstanding: goroutines})
	stop := make(chan struct{})
	var loop sync.WaitGroup
	var last uint64
	serve := func() {
		for _, e := range conn.take() {
			r, err := wire.ParseRPCRequest(e.Body)
			if err != nil || r.ID != last+1 {
				t.Errorf("request %d after %d: %v", r.ID, last, err)
			}
			last = r.ID
			c.Frame(answer(r.ID, wire.RPCOK, string(r.Payload)))
		}
	}
	loop.Go(func() {
		for {
			serve()
			select {
			case <-stop:
				serve()
				return
			default:
			}
		}
	})
	var callers sync.WaitGroup
	for g := range goroutines {
		callers.Go(func() {
			for i := range calls {
				want := []byte{byte(g), byte(i), byte(i >> 8)}
				ctx, cancel := context.WithCancel(t.Context())
				if i%3 == 0 {
					go cancel()
				}
				got, err := c.Call(ctx, "echo", want)
				cancel()
				if err == nil && !bytes.Equal(want, got) || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("call of %v: %v, %v", want, got, err)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	loop.Wait()
	stats := c.Stats()
	require.Zero(t, stats.Outstanding)
	require.Equal(t, stats.Calls, stats.Answered+stats.GivenUp)
	require.Equal(t, stats.Calls, last)
}
