package citadel_test

import (
	"math/rand/v2"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func part(t testing.TB, transfer, total, offset uint32, n int) []byte {
	t.Helper()
	return citadeltest.Frame(t, wire.KindSessionPart, wire.AppendPart(nil, wire.Part{
		Transfer: transfer, Total: total, Offset: offset, Bytes: make([]byte, n),
	}))
}

func TestHostilePartsCloseTheConnection(t *testing.T) {
	const limit = 1 << 20
	cat := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, tc := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"starts in the middle", part(t, 1, 100, 10, 10), citadel.ErrPartOrder},
		{"gap", cat(part(t, 1, 100, 0, 10), part(t, 1, 100, 20, 10)), citadel.ErrPartOrder},
		{"overlap", cat(part(t, 1, 100, 0, 10), part(t, 1, 100, 5, 10)), citadel.ErrPartOrder},
		{"twice", cat(part(t, 1, 100, 0, 10), part(t, 1, 100, 0, 10)), citadel.ErrPartOrder},
		{"two transfers at once", cat(part(t, 1, 100, 0, 10), part(t, 2, 100, 0, 10)), citadel.ErrPartOrder},
		{"two transfers mixed", cat(part(t, 1, 100, 0, 10), part(t, 2, 100, 10, 10)), citadel.ErrPartOrder},
		{"another total", cat(part(t, 1, 100, 0, 10), part(t, 1, 200, 10, 10)), citadel.ErrPartTotal},
		{"too many bytes", cat(part(t, 1, 100, 0, 90), part(t, 1, 100, 90, 11)), citadel.ErrPartTotal},
		{"too many bytes at once", part(t, 1, 100, 0, 101), citadel.ErrPartTotal},
		{"total of nothing", part(t, 1, 0, 0, 1), citadel.ErrPartTotal},
		{"whole, but too large", citadeltest.Frame(t, wire.KindSession, make([]byte, limit+1)), citadel.ErrSessionTooLarge},
		{"giant total", part(t, 1, limit+1, 0, 10), citadel.ErrSessionTooLarge},
		{"largest total", part(t, 1, 1<<32-1, 0, 10), citadel.ErrSessionTooLarge},
		{"no bytes", part(t, 1, 100, 0, 0), wire.ErrPartTooSmall},
		{"no header", citadeltest.Frame(t, wire.KindSessionPart, make([]byte, 11)), wire.ErrPartTooSmall},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ln := listen(t, citadel.ListenConfig{Config: citadel.Config{MaxSessionFrame: limit}})
			conn := rawDial(t, ln.Addr().String())
			good := part(t, 9, 3, 0, 3) // before all that
			rawSend(t, conn, append(citadeltest.Frame(t, wire.KindAuth, nil), append(good, tc.bytes...)...))
			server := citadeltest.Read(t, ln.Inbox())
			server.Expect(citadel.Opened)
			require.Len(t, server.Expect(citadel.Session).Body, 3)
			end := server.Expect(citadel.Closed)
			require.ErrorIs(t, end.Err, tc.want)
			require.ErrorIs(t, end.Err, citadel.ErrProtocol)
			require.ErrorIs(t, end.Err, net.ErrClosed)
			require.ErrorIs(t, end.Conn.Err(), tc.want)
			closed := rawClosed(t, conn)
			require.True(t, closed.Remote)
			require.EqualValues(t, citadel.CodeProtocol, closed.ErrorCode)
		})
	}
}

// A size that is only announced costs nothing.
func TestAnnouncedSizesAreNotAllocated(t *testing.T) {
	const peers = 20
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	server := p.atServer
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range peers {
		conn := rawDial(t, p.ln.Addr().String())
		hello := append(citadeltest.Frame(t, wire.KindAuth, nil), part(t, 1, citadel.DefaultMaxSessionFrame, 0, 100)...)
		hello = append(hello, citadeltest.Frame(t, 200, []byte("seen"))...)
		hello = append(hello, 0, 0x80, 0, 0, 0, 200) // 8 MiB announced, and a kind
		s, err := conn.OpenUniStream()
		require.NoError(t, err)
		_, err = s.Write(hello)
		require.NoError(t, err)
		server.Expect(citadel.Opened)
		server.Expect(citadel.Frame)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(peers*citadel.DefaultMaxSessionFrame/8))
}

