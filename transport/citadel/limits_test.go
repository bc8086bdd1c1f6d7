package citadel_test

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// odd is an address of a type that nobody knows.
type odd string

func (a odd) Network() string { return "odd" }
func (a odd) String() string  { return string(a) }

func TestConnectionsPerIP(t *testing.T) {
	ln := newListener(t, citadel.ListenConfig{MaxConnectionsPerIP: 2})
	open := func(addr net.Addr) (*citadel.Conn, error) {
		atServer, atClient := memLinks(addr)
		refused := ln.Admit(atServer)
		conn, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{})
		if refused != nil {
			require.ErrorIs(t, err, citadel.ErrAddressFull, "the client learns why")
			require.ErrorIs(t, refused, citadel.ErrAddressFull)
		} else {
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
		}
		return conn, err
	}
	for _, same := range [][]net.Addr{
		{clientAddr("192.0.2.1"), &net.UDPAddr{IP: net.ParseIP("192.0.2.1").To4(), Port: 1}, odd("192.0.2.1:99"), &net.IPAddr{IP: net.ParseIP("192.0.2.1")}},
		{clientAddr("2001:db8::1"), clientAddr("2001:db8::ffff:0:0:2"), &net.UDPAddr{IP: net.ParseIP("2001:db8::3"), Zone: "eth0"}},
		{clientAddr("2001:db8:0:1::1"), clientAddr("2001:db8:0:1::1"), clientAddr("2001:db8:0:1::9")},
	} {
		first, err := open(same[0])
		require.NoError(t, err)
		_, err = open(same[1])
		require.NoError(t, err)
		for _, addr := range same[2:] {
			_, err = open(addr)
			require.Error(t, err, addr)
		}
		require.NoError(t, first.Close())
		citadeltest.Eventually(t, "the server notices", func() bool {
			atServer, atClient := memLinks(same[0])
			if ln.Admit(atServer) != nil {
				return false
			}
			conn, err := citadel.Open(t.Context(), atClient, citadel.DialConfig{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			return true
		})
		_, err = open(same[0])
		require.Error(t, err)
	}
	for range 5 { // what is no IP address is not counted
		_, err := open(odd("a pipe"))
		require.NoError(t, err)
	}
}

func TestConnectionsPerIPOverQUIC(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{MaxConnectionsPerIP: 1})
	conn := dial(t, ln.Addr().String(), citadel.DialConfig{})
	_, err := citadel.Dial(t.Context(), ln.Addr().String(), citadel.DialConfig{Pin: pin()})
	require.ErrorIs(t, err, citadel.ErrAddressFull)
	require.Equal(t, citadel.Refusals{PerIP: 1}, ln.Stats().Refused)
	require.NoError(t, conn.Close())
	citadeltest.Eventually(t, "the server notices", func() bool { return ln.Stats().Open == 0 })
	dial(t, ln.Addr().String(), citadel.DialConfig{})
}

// Connections that speak other protocols are limited as well.
func TestOtherProtocolsAreLimited(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  citadel.ListenConfig
		want citadel.Refusals
	}{
		"overall": {citadel.ListenConfig{MaxConnections: 1}, citadel.Refusals{Full: 1}},
		"per IP":  {citadel.ListenConfig{MaxConnectionsPerIP: 1}, citadel.Refusals{PerIP: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.ALPN = map[string]func(*citadel.Listener, *quic.Conn){
				"other": func(_ *citadel.Listener, qc *quic.Conn) { <-qc.Context().Done() },
			}
			ln := listen(t, tc.cfg)
			conf := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"other"}}
			var conns []*quic.Conn
			for range 3 {
				conn, err := quic.DialAddr(t.Context(), ln.Addr().String(), conf, &quic.Config{KeepAlivePeriod: 300 * time.Millisecond})
				require.NoError(t, err)
				conns = append(conns, conn)
			}
			// Several goroutines accept, so any of the three may be the one too many.
			ended := func(c *quic.Conn) bool { return c.Context().Err() != nil }
			citadeltest.Eventually(t, "one is refused", func() bool { return slices.ContainsFunc(conns, ended) })
			conns = slices.DeleteFunc(conns, ended)
			require.Len(t, conns, 2)
			require.Equal(t, tc.want, ln.Stats().Refused)
			require.NoError(t, conns[0].CloseWithError(0, ""))
			dial(t, ln.Addr().String(), citadel.DialConfig{})
			require.NoError(t, ln.Close())
			rawClosed(t, conns[1])
		})
	}
}

