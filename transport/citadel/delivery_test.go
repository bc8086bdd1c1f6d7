package citadel_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func numbered(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func TestSessionFramesKeepTheirOrder(t *testing.T) {
	const frames = 10_000
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	sent := make(chan error, 2)
	for _, c := range []*citadel.Conn{p.client, p.server} {
		go func() {
			for n := range frames {
				if err := c.SendSession(numbered(n)); err != nil {
					sent <- err
					return
				}
				// Other envelopes on the same stream do not disturb.
				if n%100 == 0 {
					if err := c.Send(500, numbered(n)); err != nil {
						sent <- err
						return
					}
				}
			}
			sent <- nil
		}()
	}
	for _, r := range []*citadeltest.Reader{p.atServer, p.atClient} {
		for n := range frames {
			e := r.Expect(citadel.Session)
			require.Equal(t, numbered(n), e.Body)
			require.Equal(t, wire.KindSession, e.Env)
			if n%100 == 0 {
				e := r.Expect(citadel.Frame)
				require.Equal(t, numbered(n), e.Body)
				require.Equal(t, wire.Kind(500), e.Env)
			}
		}
	}
	require.NoError(t, <-sent)
	require.NoError(t, <-sent)
	s := p.client.Stats()
	require.EqualValues(t, 1+frames+frames/100, s.FramesOut) // and the token
	require.EqualValues(t, 1+frames+frames/100, s.FramesIn)
	require.Equal(t, citadel.Drops{}, s.Drops)
	require.Equal(t, citadel.Drops{}, p.server.Stats().Drops)
	require.Zero(t, s.QueuedIn)
	require.Positive(t, s.Link.RTT)
}

func TestManualFlushWritesATickAtOnce(t *testing.T) {
	p := connect(t, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}}, citadel.DialConfig{})
	citadeltest.Eventually(t, "the answer to the handshake has left", func() bool { return p.server.Stats().QueuedOut == 0 })
	before := p.server.Stats().Writes
	for tick := range 20 {
		for n := range 16 {
			require.NoError(t, p.server.SendSession(numbered(tick<<8|n)))
		}
		require.Equal(t, 16*(wire.FrameOverhead+4), p.server.Stats().QueuedOut, "nothing leaves before the flush")
		p.ln.Flush()
		for n := range 16 {
			require.Equal(t, numbered(tick<<8|n), p.atClient.Expect(citadel.Session).Body)
		}
		citadeltest.Eventually(t, "the writer is done", func() bool { return p.server.Stats().QueuedOut == 0 })
	}
	require.EqualValues(t, 20, p.server.Stats().Writes-before)

	// Very much does not wait for a flush.
	require.NoError(t, p.server.SendSession(make([]byte, citadel.DefaultMaxSessionEnvelope)))
	require.Len(t, p.atClient.Expect(citadel.Session).Body, citadel.DefaultMaxSessionEnvelope)

	// And an end in good order flushes.
	require.NoError(t, p.server.SendSession([]byte("last")))
	require.NoError(t, p.server.Close())
	require.Equal(t, "last", string(p.atClient.Expect(citadel.Session).Body))
	p.atClient.Expect(citadel.Closed)
}

