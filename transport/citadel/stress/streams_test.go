package stress

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// halfOpenStreams opens as many streams as it may, says the beginning of an envelope on each, and leaves it at that.
func halfOpenStreams(a *agent) error {
	beginning := framed(300, make([]byte, 100))[:20]
	var conns atomic.Int32
	return inParallel(a.many, a.many, func(i int) error {
		conn, _, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		var limit *quic.StreamLimitReachedError
		for {
			s, err := conn.OpenUniStream()
			if errors.As(err, &limit) {
				a.count("refused", 1)
				break
			}
			if err != nil {
				return err
			}
			if _, err := s.Write(beginning); err != nil {
				return err
			}
			a.count("streams", 1)
		}
		for {
			s, err := conn.OpenStream()
			if errors.As(err, &limit) {
				a.count("refused", 1)
				break
			}
			if err != nil {
				return err
			}
			if _, err := s.Write(beginning); err != nil {
				return err
			}
			a.count("streams", 1)
		}
		if int(conns.Add(1)) == a.many {
			a.ready()
		}
		a.linger(conn)
		a.countEnd(conn)
		return conn.CloseWithError(0, "")
	})
}

// linger waits as long as the attack lasts, or the connection.
func (a *agent) linger(conn *quic.Conn) {
	select {
	case <-conn.Context().Done():
	case <-time.After(a.lasts):
	case <-a.ctx.Done():
	}
}

// giantPrefix announces more than the server allows: half of the attackers as the first thing that they say, where
// only a token is allowed, and half when they have been let in.
func giantPrefix(a *agent) error {
	before := [][]byte{
		{0xff, 0xff, 0xff, 0xff},
		{0, 0x80, 0, 1}, // one byte more than the protocol allows
		wire.AppendFrameHeader(nil, wire.KindAuth, maxToken+1)[:4],
	}
	after := [][]byte{
		{0xff, 0xff, 0xff, 0xff, 0xc0, 1},
		{0, 0x80, 0, 1, 0xc0, 1},
		append(framed(300, make([]byte, 50)), 0x7f, 0, 0, 0), // behind something good
	}
	return a.each(func(i int) error {
		if i%2 == 0 {
			conn, err := a.dial(quicConfig())
			if err != nil {
				return err
			}
			_, _ = a.open(conn, before[i/2%len(before)])
			a.awaitEnd(conn)
			return nil
		}
		conn, s, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		_, _ = s.Write(after[i/2%len(after)])
		a.awaitEnd(conn)
		return nil
	})
}

// announcedSizes announces what is just allowed, an envelope and a session frame, and sends next to nothing of it.
func announcedSizes(a *agent) error {
	var conns atomic.Int32
	return inParallel(a.many, a.many, func(i int) error {
		conn, s, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		if _, err := s.Write(part(1, announcedFrame, 0, 100)); err != nil {
			return err
		}
		if _, err := s.Write([]byte{0, 0x80, 0, 0, 0, 200, 1, 2, 3}); err != nil {
			return err
		}
		if int(conns.Add(1)) == a.many {
			a.ready()
		}
		a.linger(conn)
		a.countEnd(conn)
		return conn.CloseWithError(0, "")
	})
}

// announcedFrame is the session frame of announcedSizes: as large as it may be.
const announcedFrame = citadel.DefaultMaxSessionFrame

// The session frames of the attacks with fragments, in bytes.
const (
	fragmentedFrame = 1 << 20
	fragment        = 8 << 10
)

// fragmentFlood sends fragments and never the last one: a third of the attackers all but a byte of a frame, a third
// thousands of fragments of a byte, and a third a frame inside another one.
func fragmentFlood(a *agent) error {
	return inParallel(a.many, a.many, func(i int) error {
		conn, s, err := a.enter(quicConfig())
		if err != nil {
			return err
		}
		a.ready()
		switch i % 3 {
		case 0:
			for off := 0; err == nil && off < fragmentedFrame-fragment; off += fragment {
				_, err = s.Write(part(1, fragmentedFrame, uint32(off), fragment))
			}
			if err == nil {
				_, _ = s.Write(part(1, fragmentedFrame, fragmentedFrame-fragment, fragment-1))
			}
		case 1:
			for off := 0; err == nil && off < 5000; off++ {
				_, err = s.Write(part(1, fragmentedFrame, uint32(off), 1))
			}
		case 2:
			for n := uint32(1); err == nil && n < 5000; n++ {
				_, err = s.Write(part(n, fragmentedFrame, 0, fragment))
			}
		}
		a.awaitEnd(conn)
		return nil
	})
}

// What the server sends to guests that do not read, in bytes.
const (
	deafFrame    = 8 << 10 // in each tick, to those that never read again
	pausingFrame = 512     // to those that do later
)

// tightConfig is for those who do not read: QUIC itself takes little for them.
func tightConfig() *quic.Config {
	cfg := quicConfig()
	cfg.InitialStreamReceiveWindow, cfg.MaxStreamReceiveWindow = 32<<10, 32<<10
	cfg.InitialConnectionReceiveWindow, cfg.MaxConnectionReceiveWindow = 32<<10, 32<<10
	return cfg
}

// neverRead becomes a guest and does not read what the server sends.
func neverRead(a *agent) error {
	return inParallel(a.many, a.many, func(int) error {
		conn, _, err := a.enter(tightConfig())
		if err != nil {
			return err
		}
		a.ready()
		a.awaitEnd(conn)
		return nil
	})
}

// readLater becomes a guest, does not read for as long as the attack lasts, and then wants it all.
func readLater(a *agent) error {
	return inParallel(a.many, a.many, func(int) error {
		conn, err := a.dial(tightConfig())
		if err != nil {
			return err
		}
		s, err := conn.OpenUniStream()
		if err != nil {
			return err
		}
		if _, err := s.Write(framed(wire.KindAuth, nil)); err != nil {
			return err
		}
		down, err := conn.AcceptUniStream(conn.Context())
		if err != nil {
			return err
		}
		a.ready()
		a.linger(conn)
		if _, err := readEnvelope(down); err != nil { // the answer to the handshake
			return err
		}
		wanted := int(a.lasts / tick)
		for n := range wanted {
			e, err := readEnvelope(down)
			if err != nil {
				return err
			}
			if e.Kind != wire.KindSession || len(e.Body) != pausingFrame || !isNumbered(e.Body, n) {
				return errors.New("something else came than was to be")
			}
			a.count("frames", 1)
		}
		a.countEnd(conn)
		return conn.CloseWithError(0, "")
	})
}