func TestBrokenFramingClosesTheConnection(t *testing.T) {
	for _, tc := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"too large", []byte{0, 0x80, 0, 1}, wire.ErrFrameTooLarge},
		{"too large by configuration", []byte{0, 0, 4, 3}, wire.ErrFrameTooLarge},
		{"too small", []byte{0, 0, 0, 1}, wire.ErrFrameTooSmall},
		{"cut", []byte{0, 0, 0, 9, 1}, citadel.ErrProtocol},
		{"goodbye without a code", citadeltest.Frame(t, wire.KindGoodbye, []byte{1}), wire.ErrGoodbyeTooSmall},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ln := listen(t, citadel.ListenConfig{Config: citadel.Config{MaxEnvelope: 1024}})
			conn := rawDial(t, ln.Addr().String())
			rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
			rawSend(t, conn, append(citadeltest.Frame(t, 200, make([]byte, 1024)), tc.bytes...))
			server := citadeltest.Read(t, ln.Inbox())
			server.Expect(citadel.Opened)
			server.Expect(citadel.Frame)
			end := server.Expect(citadel.Closed)
			require.ErrorIs(t, end.Err, tc.want)
			require.ErrorIs(t, end.Err, citadel.ErrProtocol)
		})
	}
}

func TestGarbageDoesNoHarm(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	// Beside QUIC.
	udp, err := net.Dial("udp", p.ln.Addr().String())
	require.NoError(t, err)
	defer udp.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 500 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		_, err := udp.Write(b)
		require.NoError(t, err)
	}
	// Inside QUIC.
	conn := rawDial(t, p.ln.Addr().String())
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	c := p.atServer.Expect(citadel.Opened).Conn
	require.NoError(t, conn.SendDatagram(nil))
	require.NoError(t, conn.SendDatagram([]byte{1}))
	require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, wire.KindAuthResult, []byte{0})))
	require.NoError(t, conn.SendDatagram(wire.AppendDatagram(nil, wire.KindGoodbye, []byte{0, 0, 0, 0})))
	require.NoError(t, conn.SendDatagram([]byte{0xff, 0xff, 1, 2, 3}))
	e := p.atServer.Expect(citadel.Datagram)
	require.Equal(t, wire.Kind(0xffff), e.Env)
	require.EqualValues(t, 2, c.Stats().Drops.MalformedDatagrams)
	require.EqualValues(t, 2, c.Stats().Drops.StrayAuthFrames)
	// The neighbour is well.
	require.NoError(t, p.client.SendSession([]byte("well")))
	require.Equal(t, "well", string(p.atServer.Expect(citadel.Session).Body))
}

// A client that does not read loses its own connection, with a reason, and nobody else's.
func TestSlowReaderOverflows(t *testing.T) {
	small := citadel.Config{OutboundBytes: 256 << 10, InboundBytes: 64 << 10}
	p := connect(t, citadel.ListenConfig{Config: small}, citadel.DialConfig{Config: small})
	neighbour := dial(t, p.ln.Addr().String(), citadel.DialConfig{})
	atNeighbour := citadeltest.Read(t, neighbour.Inbox())
	other := p.atServer.Expect(citadel.Opened).Conn

	var err error
	body := make([]byte, 16<<10)
	for n := 0; err == nil && n < 10_000; n++ {
		err = p.server.SendSession(body)
		if n%64 == 0 {
			time.Sleep(time.Millisecond) // lets QUIC fill what room there is
		}
	}
	require.ErrorIs(t, err, citadel.ErrOverflow)
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorContains(t, err, "bytes")
	require.ErrorIs(t, p.server.SendSession(nil), citadel.ErrOverflow, "a closed connection keeps its reason")
	end := p.atServer.Expect(citadel.Closed)
	require.Same(t, p.server, end.Conn)
	require.ErrorIs(t, end.Err, citadel.ErrOverflow)

	require.NoError(t, other.SendSession([]byte("fine")))
	atNeighbour.Expect(citadel.Opened)
	require.Equal(t, "fine", string(atNeighbour.Expect(citadel.Session).Body))

	// The slow one still gets what it had received, and learns why there is no more.
	for {
		e := p.atClient.Next()
		if e.Kind == citadel.Closed {
			require.ErrorIs(t, e.Err, citadel.ErrOverflow)
			var closed *citadel.CloseError
			require.ErrorAs(t, e.Err, &closed)
			require.True(t, closed.Remote)
			break
		}
		require.Equal(t, citadel.Session, e.Kind)
	}
}

