package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// What each kind of handler makes of a call is the same on a goroutine and on the loop, and is answered once.
func TestAnswers(t *testing.T) {
	secret := errors.New("pq: relation users does not exist")
	for _, c := range []struct {
		name    string
		handler rpc.LoopHandler
		payload string
		want    response
		told    error // to OnFailure; nil if nothing
		panics  uint64
	}{
		{
			name:    "reply",
			handler: func(c rpc.Call) ([]byte, error) { return append(c.Payload, '!'), nil },
			payload: "hello", want: ok(7, "hello!"),
		},
		{
			name:    "empty reply",
			handler: func(c rpc.Call) ([]byte, error) { return nil, nil },
			want:    ok(7, ""),
		},
		{
			name: "the call",
			handler: func(c rpc.Call) ([]byte, error) {
				return fmt.Appendf(nil, "%s %d %s", c.Method, c.Peer.ID(), c.Peer.Identity().UserID), nil
			},
			want: ok(7, "method 3 theseus"),
		},
		{
			name:    "public error",
			handler: func(rpc.Call) ([]byte, error) { return []byte("lost"), rpc.Errorf("no such %s", "thread") },
			want:    response{7, wire.RPCError, "no such thread"},
		},
		{
			name: "public error within another",
			handler: func(rpc.Call) ([]byte, error) {
				return nil, fmt.Errorf("select * from %s: %w", "secrets", rpc.Errorf("no"))
			},
			want: response{7, wire.RPCError, "no"},
		},
		{
			name: "long public error",
			handler: func(rpc.Call) ([]byte, error) {
				return nil, rpc.Errorf("%s", strings.Repeat("x", rpc.MaxErrorText-1)+"ä")
			},
			want: response{7, wire.RPCError, strings.Repeat("x", rpc.MaxErrorText-1)},
		},
		{
			name:    "public error that is not text",
			handler: func(rpc.Call) ([]byte, error) { return nil, rpc.Errorf("a\xffb") },
			want:    response{7, wire.RPCError, "ab"},
		},
		{
			name:    "internal error",
			handler: func(rpc.Call) ([]byte, error) { return nil, secret },
			want:    refused(7, rpc.ErrInternal), told: secret,
		},
		{
			name:    "deadline of something else",
			handler: func(rpc.Call) ([]byte, error) { return nil, context.DeadlineExceeded },
			want:    refused(7, rpc.ErrInternal), told: context.DeadlineExceeded,
		},
		{
			name:    "the answer of another server",
			handler: func(rpc.Call) ([]byte, error) { return nil, &rpc.Error{Text: "not yours to know"} },
			want:    refused(7, rpc.ErrInternal), told: &rpc.Error{Text: "not yours to know"},
		},
		{
			name:    "panic",
			handler: func(rpc.Call) ([]byte, error) { panic(secret) },
			want:    refused(7, rpc.ErrInternal), panics: 1,
		},
		{
			name:    "nil map",
			handler: func(rpc.Call) ([]byte, error) { var m map[int]int; m[1]++; return nil, nil },
			want:    refused(7, rpc.ErrInternal), panics: 1,
		},
		{
			name:    "reply of the limit",
			handler: func(rpc.Call) ([]byte, error) { return make([]byte, 1000), nil },
			want:    ok(7, string(make([]byte, 1000))),
		},
		{
			name:    "reply beyond the limit",
			handler: func(rpc.Call) ([]byte, error) { return make([]byte, 1001), nil },
			want:    refused(7, rpc.ErrResponseTooLarge),
		},
		{
			name:    "request of the limit",
			handler: func(c rpc.Call) ([]byte, error) { return fmt.Append(nil, len(c.Payload)), nil },
			payload: string(make([]byte, 2000)), want: ok(7, "2000"),
		},
		{
			name:    "request beyond the limit",
			handler: func(c rpc.Call) ([]byte, error) { return nil, nil },
			payload: string(make([]byte, 2001)), want: refused(7, rpc.ErrRequestTooLarge),
		},
	} {
		for _, loop := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/loop=%v", c.name, loop), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told []error
					s := newServer(t, rpc.Config{MaxRequest: 2000, MaxResponse: 1000, OnFailure: func(call rpc.Call, err error) {
						require.Equal(t, "method", call.Method)
						require.Equal(t, c.payload, string(call.Payload))
						told = append(told, err)
					}})
					if loop {
						require.NoError(t, s.HandleLoop("method", c.handler))
					} else {
						require.NoError(t, s.Handle("method", func(ctx context.Context, call rpc.Call) ([]byte, error) {
							return c.handler(call)
						}))
					}
					p := &peer{id: 3}
					e := ask(7, "method", c.payload)
					require.True(t, s.Frame(p, e))
					if !loop {
						clear(e.Body) // it was borrowed
					}
					synctest.Wait()
					require.Equal(t, []response{c.want}, p.responses(t))

					stats := s.Stats()
					require.EqualValues(t, 1, stats.Requests)
					require.Equal(t, c.want.status == wire.RPCOK, stats.Succeeded == 1)
					require.Equal(t, stats.Requests, stats.Succeeded+stats.Failed)
					require.Equal(t, c.panics, stats.Panics)
					require.Zero(t, stats.Running)
					switch {
					case c.panics > 0:
						require.Len(t, told, 1)
						e, ok := errors.AsType[*rpc.PanicError](told[0])
						require.True(t, ok)
						require.NotNil(t, e.Value)
						require.Contains(t, string(e.Stack), "TestAnswers")
					case c.told != nil:
						require.Equal(t, []error{c.told}, told)
					default:
						require.Empty(t, told)
					}
				})
			})
		}
	}
}

