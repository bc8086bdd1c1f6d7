package citadel_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestDatagrams(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	body := []byte("fast")
	require.NoError(t, p.client.SendDatagram(400, body))
	clear(body) // not retained
	e := p.atServer.Expect(citadel.Datagram)
	require.Equal(t, "fast", string(e.Body))
	require.Equal(t, wire.Kind(400), e.Env)
	require.NoError(t, p.server.SendDatagram(401, nil))
	e = p.atClient.Expect(citadel.Datagram)
	require.Empty(t, e.Body)
	require.Equal(t, wire.Kind(401), e.Env)

	err := p.client.SendDatagram(400, make([]byte, 4000))
	require.ErrorIs(t, err, citadel.ErrDatagramTooLarge)
	var tooLarge *citadel.DatagramTooLargeError
	require.ErrorAs(t, err, &tooLarge)
	require.Equal(t, 4000, tooLarge.Size)
	require.GreaterOrEqual(t, tooLarge.Max, 1100)
	require.NoError(t, p.client.SendDatagram(400, make([]byte, tooLarge.Max)))
	require.Len(t, p.atServer.Expect(citadel.Datagram).Body, tooLarge.Max)
	require.NoError(t, p.client.SendDatagram(400, make([]byte, 1098)))
	require.Len(t, p.atServer.Expect(citadel.Datagram).Body, 1098)
	require.EqualValues(t, 3, p.client.Stats().DatagramsOut)
	require.EqualValues(t, 3, p.server.Stats().DatagramsIn)
}

func TestPeerWithoutDatagrams(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{})
	conf := serverTLS()
	conf.InsecureSkipVerify, conf.NextProtos = true, []string{citadel.ALPN}
	conn, err := quic.DialAddr(t.Context(), ln.Addr().String(), conf, nil)
	require.NoError(t, err)
	defer conn.CloseWithError(0, "")
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	c := citadeltest.Read(t, ln.Inbox()).Expect(citadel.Opened).Conn
	s, err := conn.AcceptUniStream(t.Context())
	require.NoError(t, err)
	var dec wire.Decoder
	require.Equal(t, wire.KindAuthResult, readEnvelope(t, s, &dec).Kind)

	require.Zero(t, c.MaxDatagram())
	require.NoError(t, c.SendDatagram(400, []byte("never mind how")))
	require.NoError(t, c.SendDatagram(401, make([]byte, 4000)))
	e := readEnvelope(t, s, &dec)
	require.Equal(t, wire.Kind(400), e.Kind)
	require.Equal(t, "never mind how", string(e.Body))
	require.Len(t, readEnvelope(t, s, &dec).Body, 4000)
	require.ErrorIs(t, c.SendDatagram(401, make([]byte, wire.MaxBody)), wire.ErrFrameTooLarge)

	// Without being read, datagrams are no reason to end the connection.
	for c.Stats().Drops.OutboundDatagrams == 0 {
		require.NoError(t, c.SendDatagram(401, make([]byte, 16<<10)))
	}
	require.LessOrEqual(t, c.Stats().QueuedOut, 64<<10)
	require.Positive(t, c.Stats().DatagramsReliable)
	require.Zero(t, c.Stats().DatagramsOut)
	require.NoError(t, c.Err())
}

// linkPair is what connect returns, over QUIC connections that the test configures.
func linkPair(t testing.TB, idLen int, conf *quic.Config, server citadel.ListenConfig, client citadel.Config) *pair {
	t.Helper()
	serverConf := serverTLS()
	serverConf.NextProtos = []string{citadel.ALPN}
	transport := func() *quic.Transport {
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		tr := &quic.Transport{Conn: udp, ConnectionIDLength: idLen}
		t.Cleanup(func() {
			_ = tr.Close()
			_ = udp.Close()
		})
		return tr
	}
	ql, err := transport().Listen(serverConf, conf)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	qc, err := transport().Dial(ctx, ql.Addr(), &tls.Config{InsecureSkipVerify: true, NextProtos: serverConf.NextProtos}, conf)
	require.NoError(t, err)

	p := &pair{}
	p.ln, err = citadel.NewListener(server)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.ln.Close() })
	require.NoError(t, p.ln.Admit(citadel.QUICLink(rawAccept(t, ql))))
	p.client, err = citadel.Open(ctx, citadel.QUICLink(qc), citadel.DialConfig{Config: client})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.client.Close() })
	p.atServer, p.atClient = citadeltest.Read(t, p.ln.Inbox()), citadeltest.Read(t, p.client.Inbox())
	p.server = p.atServer.Expect(citadel.Opened).Conn
	p.atClient.Expect(citadel.Opened)
	return p
}

