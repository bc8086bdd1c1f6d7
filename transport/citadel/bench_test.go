//go:build unix

package citadel_test

import (
	"context"
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

func BenchmarkTick(b *testing.B) {
	b.Run("citadel", func(b *testing.B) {
		p := connect(b, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}}, citadel.DialConfig{})
		frame := make([]byte, frameBytes)
		got := 0
		count := func(e citadel.Event) { got++ }
		inbox, ctx := p.client.Inbox(), context.Background()
		ticks(b, func() {
			for range tickFrames {
				if err := p.server.SendSession(frame); err != nil {
					b.Fatal(err)
				}
			}
			p.server.Flush()
			for got = 0; got < tickFrames; {
				if err := inbox.Wait(ctx); err != nil {
					b.Fatal(err)
				}
				inbox.Drain(count)
			}
		})
	})
	b.Run("quic-go", func(b *testing.B) {
		w, r := rawStream(b)
		out := make([]byte, 0, tickFrames*(wire.FrameOverhead+frameBytes))
		in, frame := make([]byte, cap(out)), make([]byte, frameBytes)
		ticks(b, func() {
			out = out[:0]
			for range tickFrames {
				out, _ = wire.AppendFramed(out, wire.KindSession, frame)
			}
			if _, err := w.Write(out); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(r, in); err != nil {
				b.Fatal(err)
			}
		})
	})
	// What quic-go does if a game writes its frames one by one.
	b.Run("quic-go-unbatched", func(b *testing.B) {
		w, r := rawStream(b)
		one, frame := make([]byte, 0, wire.FrameOverhead+frameBytes), make([]byte, frameBytes)
		in := make([]byte, tickFrames*cap(one))
		ticks(b, func() {
			for range tickFrames {
				one, _ = wire.AppendFramed(one[:0], wire.KindSession, frame)
				if _, err := w.Write(one); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := io.ReadFull(r, in); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// rawStream is a stream of bare quic-go, configured as ours are.
func rawStream(b *testing.B) (*quic.SendStream, *quic.ReceiveStream) {
	conf := &quic.Config{EnableDatagrams: true, MaxIdleTimeout: 1300 * time.Millisecond, KeepAlivePeriod: 500 * time.Millisecond}
	serverConf := serverTLS()
	serverConf.NextProtos = []string{citadel.ALPN}
	ln, err := quic.ListenAddr("127.0.0.1:0", serverConf, conf)
	require.NoError(b, err)
	b.Cleanup(func() { _ = ln.Close() })
	clientConf := serverConf.Clone()
	clientConf.InsecureSkipVerify = true
	client, err := quic.DialAddr(b.Context(), ln.Addr().String(), clientConf, conf)
	require.NoError(b, err)
	b.Cleanup(func() { _ = client.CloseWithError(0, "") })
	server := rawAccept(b, ln)
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

// BenchmarkIdle is a second in the life of a connection that nobody uses.
func BenchmarkIdle(b *testing.B) {
	p := connect(b, citadel.ListenConfig{}, citadel.DialConfig{})
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
	require.NoError(b, p.client.Err())
}