func TestUnknownMethod(t *testing.T) {
	s, p := newServer(t, rpc.Config{}), &peer{id: 3}
	require.NoError(t, s.HandleLoop("known", func(rpc.Call) ([]byte, error) { return nil, nil }))
	for i, name := range []string{"", "unknown", "Known", "known ", strings.Repeat("x", wire.MaxString)} {
		require.True(t, s.Frame(p, ask(uint64(i), name, "payload")))
		require.Equal(t, []response{refused(uint64(i), rpc.ErrUnknownMethod)}, p.responses(t))
	}
	require.EqualValues(t, 5, s.Stats().UnknownMethod)
}

// Ids are the client's own affair: 0, the same one twice and the largest are answered as they come.
func TestServerTakesAnyID(t *testing.T) {
	s, p := newServer(t, rpc.Config{}), &peer{id: 3}
	require.NoError(t, s.HandleLoop("echo", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	for _, id := range []uint64{0, 1, 1, 1<<64 - 1} {
		s.Frame(p, ask(id, "echo", "x"))
		require.Equal(t, []response{ok(id, "x")}, p.responses(t))
	}
}

// A handler that ends its goroutine, as a failing test does, is one that failed.
func TestGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newServer(t, rpc.Config{MaxCalls: 1}), &peer{id: 3}
		require.NoError(t, s.Handle("exit", func(context.Context, rpc.Call) ([]byte, error) {
			runtime.Goexit()
			return nil, nil
		}))
		for id := range uint64(3) {
			s.Frame(p, ask(id, "exit", ""))
			synctest.Wait()
			require.Equal(t, []response{refused(id, rpc.ErrInternal)}, p.responses(t))
		}
	})
}

func TestRegistration(t *testing.T) {
	s := newServer(t, rpc.Config{})
	h := func(context.Context, rpc.Call) ([]byte, error) { return nil, nil }
	require.NoError(t, s.Handle("a", h))
	require.NoError(t, s.Handle("", h), "an odd name, but a name")
	require.ErrorIs(t, s.Handle("a", h), rpc.ErrMethod)
	require.ErrorIs(t, s.HandleLoop("a", func(rpc.Call) ([]byte, error) { return nil, nil }), rpc.ErrMethod)
	require.ErrorIs(t, s.Handle("nil", nil), rpc.ErrMethod)
	require.ErrorIs(t, s.HandleLoop("nil", nil), rpc.ErrMethod)
	require.ErrorIs(t, s.Handle("\xff", h), rpc.ErrMethod)
	require.ErrorIs(t, s.Handle(strings.Repeat("x", wire.MaxString+1), h), rpc.ErrMethod)
	require.ErrorIs(t, s.HandleTimeout("b", 0, h), rpc.ErrMethod)
	require.ErrorIs(t, s.HandleTimeout("b", -1, h), rpc.ErrMethod)
	require.NoError(t, s.HandleTimeout("b", 1, h))
}