// sweep sends a datagram of each size both ways. Each either arrives or is refused; where refusal begins is returned.
func sweep(t *testing.T, p *pair) (largest int) {
	t.Helper()
	for size := 1100; size <= 1472; size++ {
		for _, way := range []struct {
			from *citadel.Conn
			to   *citadeltest.Reader
		}{{p.client, p.atServer}, {p.server, p.atClient}} {
			limit := way.from.MaxDatagram()
			err := way.from.SendDatagram(400, make([]byte, size))
			var tooLarge *citadel.DatagramTooLargeError
			if errors.As(err, &tooLarge) {
				require.ErrorIs(t, err, citadel.ErrDatagramTooLarge)
				require.Equal(t, size, tooLarge.Size)
				require.Greater(t, size, tooLarge.Max)
				require.GreaterOrEqual(t, tooLarge.Max, limit, "the path is not known any better than before")
				continue
			}
			require.NoError(t, err)
			e := way.to.Next()
			for e.Kind == citadel.Frame { // what carried the probes
				e = way.to.Next()
			}
			require.Equal(t, citadel.Datagram, e.Kind)
			require.Len(t, e.Body, size)
			largest = max(largest, size)
		}
	}
	for _, c := range []*citadel.Conn{p.client, p.server} {
		require.Equal(t, citadel.Drops{}, c.Stats().Drops)
	}
	return largest
}

// No datagram vanishes between two checks, whatever its size, while the size of packets that the path carries
// is unknown, while it is being found out, and when it is known.
func TestDatagramsOfEverySize(t *testing.T) {
	for _, idLen := range []int{4, 20} { // the longer the connection ids, the less room there is
		for _, discovery := range []bool{false, true} {
			name := map[int]string{4: "short ids", 20: "long ids"}[idLen] + map[bool]string{false: ", before discovery", true: ""}[discovery]
			t.Run(name, func(t *testing.T) {
				conf := &quic.Config{EnableDatagrams: true, DisablePathMTUDiscovery: !discovery}
				p := linkPair(t, idLen, conf, citadel.ListenConfig{}, citadel.Config{})
				first := sweep(t, p)
				if !discovery {
					require.Equal(t, 1234, first)
					require.Equal(t, first, p.client.MaxDatagram())
					return
				}
				citadeltest.Eventually(t, "the path is known", func() bool {
					require.NoError(t, p.client.Send(300, nil)) // probes go with packets
					require.NoError(t, p.server.Send(300, nil))
					p.atServer.Poll()
					p.atClient.Poll()
					return p.client.MaxDatagram() > 1380 && p.server.MaxDatagram() > 1380
				})
				limit := p.client.MaxDatagram()
				require.GreaterOrEqual(t, sweep(t, p), limit)
			})
		}
	}
}

// With the fallback every size arrives, one way or the other.
func TestDatagramFallback(t *testing.T) {
	cfg := citadel.Config{DatagramFallback: true}
	p := linkPair(t, 4, &quic.Config{EnableDatagrams: true, DisablePathMTUDiscovery: true}, citadel.ListenConfig{Config: cfg}, cfg)
	limit := p.client.MaxDatagram()
	for size := 1100; size <= 1472; size++ {
		require.NoError(t, p.client.SendDatagram(400, make([]byte, size)))
		kind := citadel.Datagram
		if size > limit {
			kind = citadel.Frame
		}
		e := p.atServer.Expect(kind)
		require.Equal(t, wire.Kind(400), e.Env)
		require.Len(t, e.Body, size)
	}
	s := p.client.Stats()
	require.EqualValues(t, limit-1100+1, s.DatagramsOut)
	require.EqualValues(t, 1472-limit, s.DatagramsReliable)
	require.Equal(t, citadel.Drops{}, s.Drops)
}

// On a dead path, datagrams do not block the sender: the newest are kept, and the others are counted.
func TestDatagramsDoNotBlock(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{})
	relay, err := netem.Listen(ln.Addr().String(), netem.Config{})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, relay.Addr().String(), citadel.DialConfig{Config: citadel.Config{Linger: time.Millisecond}})
	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	const sent = 5000
	for range sent {
		require.NoError(t, conn.SendDatagram(400, make([]byte, 1000)))
	}
	citadeltest.Eventually(t, "each is counted", func() bool {
		s := conn.Stats()
		held := uint64(citadel.DefaultOutboundDatagrams + 1) // and what QUIC has no room for
		n := s.DatagramsOut + s.Drops.OutboundDatagrams
		return s.Drops.OutboundDatagrams > sent/2 && n <= sent && n >= sent-held
	})
}
