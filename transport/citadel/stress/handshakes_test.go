package stress

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// wrongFirstFrame says something else than what a client must say first.
func wrongFirstFrame(a *agent) error {
	first := [][]byte{
		framed(wire.KindSession, make([]byte, 100)),
		framed(wire.KindRPCRequest, []byte("let me in")),
		framed(wire.KindAuthResult, []byte{byte(wire.AuthGuest)}),
		framed(wire.KindGoodbye, []byte{0, 0, 0, 0}),
		part(1, 1<<20, 0, 1000),
		framed(0xffff, nil),
		{0, 0, 0, 1, 7},                  // no room for a kind
		[]byte("GET / HTTP/1.1\r\n\r\n"), // a length of 1.2 GB
		framed(wire.KindAuth, nil)[:5],   // and then the stream ends
	}
	return a.each(func(i int) error {
		conn, err := a.dial(quicConfig())
		if err != nil {
			return err
		}
		// What comes behind it is not looked at.
		p := first[i%len(first)]
		if len(p) != 5 {
			p = append(bytes.Clone(p), framed(wire.KindAuth, nil)...)
		}
		if s, err := a.open(conn, p); err == nil {
			_ = s.Close()
		}
		a.awaitEnd(conn)
		return nil
	})
}

// slowLoris says the right thing, a byte at a time, and never gets to its end.
func slowLoris(a *agent) error {
	token := bytes.Repeat([]byte("x"), 4000)
	frame := framed(wire.KindAuth, token)
	dialing := make(chan struct{}, 4) // the server refuses many at once
	return inParallel(a.many, a.many, func(int) error {
		dialing <- struct{}{}
		conn, err := a.dial(quicConfig())
		<-dialing
		if err != nil {
			return err
		}
		a.ready()
		s, err := a.open(conn, frame[:1])
		for n := 1; err == nil && n < len(frame)-1; n++ {
			select {
			case <-conn.Context().Done():
			case <-time.After(20 * time.Millisecond):
			}
			_, err = s.Write(frame[n : n+1])
		}
		a.awaitEnd(conn)
		return nil
	})
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

// unfinishedHandshakes begins handshakes of QUIC and does not continue them.
func unfinishedHandshakes(a *agent) error {
	ctx, cancel := context.WithTimeout(a.ctx, a.lasts)
	defer cancel()
	return inParallel(a.many, a.many, func(i int) error {
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return err
		}
		defer udp.Close()
		tr := &quic.Transport{Conn: deafConn{udp}}
		defer tr.Close()
		if i == a.many-1 {
			time.AfterFunc(a.lasts/4, a.ready)
		}
		conn, err := tr.Dial(ctx, a.target, tlsConfig(), quicConfig())
		if err == nil {
			a.countEnd(conn)
			return nil
		}
		a.count("begun", 1)
		return nil
	})
}

// oversizedToken presents a token that is longer than the server cares to read: announced only, all of it, or
// with as much as it can send behind it.
func oversizedToken(a *agent) error {
	return a.each(func(i int) error {
		conn, err := a.dial(quicConfig())
		if err != nil {
			return err
		}
		p := wire.AppendFrameHeader(nil, wire.KindAuth, maxToken+1)
		if i%3 > 0 {
			p = append(p, bytes.Repeat([]byte("t"), maxToken+1)...)
		}
		s, err := a.open(conn, p)
		for i%3 == 2 && err == nil {
			_, err = s.Write(p)
		}
		a.awaitEnd(conn)
		return nil
	})
}

// authTwice is let in and wants to be let in again: on the same stream, on another one, in a datagram.
func authTwice(a *agent) error {
	return a.each(func(i int) error {
		conn, s, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		switch again := framed(wire.KindAuth, []byte(playerToken)); i % 3 {
		case 0:
			_, _ = s.Write(again)
		case 1:
			// The first stream may have something to say for ever, if it does not end.
			_ = s.Close()
			_, _ = a.open(conn, again)
		case 2:
			for conn.Context().Err() == nil { // datagrams may get lost
				_ = conn.SendDatagram(wire.AppendDatagram(nil, wire.KindAuth, nil))
				time.Sleep(10 * time.Millisecond)
			}
		}
		a.awaitEnd(conn)
		return nil
	})
}

