//go:build unix

package citadel_test

import (
	"context"
	"crypto/tls"
	"net"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

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

// footprint is what the process holds for its connections.
type footprint struct{ heap, stacks, goroutines int }

func measureFootprint() footprint {
	for range 3 { // stacks shrink by half at a time
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{int(m.HeapAlloc), int(m.StackInuse), runtime.NumGoroutine()}
}

// BenchmarkFootprint is what an open connection costs that is not used, for each of its two ends. The bare ones
// have the goroutines of QUIC and no other; those that listen have one for each way in which a peer may speak, and one
// that reads the one stream that is open, as any program must that accepts what ours does.
func BenchmarkFootprint(b *testing.B) {
	const conns = 200
	report := func(b *testing.B, open func(n int)) {
		open(5) // what is only needed once
		before := measureFootprint()
		open(conns)
		time.Sleep(300 * time.Millisecond) // the handshakes are confirmed, and what they needed is dropped
		after := measureFootprint()
		for b.Loop() {
			_ = after
		}
		ends := float64(2 * conns)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(after.heap-before.heap)/ends, "heap-B/end")
		b.ReportMetric(float64(after.stacks-before.stacks)/ends, "stack-B/end")
		b.ReportMetric(float64(after.goroutines-before.goroutines)/ends, "goroutines/end")
	}
	b.Run("citadel", func(b *testing.B) {
		idle := citadel.Config{IdleTimeout: time.Minute, KeepAlive: 20 * time.Second}
		ln := listen(b, citadel.ListenConfig{Config: idle})
		inbox := citadel.NewInbox()
		idle.Inbox = inbox
		tr := sharedTransport(b)
		report(b, func(n int) {
			for range n {
				qc, err := tr.Dial(b.Context(), ln.Addr(), rawClientTLS(), rawIdleConfig())
				require.NoError(b, err)
				_, err = citadel.Open(b.Context(), citadel.QUICLink(qc), citadel.DialConfig{Config: idle})
				require.NoError(b, err)
			}
			inbox.Drain(func(citadel.Event) {})
			ln.Inbox().Drain(func(citadel.Event) {})
		})
	})
	bare := func(b *testing.B, use func(*quic.Conn)) {
		conf := serverTLS()
		conf.NextProtos = []string{citadel.ALPN}
		ln, err := quic.ListenAddr("127.0.0.1:0", conf, rawIdleConfig())
		require.NoError(b, err)
		b.Cleanup(func() { _ = ln.Close() })
		tr := sharedTransport(b)
		var keep []*quic.Conn
		report(b, func(n int) {
			for range n {
				client, err := tr.Dial(b.Context(), ln.Addr(), rawClientTLS(), rawIdleConfig())
				require.NoError(b, err)
				server := rawAccept(b, ln)
				keep = append(keep, client, server)
				for _, c := range []*quic.Conn{client, server} {
					s, err := c.OpenUniStream()
					require.NoError(b, err)
					_, err = s.Write([]byte("hello"))
					require.NoError(b, err)
				}
				use(client)
				use(server)
			}
		})
		runtime.KeepAlive(keep)
	}
	b.Run("quic-go", func(b *testing.B) { bare(b, func(*quic.Conn) {}) })
	b.Run("quic-go-listening", func(b *testing.B) {
		bare(b, func(c *quic.Conn) {
			ctx := context.Background()
			s, err := c.AcceptUniStream(ctx)
			require.NoError(b, err)
			go func() {
				buf := make([]byte, 4<<10)
				for {
					if _, err := s.Read(buf); err != nil {
						return
					}
				}
			}()
			go func() { _, _ = c.AcceptUniStream(ctx) }()
			go func() { _, _ = c.AcceptStream(ctx) }()
			go func() { _, _ = c.ReceiveDatagram(ctx) }()
		})
	})
}

func rawClientTLS() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: []string{citadel.ALPN}}
}

// rawIdleConfig is our configuration of QUIC, but for the patience with those who say nothing.
func rawIdleConfig() *quic.Config {
	return &quic.Config{
		EnableDatagrams: true, MaxIdleTimeout: time.Minute, KeepAlivePeriod: 20 * time.Second,
		InitialStreamReceiveWindow: 256 << 10, InitialConnectionReceiveWindow: 256 << 10,
		MaxIncomingStreams: citadel.DefaultMaxStreams, MaxIncomingUniStreams: citadel.DefaultMaxStreams,
	}
}

// sharedTransport is one socket for many clients, so that it is not sockets that are measured.
func sharedTransport(b *testing.B) *quic.Transport {
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(b, err)
	tr := &quic.Transport{Conn: udp}
	b.Cleanup(func() {
		_ = tr.Close()
		_ = udp.Close()
	})
	return tr
}
