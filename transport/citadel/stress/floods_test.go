package stress

import (
	"crypto/rand"
	"encoding/binary"
	mathrand "math/rand/v2"
	"net"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// garbagePackets sends to the server's socket what is nothing, or looks like QUIC at first sight, as fast as it can.
func garbagePackets(a *agent) error {
	udp, err := net.DialUDP("udp", nil, a.target)
	if err != nil {
		return err
	}
	defer udp.Close()
	noise := make([]byte, 64<<10)
	if _, err := rand.Read(noise); err != nil {
		return err
	}
	rng := mathrand.New(mathrand.NewPCG(1, 2))
	p := make([]byte, 0, 1500)
	sent, refused := 0, 0
	a.ready()
	for end := time.Now().Add(a.lasts); a.ctx.Err() == nil; {
		if sent%256 == 0 && time.Now().After(end) {
			break
		}
		size := 1 + rng.IntN(1400)
		p = append(p[:0], noise[rng.IntN(len(noise)-1500):][:size]...)
		switch {
		case sent%4 == 1: // a packet of a connection that the server does not know
			p[0] = 0x40 | p[0]&0x3f
		case sent%4 == 2 && size > 20: // a version that it does not know
			p[0] |= 0xc0
			p[5] = 8
		case sent%4 == 3: // the first packet of a handshake, but for the encryption
			p = appendInitial(p[:0], noise[rng.IntN(len(noise)-1500):][:1200])
		}
		if _, err := udp.Write(p); err != nil {
			refused++ // the system is busy
		}
		sent++
	}
	a.count("packets", sent-refused)
	return nil
}

// appendInitial appends an Initial packet of QUIC version 1 whose content is what follows its header in noise.
func appendInitial(dst, noise []byte) []byte {
	dst = append(dst, 0xc3) // a long header, an Initial, a packet number of four bytes
	dst = binary.BigEndian.AppendUint32(dst, 1)
	dst = append(dst, 8)
	dst = append(dst, noise[:8]...) // the destination's connection id
	dst = append(dst, 4)
	dst = append(dst, noise[8:12]...) // the source's
	dst = append(dst, 0)              // no token
	rest := len(noise) - len(dst) - 2
	dst = binary.BigEndian.AppendUint16(dst, 0x4000|uint16(rest))
	return append(dst, noise[len(noise)-rest:]...)
}

// garbageDatagrams becomes a guest and sends datagrams as fast as QUIC lets it: some too short to be anything, some
// that look like a handshake, some of a kind that nobody knows.
func garbageDatagrams(a *agent) error {
	return inParallel(a.many, a.many, func(int) error {
		conn, _, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		garbage := [][]byte{
			{}, {1}, make([]byte, 1000),
			wire.AppendDatagram(nil, wire.KindAuthResult, []byte{0}),
			wire.AppendDatagram(nil, wire.KindGoodbye, []byte{0, 0, 0, 0}),
			wire.AppendDatagram(nil, 0xffff, make([]byte, 500)),
		}
		a.ready()
		sent := 0
		for end := time.Now().Add(a.lasts); a.ctx.Err() == nil && conn.Context().Err() == nil; sent++ {
			if sent%64 == 0 && time.Now().After(end) {
				break
			}
			if conn.SendDatagram(garbage[sent%len(garbage)]) != nil {
				break
			}
		}
		a.count("datagrams", sent)
		a.countEnd(conn)
		return conn.CloseWithError(0, "")
	})
}

// sendQueue is how many datagrams QUIC queues for sending, and one more that is on its way out of the queue.
const sendQueue = 32 + 1

// datagramsBeforeAuth sends datagrams without having been let in, and then is let in.
func datagramsBeforeAuth(a *agent) error {
	return a.each(func(int) error {
		conn, err := a.dial(quicConfig())
		if err != nil {
			return err
		}
		for range 200 {
			if err := conn.SendDatagram(wire.AppendDatagram(nil, 300, make([]byte, 800))); err != nil {
				return err
			}
			a.count("datagrams", 1)
		}
		time.Sleep(a.lasts) // lets most of what QUIC has queued leave
		if _, err := a.open(conn, framed(wire.KindAuth, nil)); err != nil {
			return err
		}
		if _, err := authResult(a.ctx, conn); err != nil {
			return err
		}
		a.countEnd(conn)
		return conn.CloseWithError(0, "")
	})
}