// gatedConn hears nothing while its gate is shut.
type gatedConn struct {
	net.PacketConn
	gate sync.RWMutex // locked while it is shut
}

func (c *gatedConn) ReadFrom(p []byte) (int, net.Addr, error) {
	n, addr, err := c.PacketConn.ReadFrom(p)
	c.gate.RLock()
	defer c.gate.RUnlock()
	return n, addr, err
}

// earlyData sends its token before the handshake is over, as 0-RTT allows those who have been there before, with a
// ticket that promises that it may. Whoever could record that could send it again.
func earlyData(a *agent) error {
	return inParallel(a.many, 4, func(i int) error {
		ctx, cancel := context.WithTimeout(a.ctx, patience)
		defer cancel()
		udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return err
		}
		defer udp.Close()
		gated := &gatedConn{PacketConn: udp}
		tr := &quic.Transport{Conn: gated}
		defer tr.Close()

		// The helper is a server with the same keys that issues such tickets.
		conf := tlsConfig()
		conf.ServerName = "localhost"
		tickets := newTickets()
		conf.ClientSessionCache = tickets
		helper, err := net.ResolveUDPAddr("udp", a.helper)
		if err != nil {
			return err
		}
		before, err := tr.Dial(ctx, helper, conf, quicConfig())
		if err != nil {
			return err
		}
		select {
		case <-tickets.got:
		case <-ctx.Done():
			return errors.New("no ticket came")
		}
		_ = before.CloseWithError(0, "")

		hello := append(framed(wire.KindAuth, nil), framed(earlyKind, fmt.Append(nil, i))...)
		conn, err := a.speakEarly(ctx, tr, gated, conf, hello)
		if err != nil {
			return err
		}
		again, err := conn.NextConnection(ctx)
		if err != nil {
			return err
		}
		state := conn.ConnectionState()
		if state.TLS.DidResume {
			a.count("resumed", 1)
		}
		if state.Used0RTT {
			a.count("accepted early", 1)
			return nil
		}
		if _, err := a.open(again, hello); err != nil {
			return err
		}
		if _, err := authResult(ctx, again); err != nil {
			return err
		}
		a.countEnd(again)
		time.Sleep(a.lasts) // something else could still arrive
		return again.CloseWithError(0, "")
	})
}

// speakEarly connects and says hello before it can have heard anything.
func (a *agent) speakEarly(
	ctx context.Context, tr *quic.Transport, gated *gatedConn, conf *tls.Config, hello []byte,
) (*quic.Conn, error) {
	gated.gate.Lock()
	defer gated.gate.Unlock()
	conn, err := tr.DialEarly(ctx, a.target, conf, quicConfig())
	if err != nil {
		return nil, err
	}
	s, err := conn.OpenUniStream()
	if err != nil {
		return nil, err
	}
	if _, err := s.Write(hello); err != nil {
		return nil, err
	}
	time.Sleep(20 * time.Millisecond) // lets it leave
	select {
	case <-conn.HandshakeComplete():
	default:
		a.count("sent early", 1)
	}
	return conn, nil
}

// earlyKind is what follows the token in early data.
const earlyKind wire.Kind = 0x1234

// tickets keeps the newest ticket.
type tickets struct {
	tls.ClientSessionCache
	got chan struct{}
}

func newTickets() *tickets {
	return &tickets{tls.NewLRUClientSessionCache(1), make(chan struct{}, 100)}
}

// Put implements tls.ClientSessionCache.
func (c *tickets) Put(key string, state *tls.ClientSessionState) {
	// Both servers have the same name, and one key does for both whatever their ports are.
	c.ClientSessionCache.Put("", state)
	if state != nil {
		c.got <- struct{}{}
	}
}

// Get implements tls.ClientSessionCache.
func (c *tickets) Get(string) (*tls.ClientSessionState, bool) { return c.ClientSessionCache.Get("") }

// maxToken is the server's default.
const maxToken = citadel.DefaultMaxTokenBytes