// Those who connect and say nothing cannot keep others out.
func TestHalfOpenConnections(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{MaxHalfOpen: 3})
	addr := ln.Addr().String()
	var silent []*quic.Conn
	for n := range 3 {
		silent = append(silent, rawDial(t, addr))
		citadeltest.Eventually(t, "the server knows it", func() bool { return ln.Stats().HalfOpen == n+1 })
	}
	dial(t, addr, citadel.DialConfig{})
	require.EqualValues(t, citadel.CodeServerFull, rawClosed(t, silent[0]).ErrorCode, "the oldest goes")
	require.NoError(t, silent[1].Context().Err())
	require.Equal(t, 2, ln.Stats().HalfOpen)
	dial(t, addr, citadel.DialConfig{}) // there is room for one
	require.NoError(t, silent[1].Context().Err())
	require.Equal(t, citadel.Refusals{HalfOpen: 1}, ln.Stats().Refused)
}

// Those who have asked and wait for the answer are not pushed out.
func TestHalfOpenConnectionsThatWait(t *testing.T) {
	asked, answer := make(chan struct{}, 10), make(chan struct{})
	ln := listen(t, citadel.ListenConfig{MaxHalfOpen: 2, Authenticator: citadel.AuthenticatorFunc(
		func(context.Context, []byte) (citadel.Identity, error) {
			asked <- struct{}{}
			<-answer
			return citadel.Identity{Guest: true}, nil
		})})
	cfg := citadel.DialConfig{Pin: pin()}
	var waiting []func() (*citadel.Conn, error)
	for range 2 {
		waiting = append(waiting, dialing(t, ln.Addr().String(), cfg))
		<-asked
	}
	_, err := citadel.Dial(t.Context(), ln.Addr().String(), cfg)
	require.ErrorIs(t, err, citadel.ErrServerFull)
	close(answer)
	for _, wait := range waiting {
		_, err := wait()
		require.NoError(t, err)
	}
	require.Zero(t, ln.Stats().HalfOpen)
}

// deafConn sends and hears nothing.
type deafConn struct{ net.PacketConn }

func (c deafConn) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		if _, _, err := c.PacketConn.ReadFrom(p); err != nil {
			return 0, nil, err
		}
	}
}

