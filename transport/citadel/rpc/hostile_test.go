package rpc_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func sorted(rs []response) []response {
	slices.SortFunc(rs, func(a, b response) int { return cmp.Compare(a.id, b.id) })
	return rs
}

// What cannot be parsed is dropped, counted, and answered by nobody.
func TestMalformedRequests(t *testing.T) {
	s, p := newServer(t, rpc.Config{}), &peer{id: 3}
	require.NoError(t, s.HandleLoop("m", func(rpc.Call) ([]byte, error) { return nil, nil }))
	whole := ask(5, "m", "").Body
	bodies := [][]byte{nil}
	for n := range len(whole) {
		bodies = append(bodies, whole[:n])
	}
	bodies = append(bodies,
		append(slices.Clone(whole[:8]), 0xff, 0xff),
		append(slices.Clone(whole[:8]), 0, 3, 'a', 'b'),
		append(slices.Clone(whole[:8]), 0, 1, 0xff),
		append(slices.Clone(whole[:8]), 0, 2, 0xc3, '('),
	)
	for _, b := range bodies {
		require.True(t, s.Frame(p, wire.Envelope{Kind: wire.KindRPCRequest, Body: b}))
	}
	require.EqualValues(t, len(bodies), s.Stats().Malformed)
	require.Zero(t, s.Stats().Requests)
	require.Empty(t, p.responses(t))

	for _, kind := range []wire.Kind{wire.KindRPCResponse, wire.KindAuth, wire.KindPosition, 100, 0xffff} {
		require.False(t, s.Frame(p, wire.Envelope{Kind: kind, Body: whole}), "somebody else's")
	}
}

// Whatever comes and whatever handlers do, every request that can be parsed is answered once, to its caller, with an
// answer that fits it.
func TestEveryRequestIsAnsweredOnce(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := newServer(t, rpc.Config{MaxPerPeer: 3, MaxCalls: 5, Timeout: 20 * time.Millisecond, MaxRequest: 100})
			sleep := func(c rpc.Call) { time.Sleep(time.Duration(c.Payload[0]%40) * time.Millisecond) }
			require.NoError(t, s.Handle("echo", func(_ context.Context, c rpc.Call) ([]byte, error) {
				sleep(c)
				return c.Payload, nil
			}))
			require.NoError(t, s.Handle("error", func(_ context.Context, c rpc.Call) ([]byte, error) {
				sleep(c)
				return nil, errors.New("internal")
			}))
			require.NoError(t, s.Handle("panic", func(_ context.Context, c rpc.Call) ([]byte, error) {
				sleep(c)
				panic("aah")
			}))
			require.NoError(t, s.HandleLoop("loop", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))

			methods := []string{"echo", "error", "panic", "loop", "none"}
			peers := []*peer{{id: 1}, {id: 2}, {id: 3}}
			asked := map[*peer]map[uint64]string{}
			methodOf := map[uint64]string{}
			var malformed uint64
			next := uint64(0)
			for range 400 {
				p := peers[rng.IntN(len(peers))]
				next++
				payload := make([]byte, 1+rng.IntN(110))
				for i := range payload {
					payload[i] = byte(rng.Uint32())
				}
				method := methods[rng.IntN(len(methods))]
				e := ask(next, method, string(payload))
				if rng.IntN(10) == 0 {
					e.Body = e.Body[:rng.IntN(wire.RPCRequestHeaderBytes+len(method))]
					malformed++
				} else {
					if asked[p] == nil {
						asked[p] = map[uint64]string{}
					}
					asked[p][next], methodOf[next] = string(payload), method
				}
				require.True(t, s.Frame(p, e))
				if rng.IntN(3) == 0 {
					time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
				}
			}
			require.NoError(t, s.Shutdown(t.Context()))

			for _, p := range peers {
				for _, r := range p.responses(t) {
					payload, ok := asked[p][r.id]
					require.True(t, ok, "an answer to nothing, or the second one, or to somebody else")
					delete(asked[p], r.id)
					if r.status == wire.RPCOK {
						require.Equal(t, payload, r.text)
						require.Contains(t, []string{"echo", "loop"}, methodOf[r.id])
						outcomes["ok"]++
						continue
					}
					outcomes[r.text]++
					if methodOf[r.id] == "loop" {
						require.Equal(t, "request too large", r.text)
					}
				}
				require.Empty(t, asked[p], "requests without an answer")
			}
			stats := s.Stats()
			require.Equal(t, malformed, stats.Malformed)
			require.Equal(t, stats.Requests, stats.Succeeded+stats.Failed)
			require.Zero(t, stats.Running)
		})
	}
	for _, text := range []string{"ok", "internal error", "deadline exceeded", "too many calls", "unknown method", "request too large"} {
		require.NotZero(t, outcomes[text], "never seen: %s", text)
	}
}

