//go:build unix

package citadel_test

import (
	"context"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const echoConns = 100

// echoes runs rounds, in each of which every connection gets one echo, and reports the cost of an echo.
func echoes(b *testing.B, round func()) {
	for range 50 {
		round()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpuTime(b)
	for b.Loop() {
		round()
	}
	b.StopTimer()
	cpu := cpuTime(b) - start
	runtime.ReadMemStats(&after)
	n := float64(b.N) * echoConns
	b.ReportMetric(float64(cpu)/n, "cpu-ns/echo")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/echo")
}

// BenchmarkEcho is a server with many clients, each of which says something and gets it back.
func BenchmarkEcho(b *testing.B) {
	b.Run("citadel", func(b *testing.B) {
		ln := listen(b, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}})
		inbox := citadel.NewInbox()
		var clients []*citadel.Conn
		for range echoConns {
			clients = append(clients, dial(b, ln.Addr().String(), citadel.DialConfig{Config: citadel.Config{Inbox: inbox, ManualFlush: true}}))
		}
		ctx, cancel := context.WithCancel(context.Background())
		var loop sync.WaitGroup
		loop.Go(func() {
			for ln.Inbox().Wait(ctx) == nil {
				ln.Inbox().Drain(func(e citadel.Event) {
					if e.Kind == citadel.Session {
						_ = e.Conn.SendSession(e.Envelope.Body)
						e.Conn.Flush()
					}
				})
			}
		})
		frame, got := make([]byte, frameBytes), 0
		count := func(e citadel.Event) {
			if e.Kind == citadel.Session {
				got++
			}
		}
		echoes(b, func() {
			for _, c := range clients {
				_ = c.SendSession(frame)
				c.Flush()
			}
			for got = 0; got < echoConns; {
				if err := inbox.Wait(ctx); err != nil {
					b.Fatal(err)
				}
				inbox.Drain(count)
			}
		})
		cancel()
		loop.Wait()
	})
	b.Run("quic-go", func(b *testing.B) {
		var out []*quic.SendStream
		got := make(chan struct{}, echoConns)
		frame := wire.AppendFrameHeader(nil, wire.KindSession, frameBytes)
		frame = append(frame, make([]byte, frameBytes)...)
		for range echoConns {
			client, server := rawPair(b)
			up, err := client.OpenUniStream()
			require.NoError(b, err)
			out = append(out, up)
			go func() {
				in, err := server.AcceptUniStream(context.Background())
				if err != nil {
					return
				}
				down, err := server.OpenUniStream()
				if err != nil {
					return
				}
				buf := make([]byte, len(frame))
				for {
					if _, err := io.ReadFull(in, buf); err != nil {
						return
					}
					if _, err := down.Write(buf); err != nil {
						return
					}
				}
			}()
			go func() {
				in, err := client.AcceptUniStream(context.Background())
				if err != nil {
					return
				}
				buf := make([]byte, len(frame))
				for {
					if _, err := io.ReadFull(in, buf); err != nil {
						return
					}
					got <- struct{}{}
				}
			}()
		}
		echoes(b, func() {
			for _, s := range out {
				if _, err := s.Write(frame); err != nil {
					b.Fatal(err)
				}
			}
			for range echoConns {
				<-got
			}
		})
	})
}