// QUIC handshakes that are begun and not continued are bounded, too.
func TestUnfinishedHandshakes(t *testing.T) {
	const most = 4
	ln := listen(t, citadel.ListenConfig{MaxHalfOpen: most, Config: citadel.Config{HandshakeTimeout: patience}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	const attempts = 20
	for range attempts {
		udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
		require.NoError(t, err)
		defer udp.Close()
		tr := &quic.Transport{Conn: deafConn{udp}}
		defer tr.Close()
		go func() {
			_, err := tr.Dial(ctx, ln.Addr(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{citadel.ALPN}}, nil)
			ended <- err
		}()
	}
	citadeltest.Eventually(t, "handshakes begin", func() bool { return ln.Stats().Shaking > most/2 })
	for range 20 {
		require.LessOrEqual(t, ln.Stats().Shaking, most)
		time.Sleep(2 * time.Millisecond)
	}
	dial(t, ln.Addr().String(), citadel.DialConfig{}) // who hears is let in
	cancel()
	for range attempts {
		require.Error(t, <-ended)
	}
}

func TestFramesThatNeverEndAreDiscarded(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{Config: citadel.Config{SessionFrameTimeout: 100 * time.Millisecond, Linger: 100 * time.Millisecond}})
	conn := rawDial(t, ln.Addr().String())
	rawSend(t, conn, append(citadeltest.Frame(t, wire.KindAuth, nil), part(t, 1, 2000, 0, 2000)...)) // complete
	rawSend(t, conn, part(t, 2, 1<<20, 0, 100_000))
	server := citadeltest.Read(t, ln.Inbox())
	c := server.Expect(citadel.Opened).Conn
	server.Expect(citadel.Session)
	end := server.Expect(citadel.Closed)
	require.ErrorIs(t, end.Err, citadel.ErrSessionTooSlow)
	require.ErrorIs(t, end.Err, citadel.ErrProtocol)
	require.EqualValues(t, citadel.CodeProtocol, rawClosed(t, conn).ErrorCode)
	<-c.Done()
	require.EqualValues(t, 1, c.Stats().Drops.BrokenTransfers)
	stats := ln.Stats()
	require.Zero(t, stats.Reassembly)
	require.EqualValues(t, 1, stats.Conns.Drops.BrokenTransfers)
	require.Zero(t, stats.Conns.Reassembling)
}

// What is incomplete is bounded over all connections; who asks for more is the one to go.
func TestReassemblyIsBounded(t *testing.T) {
	const limit, total, step = 4 << 20, 2 << 20, 32 << 10
	ln := listen(t, citadel.ListenConfig{MaxReassembly: limit, Config: citadel.Config{MaxSessionFrame: total}})
	server := citadeltest.Read(t, ln.Inbox())
	enter := func() (*quic.Conn, *citadel.Conn) {
		conn := rawDial(t, ln.Addr().String())
		rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
		return conn, server.Expect(citadel.Opened).Conn
	}
	a, atA := enter()
	b, _ := enter()
	c, atC := enter()
	parts := func(from, to uint32) (all []byte) {
		for off := from; off < to; off += step {
			all = append(all, part(t, 1, total, off, step)...)
		}
		return all
	}
	rawSend(t, a, parts(0, total-step))
	citadeltest.Eventually(t, "most of a frame has arrived", func() bool { return atA.Stats().Reassembling == total-step })
	require.Equal(t, total, ln.Stats().Reassembly)
	// An envelope counts as well, when there is much of it.
	envelope := citadeltest.Frame(t, 300, make([]byte, 600_000))
	s, err := b.OpenUniStream()
	require.NoError(t, err)
	_, err = s.Write(envelope[:400_000])
	require.NoError(t, err)
	citadeltest.Eventually(t, "most of an envelope has arrived", func() bool { return ln.Stats().Reassembly == total+800_000 })

	s2, err := c.OpenUniStream()
	require.NoError(t, err)
	go s2.Write(parts(0, total)) // does not get to the end
	end := server.Expect(citadel.Closed)
	require.Same(t, atC, end.Conn)
	require.ErrorIs(t, end.Err, citadel.ErrExhausted)
	require.EqualValues(t, citadel.CodeExhausted, rawClosed(t, c).ErrorCode)
	<-atC.Done()
	require.EqualValues(t, 1, ln.Stats().Exhausted)
	require.Equal(t, total+800_000, ln.Stats().Reassembly, "what it had is free again")

	// The others are well. What is complete gives back what it took.
	_, err = s.Write(envelope[400_000:])
	require.NoError(t, err)
	require.Len(t, server.Expect(citadel.Frame).Body, 600_000)
	rawSend(t, a, parts(total-step, total))
	require.Len(t, server.Expect(citadel.Session).Body, total)
	citadeltest.Eventually(t, "nothing is held", func() bool { return ln.Stats().Reassembly == 0 })
}

// A long frame says how far it is, and no more often than it is asked.
func TestProgress(t *testing.T) {
	const total = 4 << 20
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	inbox := p.client.Inbox()
	require.NoError(t, p.server.SendSession(make([]byte, 100_000))) // not long
	require.Len(t, p.atClient.Expect(citadel.Session).Body, 100_000)
	require.Empty(t, p.atClient.Progress)

	conn := rawDial(t, p.ln.Addr().String())
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	c := p.atServer.Expect(citadel.Opened).Conn
	const step = 32 << 10
	for off := uint32(0); off < total; off += step {
		rawSend(t, conn, part(t, 1, total, off, step))
		if off/step == 9 {
			// Ten parts, and one report.
			citadeltest.Eventually(t, "ten parts have come", func() bool { return c.Stats().Reassembling == 10*step })
			require.Zero(t, c.Stats().QueuedIn)
			p.atServer.Poll()
			require.Equal(t, [][2]int{{10 * step, total}}, p.atServer.Progress)
		}
	}
	require.Len(t, p.atServer.Expect(citadel.Session).Body, total)
	last := 0
	for _, report := range p.atServer.Progress {
		require.Greater(t, report[0], last)
		require.Less(t, report[0], total)
		require.Equal(t, total, report[1])
		last = report[0]
	}

	// On its way to the client the same.
	require.NoError(t, p.server.SendSession(make([]byte, 3<<20)))
	require.Len(t, p.atClient.Expect(citadel.Session).Body, 3<<20)
	require.NotEmpty(t, p.atClient.Progress)
	require.Zero(t, inbox.Drain(func(citadel.Event) {}))
}
