//go:build unix

package citadel_test

import (
	"context"
	"crypto/tls"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The pattern of a game: a tick's worth of small frames leaves at once, and the other end takes them together.
const (
	tickFrames = 16
	frameBytes = 64
)

// cpuTime is what the process has used, both ends of the connection together.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ticks runs tick and reports the cost of each frame.
func ticks(b *testing.B, tick func()) {
	for range 200 { // settles the buffers and the congestion window
		tick()
	}
	b.ReportAllocs()
	b.SetBytes(tickFrames * frameBytes)
	start := cpuTime(b)
	for b.Loop() {
		tick()
	}
	b.StopTimer()
	frames := float64(b.N) * tickFrames
	b.ReportMetric(float64(cpuTime(b)-start)/frames, "cpu-ns/frame")
}

// BenchmarkTick waits after each tick until the other end has it: the cost is that of packets, and of goroutines
// that sleep and wake up.
func BenchmarkTick(b *testing.B) { benchmarkTicks(b, 0) }

// BenchmarkStream does not wait before some ticks are under way, as in a server that has others to serve.
func BenchmarkStream(b *testing.B) { benchmarkTicks(b, 64) }

// benchmarkTicks lets that many ticks be under way at the end of one.
func benchmarkTicks(b *testing.B, window int) {
	b.Run("citadel", func(b *testing.B) {
		p := connect(b, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}}, citadel.DialConfig{})
		frame := make([]byte, frameBytes)
		missing := 0
		count := func(e citadel.Event) { missing-- }
		inbox, ctx := p.client.Inbox(), context.Background()
		ticks(b, func() {
			for range tickFrames {
				if err := p.server.SendSession(frame); err != nil {
					b.Fatal(err)
				}
			}
			p.server.Flush()
			missing += tickFrames
			inbox.Drain(count)
			for missing > window*tickFrames {
				if err := inbox.Wait(ctx); err != nil {
					b.Fatal(err)
				}
				inbox.Drain(count)
			}
		})
	})
	bare := func(b *testing.B, write func(w io.Writer)) {
		w, r := rawStream(b)
		arrived := make(chan int, 1<<16)
		go func() {
			defer close(arrived)
			buf := make([]byte, 16<<10)
			for {
				n, err := r.Read(buf)
				if err != nil {
					return
				}
				arrived <- n
			}
		}()
		const tickBytes = tickFrames * (wire.FrameOverhead + frameBytes)
		missing := 0
		ticks(b, func() {
			write(w)
			for missing += tickBytes; missing > window*tickBytes; {
				n, ok := <-arrived
				if !ok {
					b.Fatal("the stream has ended")
				}
				missing -= n
			}
		})
	}
	frame := make([]byte, frameBytes)
	b.Run("quic-go", func(b *testing.B) {
		var out []byte
		bare(b, func(w io.Writer) {
			out = out[:0]
			for range tickFrames {
				out, _ = wire.AppendFramed(out, wire.KindSession, frame)
			}
			if _, err := w.Write(out); err != nil {
				b.Fatal(err)
			}
		})
	})
	// What quic-go does if a game writes its frames one by one.
	b.Run("quic-go-unbatched", func(b *testing.B) {
		var one []byte
		bare(b, func(w io.Writer) {
			for range tickFrames {
				one, _ = wire.AppendFramed(one[:0], wire.KindSession, frame)
				if _, err := w.Write(one); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// rawPair is two ends of bare quic-go, configured as ours are.
func rawPair(b *testing.B) (client, server *quic.Conn) {
	conf := &quic.Config{EnableDatagrams: true, MaxIdleTimeout: patience, KeepAlivePeriod: 500 * time.Millisecond}
	ln := rawBench(b, conf)
	client, err := quic.DialAddr(b.Context(), ln.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{citadel.ALPN}}, conf)
	require.NoError(b, err)
	b.Cleanup(func() { _ = client.CloseWithError(0, "") })
	return client, rawAccept(b, ln)
}

// rawBench is the server of all pairs of a benchmark.
func rawBench(b *testing.B, conf *quic.Config) *quic.Listener {
	if ln, ok := rawBenches[b]; ok {
		return ln
	}
	serverConf := serverTLS()
	serverConf.NextProtos = []string{citadel.ALPN}
	ln, err := quic.ListenAddr("127.0.0.1:0", serverConf, conf)
	require.NoError(b, err)
	rawBenches[b] = ln
	b.Cleanup(func() {
		delete(rawBenches, b)
		_ = ln.Close()
	})
	return ln
}

var rawBenches = map[*testing.B]*quic.Listener{}

// rawStream is a stream between such ends.
func rawStream(b *testing.B) (*quic.SendStream, *quic.ReceiveStream) {
	client, server := rawPair(b)
	w, err := server.OpenUniStream()
	require.NoError(b, err)
	_, err = w.Write([]byte{0})
	require.NoError(b, err)
	r, err := client.AcceptUniStream(b.Context())
	require.NoError(b, err)
	_, err = io.ReadFull(r, make([]byte, 1))
	require.NoError(b, err)
	return w, r
}
