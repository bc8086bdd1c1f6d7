package netem

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const patience = 10 * time.Second

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		require.True(t, time.Now().Before(deadline), "never happened: %s", what)
		time.Sleep(2 * time.Millisecond)
	}
}

// echo answers every packet with itself until the test ends.
func echo(t testing.TB) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(buf[:n], from)
		}
	}()
	return conn.LocalAddr().String()
}

func start(t testing.TB, target string, cfg Config) *Relay {
	t.Helper()
	r, err := Listen(target, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func client(t testing.TB, r *Relay) net.Conn {
	t.Helper()
	conn, err := net.Dial("udp", r.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

func send(t testing.TB, conn net.Conn, n uint32) {
	t.Helper()
	_, err := conn.Write(binary.BigEndian.AppendUint32(nil, n))
	require.NoError(t, err)
}

func receive(t testing.TB, conn net.Conn) uint32 {
	t.Helper()
	b := make([]byte, 16)
	n, err := conn.Read(b)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	return binary.BigEndian.Uint32(b)
}

func TestRelayForwards(t *testing.T) {
	r := start(t, echo(t), Config{})
	a, b := client(t, r), client(t, r)
	for n := range uint32(100) {
		send(t, a, n)
		send(t, b, n+1000)
		require.Equal(t, n, receive(t, a))
		require.Equal(t, n+1000, receive(t, b))
	}
	eventually(t, "the counters agree", func() bool {
		return r.Stats() == Stats{Received: 400, Forwarded: 400, Clients: 2}
	})
}

func TestRelayDelays(t *testing.T) {
	const lag = 60 * time.Millisecond
	r := start(t, echo(t), Config{Lag: lag})
	conn := client(t, r)
	begin := time.Now()
	send(t, conn, 1)
	require.EqualValues(t, 1, receive(t, conn))
	require.GreaterOrEqual(t, time.Since(begin), lag)
}

func TestRelayKeepsOrderUnlessAllowed(t *testing.T) {
	const packets = 100 // fewer than a socket buffers
	for _, reorder := range []bool{false, true} {
		r := start(t, echo(t), Config{Lag: 20 * time.Millisecond, Jitter: 20 * time.Millisecond, ReorderOK: reorder})
		conn := client(t, r)
		for n := range uint32(packets) {
			send(t, conn, n)
		}
		var got []uint32
		for range packets {
			got = append(got, receive(t, conn))
		}
		require.Equal(t, !reorder, slices.IsSorted(got))
		require.Equal(t, reorder, r.Stats().Reordered > 0)
		slices.Sort(got)
		for n := range uint32(packets) {
			require.Equal(t, n, got[n])
		}
	}
}

func TestRelayLosesTheSamePackets(t *testing.T) {
	const packets = 400
	run := func(seed uint64) []uint32 {
		sink, err := net.ListenPacket("udp", "127.0.0.1:0")
		require.NoError(t, err)
		defer sink.Close()
		require.NoError(t, sink.SetDeadline(time.Now().Add(patience)))
		r := start(t, sink.LocalAddr().String(), Config{Loss: 0.25, Seed: seed})
		conn := client(t, r)
		var got []uint32
		b := make([]byte, 16)
		for n := range uint32(packets) {
			send(t, conn, n)
			if n%50 != 49 {
				continue
			}
			// Sockets buffer only so much.
			eventually(t, "the relay keeps up", func() bool {
				s := r.Stats()
				return s.Forwarded+s.Lost == uint64(n+1)
			})
			for uint64(len(got)) < r.Stats().Forwarded {
				_, _, err := sink.ReadFrom(b)
				require.NoError(t, err)
				got = append(got, binary.BigEndian.Uint32(b))
			}
		}
		return got
	}
	first := run(7)
	require.Equal(t, first, run(7))
	require.NotEqual(t, first, run(8))
	require.Greater(t, len(first), packets/2)
	require.Less(t, len(first), packets*9/10)
}

func TestRelayGoesDeadAndComesBack(t *testing.T) {
	r := start(t, echo(t), Config{})
	conn := client(t, r)
	send(t, conn, 1)
	require.EqualValues(t, 1, receive(t, conn))
	require.NoError(t, r.Update(Config{Loss: 1}))
	send(t, conn, 2)
	eventually(t, "the packet is lost", func() bool { return r.Stats().Lost == 1 })
	require.NoError(t, r.Update(Config{}))
	send(t, conn, 3)
	require.EqualValues(t, 3, receive(t, conn))
}

func TestRelaySurvivesADeadTarget(t *testing.T) {
	target, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := target.LocalAddr().String()
	require.NoError(t, target.Close())
	r := start(t, addr, Config{})
	conn := client(t, r)
	for n := range uint32(20) {
		send(t, conn, n)
	}
	eventually(t, "all were tried", func() bool {
		s := r.Stats()
		return s.Forwarded+s.Failed == 20
	})
	target, err = net.ListenPacket("udp", addr)
	require.NoError(t, err)
	defer target.Close()
	require.NoError(t, target.SetDeadline(time.Now().Add(patience)))
	send(t, conn, 99)
	send(t, conn, 99) // the first may collect the error of its predecessors
	b := make([]byte, 16)
	n, _, err := target.ReadFrom(b)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0, 0, 99}, b[:n])
}

func TestRelayBounds(t *testing.T) {
	r := start(t, echo(t), Config{Lag: time.Minute, MaxQueued: 10, MaxClients: 2})
	for range 3 {
		conn := client(t, r)
		for n := range uint32(8) {
			send(t, conn, n)
		}
	}
	eventually(t, "all have arrived", func() bool { return r.Stats().Received == 24 })
	require.Equal(t, Stats{Received: 24, Overflow: 14, Queued: 10, Clients: 2}, r.Stats())
}

func TestConfigErrors(t *testing.T) {
	for _, tc := range []struct {
		field string
		cfg   Config
	}{
		{"Lag", Config{Lag: -1}}, {"Lag", Config{Lag: time.Hour}},
		{"Jitter", Config{Jitter: -1}}, {"Jitter", Config{Jitter: time.Hour}},
		{"Loss", Config{Loss: -0.1}}, {"Loss", Config{Loss: 1.1}}, {"Loss", Config{Loss: math.NaN()}},
		{"MaxQueued", Config{MaxQueued: -1}}, {"MaxClients", Config{MaxClients: -1}},
	} {
		_, err := Listen("127.0.0.1:1", tc.cfg)
		require.ErrorContains(t, err, "Config."+tc.field)
	}
	_, err := Listen("nowhere", Config{})
	var addr *net.AddrError
	require.ErrorAs(t, err, &addr)
	r := start(t, "127.0.0.1:1", Config{})
	require.ErrorContains(t, r.Update(Config{Loss: 2}), "Config.Loss")
}

func TestNoGoroutinesAreLeft(t *testing.T) {
	target := echo(t)
	before := runtime.NumGoroutine()
	for range 5 {
		r, err := Listen(target, Config{Lag: time.Second})
		require.NoError(t, err)
		for range 4 {
			send(t, client(t, r), 1)
		}
		eventually(t, "the clients are known", func() bool { return r.Stats().Clients == 4 })
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
	}
	eventually(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// The heap yields what sorting would.
func TestQueueAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := time.Now()
	for range 100 {
		var q queue
		var want []packet
		for n := range rng.IntN(60) {
			p := packet{at: base.Add(time.Duration(rng.IntN(10))), number: uint64(n)}
			q.push(p)
			want = append(want, p)
		}
		slices.SortStableFunc(want, func(a, b packet) int { return a.at.Compare(b.at) })
		for _, p := range want {
			require.Equal(t, p, q.pop())
		}
		require.Empty(t, q.heap)
	}
}

// Time is an argument, so the schedule can be checked without waiting.
func TestSchedule(t *testing.T) {
	cfg := Config{Lag: 100 * time.Millisecond, Jitter: 40 * time.Millisecond, ReorderOK: true}
	now := time.Now()
	loose, strict := newLink(1, toTarget), newLink(1, toTarget)
	var last time.Time
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		at, ok := loose.schedule(&cfg, now)
		require.True(t, ok)
		low, high = min(low, at.Sub(now)), max(high, at.Sub(now))
		keep := cfg
		keep.ReorderOK = false
		inOrder, ok := strict.schedule(&keep, now)
		require.True(t, ok)
		require.False(t, inOrder.Before(last))
		require.False(t, inOrder.Before(at))
		last = inOrder
		now = now.Add(time.Millisecond / 10)
	}
	require.GreaterOrEqual(t, low, 30*time.Millisecond)
	require.Less(t, low, 33*time.Millisecond)
	require.LessOrEqual(t, high, 70*time.Millisecond)
	require.Greater(t, high, 67*time.Millisecond)

	// More jitter than lag never makes a packet early.
	early := newLink(2, toClient)
	for range 1000 {
		at, _ := early.schedule(&Config{Jitter: time.Second}, now)
		require.False(t, at.Before(now))
	}
}

func BenchmarkRelay(b *testing.B) {
	r := start(b, echo(b), Config{})
	conn := client(b, r)
	require.NoError(b, conn.SetDeadline(time.Time{}))
	out, in := make([]byte, 1200), make([]byte, 2048)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(out); err != nil {
			b.Fatal(err)
		}
		if _, err := conn.Read(in); err != nil {
			b.Fatal(err)
		}
	}
}
