//go:build unix

package rpc_test

import (
	"bytes"
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// measure runs fn over and over and reports, beside what it takes, what it takes of the processors: on a machine that
// others use as well, the latter is what can be compared.
func measure(b *testing.B, fn func()) {
	b.ReportAllocs()
	begin := cpuTime(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// sink is a peer that counts.
type sink struct{ n int }

func (s *sink) ID() uint64                   { return 1 }
func (s *sink) Identity() citadel.Identity   { return citadel.Identity{} }
func (s *sink) Send(wire.Kind, []byte) error { s.n++; return nil }

// chanPeer is a peer whose responses can be waited for.
type chanPeer chan []byte

func (c chanPeer) ID() uint64                 { return 1 }
func (c chanPeer) Identity() citadel.Identity { return citadel.Identity{} }
func (c chanPeer) Send(_ wire.Kind, body []byte) error {
	c <- bytes.Clone(body)
	return nil
}

func BenchmarkServer(b *testing.B) {
	s := newServer(b, rpc.Config{})
	require.NoError(b, s.HandleLoop("loop", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	require.NoError(b, s.Handle("go", func(_ context.Context, c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	b.Run("loop", func(b *testing.B) {
		e, p := ask(1, "loop", "0123456789abcdef"), new(sink)
		measure(b, func() {
			s.Frame(p, e)
		})
		require.Equal(b, b.N, p.n)
	})
	b.Run("goroutine", func(b *testing.B) {
		e, p := ask(1, "go", "0123456789abcdef"), make(chanPeer)
		measure(b, func() {
			s.Frame(p, e)
			<-p
		})
	})
	b.Run("unknown", func(b *testing.B) {
		e, p := ask(1, "unknown", "0123456789abcdef"), new(sink)
		measure(b, func() {
			s.Frame(p, e)
		})
		require.Equal(b, b.N, p.n)
	})
}

func BenchmarkClient(b *testing.B) {
	c := newClient(b, new(sink), rpc.ClientConfig{})
	reply := make([]byte, 16)
	var body []byte
	done := func([]byte, error) {}
	measure(b, func() {
		id, err := c.Go("m", reply, done)
		if err != nil {
			b.Fatal(err)
		}
		body = wire.AppendRPCResponse(body[:0], wire.RPCResponse{ID: id, Payload: reply})
		c.Frame(wire.Envelope{Kind: wire.KindRPCResponse, Body: body})
	})
}

// BenchmarkRoundTrip is one call after the other over loopback QUIC.
func BenchmarkRoundTrip(b *testing.B) {
	s := newServer(b, rpc.Config{})
	require.NoError(b, s.HandleLoop("loop", func(c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	require.NoError(b, s.Handle("go", func(_ context.Context, c rpc.Call) ([]byte, error) { return c.Payload, nil }))
	_, c := dial(b, listen(b, s))
	for _, method := range []string{"loop", "go"} {
		b.Run(method, func(b *testing.B) {
			payload := make([]byte, 16)
			measure(b, func() {
				if _, err := c.Call(context.Background(), method, payload); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