func TestFramesThatNeverFitAreRefused(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{Config: citadel.Config{OutboundBytes: 100_000, OutboundFrames: 3}})
	require.ErrorIs(t, p.client.Send(200, make([]byte, wire.MaxBody+1)), wire.ErrFrameTooLarge)
	require.ErrorIs(t, p.client.Send(200, make([]byte, 100_000)), wire.ErrFrameTooLarge)
	require.ErrorIs(t, p.client.SendSession(make([]byte, 100_000)), wire.ErrFrameTooLarge)
	require.NoError(t, p.client.Err())
	require.NoError(t, p.client.SendSession(make([]byte, 99_000)))
	require.Len(t, p.atServer.Expect(citadel.Session).Body, 99_000)
}

// A flood stops at the bound of its own share; others get through, and nothing of it is lost.
func TestInboxHoldsAFloodBack(t *testing.T) {
	const (
		limit = 64 << 10
		size  = 1 << 10
		flood = 4000
	)
	p := connect(t, citadel.ListenConfig{Config: citadel.Config{InboundBytes: limit}}, citadel.DialConfig{
		Config: citadel.Config{OutboundBytes: 2 * flood * size},
	})
	neighbour := dial(t, p.ln.Addr().String(), citadel.DialConfig{})
	neighbourAtServer := p.atServer.Expect(citadel.Opened).Conn
	body := make([]byte, size)
	for range flood {
		require.NoError(t, p.client.SendSession(body))
	}
	citadeltest.Eventually(t, "the flood fills its share", func() bool { return p.server.Stats().QueuedIn > limit-2*size })
	require.NoError(t, neighbour.SendSession([]byte("excuse me")))
	citadeltest.Eventually(t, "the neighbour gets through", func() bool { return neighbourAtServer.Stats().QueuedIn > 0 })
	time.Sleep(50 * time.Millisecond)
	require.LessOrEqual(t, p.server.Stats().QueuedIn, limit)
	require.Positive(t, p.client.Stats().QueuedOut, "flow control holds the sender back")

	got, polite := 0, 0
	for got < flood || polite < 1 {
		e := p.atServer.Expect(citadel.Session)
		require.LessOrEqual(t, p.server.Stats().QueuedIn, limit)
		if len(e.Body) == size {
			got++
		} else {
			require.Equal(t, "excuse me", string(e.Body))
			require.Less(t, got, flood, "the neighbour need not wait for the flood")
			polite++
		}
	}
	require.NoError(t, p.client.Err())
}

func TestInboxBoundsDatagrams(t *testing.T) {
	p := connect(t, citadel.ListenConfig{Config: citadel.Config{InboundDatagrams: 5}}, citadel.DialConfig{})
	for n := range 20 {
		require.NoError(t, p.client.SendDatagram(400, numbered(n)))
	}
	citadeltest.Eventually(t, "all have arrived", func() bool {
		s := p.server.Stats()
		return s.DatagramsIn+s.Drops.InboundDatagrams == 20
	})
	require.EqualValues(t, 5, p.server.Stats().DatagramsIn)
	for n := range 5 {
		require.Equal(t, numbered(n), p.atServer.Expect(citadel.Datagram).Body)
	}
	require.NoError(t, p.client.SendDatagram(400, numbered(99)))
	require.Equal(t, numbered(99), p.atServer.Expect(citadel.Datagram).Body)
}

func TestStreamLimit(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{Config: citadel.Config{MaxStreams: 5}})
	conn := rawDial(t, ln.Addr().String())
	n := 0
	for ; n < 100; n++ {
		if _, err := conn.OpenUniStream(); err != nil {
			break
		}
	}
	require.Equal(t, 5, n)
}