// A caller that floods the server gets as many answers as it makes requests, and no more than its share of the
// server; another finds its own.
func TestFlood(t *testing.T) {
	const flood = 10_000
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, rpc.Config{MaxPerPeer: 4})
		require.NoError(t, s.Handle("slow", func(ctx context.Context, _ rpc.Call) ([]byte, error) {
			time.Sleep(time.Second)
			return nil, nil
		}))
		flooder, other := &peer{id: 1}, &peer{id: 2}
		for id := range uint64(flood) {
			s.Frame(flooder, ask(id, "slow", ""))
		}
		require.Equal(t, 4, s.Stats().Running)
		s.Frame(other, ask(1, "slow", ""))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []response{ok(1, "")}, other.responses(t))
		require.Len(t, flooder.responses(t), flood)
	})
}

func FuzzRequest(f *testing.F) {
	f.Add(ask(1, "echo", "payload").Body)
	f.Add(ask(2, "panic", "").Body)
	f.Add(ask(3, "nothing", "").Body)
	f.Add([]byte{})
	f.Add(ask(4, "echo", "").Body[:9])
	f.Fuzz(func(t *testing.T, body []byte) {
		s, p := newServer(t, rpc.Config{MaxRequest: 50}), &peer{id: 3}
		require.NoError(t, s.HandleLoop("echo", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))
		require.NoError(t, s.HandleLoop("panic", func(c rpc.Call) ([]byte, error) { panic("aah") }))
		s.Frame(p, wire.Envelope{Kind: wire.KindRPCRequest, Body: body})
		got := p.responses(t)
		req, err := wire.ParseRPCRequest(body)
		if err != nil {
			require.Empty(t, got)
			return
		}
		want := refused(req.ID, rpc.ErrUnknownMethod)
		switch method := string(req.Method); {
		case method != "echo" && method != "panic":
		case len(req.Payload) > 50:
			want = refused(req.ID, rpc.ErrRequestTooLarge)
		case method == "panic":
			want = refused(req.ID, rpc.ErrInternal)
		default:
			want = ok(req.ID, string(req.Payload))
		}
		require.Equal(t, []response{want}, got)
	})
}

func FuzzResponse(f *testing.F) {
	f.Add(answer(1, wire.RPCOK, "reply").Body)
	f.Add(answer(1, wire.RPCError, "a\xffb").Body)
	f.Add(answer(1, 77, "").Body)
	f.Add(answer(2, wire.RPCOK, "").Body)
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		c := newClient(t, &peer{}, rpc.ClientConfig{})
		calls := 0
		var reply []byte
		var failure error
		_, err := c.Go("m", nil, func(b []byte, err error) {
			calls++
			reply, failure = slices.Clone(b), err
		})
		require.NoError(t, err)
		require.True(t, c.Frame(wire.Envelope{Kind: wire.KindRPCResponse, Body: body}))
		r, err := wire.ParseRPCResponse(body)
		if err != nil || r.ID != 1 {
			require.Zero(t, calls)
			require.EqualValues(t, 1, c.Stats().Malformed+c.Stats().Stale)
			return
		}
		require.Equal(t, 1, calls)
		if r.Status == wire.RPCOK {
			require.NoError(t, failure)
			require.Equal(t, string(r.Payload), string(reply))
			return
		}
		e, ok := errors.AsType[*rpc.Error](failure)
		require.True(t, ok)
		require.Equal(t, r.Status, e.Status)
		require.LessOrEqual(t, len(e.Text), rpc.MaxErrorText)
	})
}