func TestConfig(t *testing.T) {
	for field, cfg := range map[string]rpc.Config{
		"Config.Timeout":     {Timeout: -1},
		"Config.MaxPerPeer":  {MaxPerPeer: -1},
		"Config.MaxCalls":    {MaxCalls: -1},
		"Config.MaxRequest":  {MaxRequest: -1},
		"Config.MaxResponse": {MaxResponse: wire.MaxBody - wire.RPCResponseHeaderBytes + 1},
	} {
		_, err := rpc.NewServer(cfg)
		e, ok := errors.AsType[*rpc.ConfigError](err)
		require.True(t, ok, field)
		require.Equal(t, field, e.Field)
	}
	_, err := rpc.NewClient(&peer{}, rpc.ClientConfig{MaxOutstanding: -1})
	require.ErrorContains(t, err, "ClientConfig.MaxOutstanding")
}

// The queue of a connection may be smaller than the largest response. The caller is told all the same.
func TestResponseTooLargeForTheConnection(t *testing.T) {
	s, p := newServer(t, rpc.Config{}), &peer{id: 3, limit: 500}
	require.NoError(t, s.HandleLoop("big", func(rpc.Call) ([]byte, error) { return make([]byte, 500), nil }))
	s.Frame(p, ask(1, "big", ""))
	require.Equal(t, []response{refused(1, rpc.ErrResponseTooLarge)}, p.responses(t))
	require.EqualValues(t, 1, s.Stats().ResponseTooLarge)
	require.EqualValues(t, 1, s.Stats().Failed)
}

// Calls that run are bounded, for each peer and for all. Those beyond are answered at once and do not wait.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, rpc.Config{MaxPerPeer: 2, MaxCalls: 3})
		let := make(chan struct{})
		require.NoError(t, s.Handle("wait", func(context.Context, rpc.Call) ([]byte, error) {
			<-let
			return nil, nil
		}))
		require.NoError(t, s.HandleLoop("loop", func(rpc.Call) ([]byte, error) { return nil, nil }))
		a, b := &peer{id: 1}, &peer{id: 2}
		for id := range uint64(4) {
			s.Frame(a, ask(id, "wait", ""))
			s.Frame(b, ask(id, "wait", ""))
		}
		synctest.Wait()
		require.Equal(t, []response{refused(2, rpc.ErrBusy), refused(3, rpc.ErrBusy)}, a.responses(t))
		require.Equal(t, []response{refused(1, rpc.ErrBusy), refused(2, rpc.ErrBusy), refused(3, rpc.ErrBusy)}, b.responses(t))
		require.EqualValues(t, 5, s.Stats().Busy)
		require.Equal(t, 3, s.Stats().Running)

		s.Frame(a, ask(9, "loop", ""))
		require.Equal(t, []response{ok(9, "")}, a.responses(t), "the loop has no places to take")

		close(let)
		synctest.Wait()
		require.Len(t, a.responses(t), 2)
		require.Equal(t, []response{ok(0, "")}, b.responses(t))
		require.Zero(t, s.Stats().Running)
		s.Frame(b, ask(10, "wait", ""))
		synctest.Wait()
		require.Equal(t, []response{ok(10, "")}, b.responses(t))
	})
}

// eager is a peer that asks again while it is being answered.
type eager struct {
	peer
	server *rpc.Server
	left   int
}

func (e *eager) Send(kind wire.Kind, body []byte) error {
	err := e.peer.Send(kind, body)
	if e.left--; e.left > 0 {
		e.server.Frame(e, ask(1, "echo", ""))
	}
	return err
}