// The style of existing peers: each envelope on a fresh stream.
func TestStreamPerEnvelopeKeepsTheOrder(t *testing.T) {
	const frames = 3000
	ln := listen(t, citadel.ListenConfig{})
	conn := rawDial(t, ln.Addr().String())
	sent := make(chan error, 1)
	go func() {
		sent <- func() error {
			for n := -1; n < frames; n++ {
				kind, body := wire.Kind(300), numbered(n)
				if n < 0 {
					kind, body = wire.KindAuth, nil
				}
				b, err := wire.AppendFramed(nil, kind, body)
				if err != nil {
					return err
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				s, err := conn.OpenUniStreamSync(ctx)
				if err != nil {
					return err
				}
				if _, err := s.Write(b); err != nil {
					return err
				}
				if err := s.Close(); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	server := citadeltest.Read(t, ln.Inbox())
	server.Expect(citadel.Opened)
	for n := range frames {
		require.Equal(t, numbered(n), server.Expect(citadel.Frame).Body)
	}
	require.NoError(t, <-sent)
}

// A stream is read to its end before the next one, even if the next one is complete and it is not.
func TestLaterStreamsWait(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{})
	conn := rawDial(t, ln.Addr().String())
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	slow, err := conn.OpenUniStream()
	require.NoError(t, err)
	first := citadeltest.Frame(t, 301, []byte("first"))
	_, err = slow.Write(first[:5])
	require.NoError(t, err)
	rawSend(t, conn, citadeltest.Frame(t, 301, []byte("second")))

	server := citadeltest.Read(t, ln.Inbox())
	c := server.Expect(citadel.Opened).Conn
	time.Sleep(300 * time.Millisecond) // longer than a quiet stream is waited for
	server.Poll()
	require.Empty(t, server.Queued(), "the later stream must wait for the rest of the earlier one")
	_, err = slow.Write(first[5:])
	require.NoError(t, err)
	require.NoError(t, slow.Close())
	require.Equal(t, "first", string(server.Expect(citadel.Frame).Body))
	require.Equal(t, "second", string(server.Expect(citadel.Frame).Body))
	require.Equal(t, citadel.Drops{}, c.Stats().Drops)
}

// A peer may keep a stream open and still use fresh ones, of both types.
func TestStylesMix(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{false, true} {
		t.Run(map[bool]string{false: "quiet", true: "busy"}[busy], func(t *testing.T) {
			t.Parallel()
			ln := listen(t, citadel.ListenConfig{})
			conn := rawDial(t, ln.Addr().String())
			long, err := conn.OpenUniStream()
			require.NoError(t, err)
			_, err = long.Write(citadeltest.Frame(t, wire.KindAuth, nil))
			require.NoError(t, err)
			server := citadeltest.Read(t, ln.Inbox())
			server.Expect(citadel.Opened)

			stop, stopped := make(chan struct{}), make(chan error, 1)
			chatter := citadeltest.Frame(t, 310, []byte("chatter"))
			go func() {
				var err error
				for err == nil {
					select {
					case <-stop:
						stopped <- nil
						return
					case <-time.After(10 * time.Millisecond):
						if busy {
							_, err = long.Write(chatter)
						}
					}
				}
				stopped <- err
			}()
			want := func(body string) {
				t.Helper()
				for {
					e := server.Expect(citadel.Frame)
					if string(e.Body) != "chatter" {
						require.Equal(t, body, string(e.Body))
						return
					}
				}
			}
			rawSend(t, conn, citadeltest.Frame(t, 311, []byte("fresh")))
			want("fresh")
			bidi, err := conn.OpenStream()
			require.NoError(t, err)
			_, err = bidi.Write(citadeltest.Frame(t, 311, []byte("both ways")))
			require.NoError(t, err)
			want("both ways")
			rawSend(t, conn, citadeltest.Frame(t, 311, []byte("fresh again")))
			want("fresh again")
			close(stop)
			require.NoError(t, <-stopped)
			_, err = long.Write(citadeltest.Frame(t, 311, []byte("long-lived still")))
			require.NoError(t, err)
			want("long-lived still")
			// The other half of a bidirectional stream is of no use and is closed.
			require.NoError(t, bidi.SetReadDeadline(time.Now().Add(patience)))
			n, err := bidi.Read(make([]byte, 1))
			require.Zero(t, n)
			require.ErrorContains(t, err, "EOF")
		})
	}
}

func TestAbandonedStreamsDoNotHoldUp(t *testing.T) {
	ln := listen(t, citadel.ListenConfig{})
	conn := rawDial(t, ln.Addr().String())
	rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil))
	server := citadeltest.Read(t, ln.Inbox())
	c := server.Expect(citadel.Opened).Conn
	s, err := conn.OpenUniStream()
	require.NoError(t, err)
	_, err = s.Write(citadeltest.Frame(t, 301, make([]byte, 1000))[:500])
	require.NoError(t, err)
	s.CancelWrite(7)
	rawSend(t, conn, citadeltest.Frame(t, 301, []byte("next")))
	require.Equal(t, "next", string(server.Expect(citadel.Frame).Body))
	require.EqualValues(t, 1, c.Stats().Drops.AbortedStreams)
}

func TestLargeSessionFramesAreSplit(t *testing.T) {
	cfg := citadel.Config{OutboundBytes: 64 << 20}
	p := connect(t, citadel.ListenConfig{Config: cfg}, citadel.DialConfig{Config: cfg})
	rng := rand.New(rand.NewPCG(1, 2))
	const limit = citadel.DefaultMaxSessionEnvelope
	var want [][]byte
	for _, size := range []int{0, 1, limit - 1, limit, limit + 1, 2 * limit, 3*limit - 1, 1 << 20, 9 << 20, 5} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		want = append(want, b)
		require.NoError(t, p.client.SendSession(b))
	}
	for _, b := range want {
		e := p.atServer.Expect(citadel.Session)
		require.True(t, bytes.Equal(b, e.Body), "frame of %d bytes arrived as %d other ones", len(b), len(e.Body))
		require.Equal(t, wire.KindSession, e.Env)
	}
}

func TestConfiguredSessionKinds(t *testing.T) {
	cfg := citadel.Config{SessionKind: 0x1234, SessionPartKind: 0x1235, MaxSessionEnvelope: 10}
	p := connect(t, citadel.ListenConfig{Config: cfg}, citadel.DialConfig{Config: cfg})
	require.NoError(t, p.client.SendSession([]byte("short")))
	require.NoError(t, p.client.SendSession([]byte("a good deal longer")))
	require.NoError(t, p.client.Send(wire.KindSession, []byte("an ordinary kind here")))
	e := p.atServer.Expect(citadel.Session)
	require.Equal(t, wire.Kind(0x1234), e.Env)
	require.Equal(t, "short", string(e.Body))
	require.Equal(t, "a good deal longer", string(p.atServer.Expect(citadel.Session).Body))
	require.Equal(t, "an ordinary kind here", string(p.atServer.Expect(citadel.Frame).Body))
	require.ErrorIs(t, p.client.Send(0x1234, nil), citadel.ErrReservedKind)
}

func TestReservedKinds(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, kind := range []wire.Kind{wire.KindAuth, wire.KindAuthResult, wire.KindSession, wire.KindSessionPart, wire.KindGoodbye} {
		require.ErrorIs(t, p.client.Send(kind, nil), citadel.ErrReservedKind)
	}
	for _, kind := range []wire.Kind{wire.KindAuth, wire.KindAuthResult, wire.KindGoodbye} {
		require.ErrorIs(t, p.client.SendDatagram(kind, nil), citadel.ErrReservedKind)
	}
	require.NoError(t, p.client.Err())
}