// A caller that waits for each answer before it asks again never finds its place taken.
func TestPlaceIsFreeWhenTheAnswerComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, rpc.Config{MaxPerPeer: 1, MaxCalls: 1})
		require.NoError(t, s.Handle("echo", func(_ context.Context, c rpc.Call) ([]byte, error) { return c.Payload, nil }))
		p := &eager{peer: peer{id: 3}, server: s, left: 100}
		s.Frame(p, ask(1, "echo", ""))
		synctest.Wait()
		answers := p.responses(t)
		require.Len(t, answers, 100)
		for _, r := range answers {
			require.Equal(t, ok(1, ""), r)
		}
		require.NoError(t, s.Shutdown(t.Context()))
	})
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		s := newServer(t, rpc.Config{Timeout: 3 * time.Second, MaxCalls: 2, OnFailure: func(_ rpc.Call, err error) { told = append(told, err) }})
		let := make(chan struct{})
		obedient := func(ctx context.Context, _ rpc.Call) ([]byte, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("asking the oracle: %w", ctx.Err())
		}
		require.NoError(t, s.Handle("obedient", obedient))
		require.NoError(t, s.HandleTimeout("patient", 5*time.Second, obedient))
		require.NoError(t, s.Handle("deaf", func(context.Context, rpc.Call) ([]byte, error) {
			<-let
			return []byte("too late"), nil
		}))
		p := &peer{id: 3}
		s.Frame(p, ask(1, "obedient", ""))
		s.Frame(p, ask(2, "patient", ""))
		time.Sleep(3*time.Second - 1)
		require.Empty(t, p.responses(t))
		time.Sleep(1)
		synctest.Wait()
		require.Equal(t, []response{refused(1, rpc.ErrDeadline)}, p.responses(t))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []response{refused(2, rpc.ErrDeadline)}, p.responses(t))
		require.Empty(t, told, "who obeys has not failed")
		require.Zero(t, s.Stats().Running)

		// A handler that ignores its deadline keeps its place, and what it returns is nobody's.
		s.Frame(p, ask(3, "deaf", ""))
		s.Frame(p, ask(4, "deaf", ""))
		time.Sleep(time.Minute)
		require.Equal(t, []response{refused(3, rpc.ErrDeadline), refused(4, rpc.ErrDeadline)}, sorted(p.responses(t)))
		require.Equal(t, 2, s.Stats().Running)
		s.Frame(p, ask(5, "deaf", ""))
		require.Equal(t, []response{refused(5, rpc.ErrBusy)}, p.responses(t))
		close(let)
		synctest.Wait()
		require.Empty(t, p.responses(t))
		stats := s.Stats()
		require.EqualValues(t, 4, stats.TimedOut)
		require.EqualValues(t, 4, stats.Late)
		require.Zero(t, stats.Running)
		require.Equal(t, stats.Requests, stats.Succeeded+stats.Failed+stats.Unsent)
	})
}

// When a caller is gone, what runs for it learns that, and nobody is answered.
func TestCallerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, rpc.Config{})
		causes := make(chan error, 2)
		require.NoError(t, s.Handle("wait", func(ctx context.Context, _ rpc.Call) ([]byte, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}))
		gone, other := &peer{id: 1}, &peer{id: 2}
		s.Frame(gone, ask(1, "wait", ""))
		s.Frame(gone, ask(2, "wait", ""))
		s.Frame(other, ask(1, "wait", ""))
		s.Closed(gone)
		synctest.Wait()
		require.Equal(t, rpc.ErrClosed, <-causes)
		require.Equal(t, rpc.ErrClosed, <-causes)
		require.Empty(t, gone.responses(t))
		require.Equal(t, 1, s.Stats().Running)
		require.EqualValues(t, 2, s.Stats().Unsent)

		time.Sleep(rpc.DefaultTimeout)
		synctest.Wait()
		require.Equal(t, []response{refused(1, rpc.ErrDeadline)}, other.responses(t))
		s.Closed(other) // nothing runs for it
		s.Closed(&peer{id: 9})
	})
}

func TestUnsent(t *testing.T) {
	s, p := newServer(t, rpc.Config{}), &peer{id: 3}
	require.NoError(t, s.HandleLoop("echo", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	p.close()
	s.Frame(p, ask(1, "echo", ""))
	s.Frame(p, ask(2, "unknown", ""))
	require.EqualValues(t, 2, s.Stats().Unsent)
	require.Zero(t, s.Stats().Succeeded+s.Stats().Failed)
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, rpc.Config{})
		let := make(chan struct{})
		require.NoError(t, s.Handle("let", func(context.Context, rpc.Call) ([]byte, error) {
			<-let
			return nil, nil
		}))
		require.NoError(t, s.Handle("wait", func(ctx context.Context, _ rpc.Call) ([]byte, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}))
		p := &peer{id: 3}
		s.Frame(p, ask(1, "let", ""))
		s.Frame(p, ask(2, "wait", ""))

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Shutdown(ctx) }()
		synctest.Wait()
		s.Frame(p, ask(3, "let", ""))
		s.Frame(p, ask(4, "unknown", ""))
		require.Equal(t, []response{refused(3, rpc.ErrShutdown), refused(4, rpc.ErrShutdown)}, p.responses(t))
		close(let)
		synctest.Wait()
		require.Equal(t, []response{ok(1, "")}, p.responses(t), "what runs may end")
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.NoError(t, s.Shutdown(t.Context()))
		require.Equal(t, []response{refused(2, rpc.ErrShutdown)}, p.responses(t))
		require.NoError(t, s.Shutdown(ctx), "nothing is left to wait for")
	})
}

func TestShutdownOfAnIdleServer(t *testing.T) {
	s := newServer(t, rpc.Config{})
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, s.Shutdown(t.Context()))
}
