package citadel

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// testConfig is a valid configuration.
func testConfig(t testing.TB, c Config) *Config {
	t.Helper()
	c, err := c.validate()
	require.NoError(t, err)
	return &c
}

// testQueues returns the queues of a connection that has no network.
func testQueues(t testing.TB, c Config) *Conn {
	conn := &Conn{cfg: testConfig(t, c)}
	conn.in.init(conn.cfg)
	conn.out.init(conn.cfg, func() {})
	conn.unsent.init(conn.cfg.OutboundDatagrams, func() {})
	return conn
}

// sendTick is what the two goroutines do for a tick's worth of frames.
func sendTick(t testing.TB, o *outbox, frame []byte) (bytes int) {
	for range 16 {
		if _, err := o.addSession(frame); err != nil {
			t.Fatal(err)
		}
	}
	o.release()
	buf, frames, last, ok := o.take()
	if frames != 16 || last || !ok {
		t.Fatalf("took %d frames, last %v, ok %v", frames, last, ok)
	}
	o.wrote(buf)
	return len(buf)
}

func receiveTick(t testing.TB, c *Conn, e wire.Envelope, fn func(Event)) {
	for range 16 {
		if !c.in.put(c, Session, e, false) {
			t.Fatal("dropped")
		}
	}
	if n := c.cfg.Inbox.Drain(fn); n != 16 {
		t.Fatalf("drained %d events", n)
	}
}

func TestQueuesAllocateNothing(t *testing.T) {
	c := testQueues(t, Config{ManualFlush: true})
	frame := make([]byte, 64)
	sum := 0
	fn := func(e Event) { sum += len(e.Envelope.Body) }
	e := wire.Envelope{Kind: wire.KindSession, Body: frame}
	tick := func() {
		sendTick(t, &c.out, frame)
		receiveTick(t, c, e, fn)
		c.unsent.push(200, frame)
		_, _ = c.unsent.pop()
	}
	for range 2 * DefaultOutboundDatagrams {
		tick() // every buffer has been used
	}
	require.Zero(t, testing.AllocsPerRun(1000, tick))
	require.Positive(t, sum)
}

// BenchmarkQueues is what this package adds to QUIC for a frame: once on the way out, once on the way in.
func BenchmarkQueues(b *testing.B) {
	frame := make([]byte, 64)
	b.Run("out", func(b *testing.B) {
		c := testQueues(b, Config{ManualFlush: true})
		b.ReportAllocs()
		for b.Loop() {
			sendTick(b, &c.out, frame)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/frame")
	})
	b.Run("in", func(b *testing.B) {
		c := testQueues(b, Config{})
		e := wire.Envelope{Kind: wire.KindSession, Body: frame}
		fn := func(Event) {}
		b.ReportAllocs()
		for b.Loop() {
			receiveTick(b, c, e, fn)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/frame")
	})
}

func TestOutboxBoundsFrames(t *testing.T) {
	c := testQueues(t, Config{OutboundFrames: 3, OutboundBytes: 1000})
	o := &c.out
	for range 3 {
		require.NoError(t, o.add(200, nil))
	}
	err := o.add(200, nil)
	var full errQueueFull
	require.ErrorAs(t, err, &full)
	require.Equal(t, errQueueFull{3 * wire.FrameOverhead, 3}, full)
	// What the writer holds counts until it is written.
	buf, _, _, ok := o.take()
	require.True(t, ok)
	require.ErrorAs(t, o.add(200, nil), &full)
	o.wrote(buf)
	require.NoError(t, o.add(200, make([]byte, 900)))
	require.ErrorAs(t, o.add(200, make([]byte, 100)), &full)
	// The last envelope is above the law.
	o.end(wire.KindGoodbye, make([]byte, 500))
	require.ErrorIs(t, o.add(200, nil), errEnded)
	buf, frames, last, ok := o.take()
	require.True(t, ok)
	require.True(t, last)
	require.Equal(t, 2, frames)
	require.Len(t, buf, 1400+2*wire.FrameOverhead)
}

// What is flushed is written on the spot, but for what is large, and for a part of it that has to wait for the rest
// to leave.
func TestOutboxWritesOnTheSpot(t *testing.T) {
	c := testQueues(t, Config{ManualFlush: true})
	o, wrote, full := &c.out, 0, false
	o.direct(func(buf []byte, frames int) bool {
		require.NotEmpty(t, buf)
		if !full {
			wrote += frames
		}
		return !full
	})
	body := make([]byte, 1000-wire.FrameOverhead)
	write := func() {
		t.Helper()
		require.NoError(t, o.add(200, body))
		o.release()
	}
	for n := range maxInDoubt / 1000 {
		write()
		require.Equal(t, n+1, wrote)
		require.False(t, o.running)
	}
	write() // somebody must find out whether all that has left
	require.True(t, o.running)
	write() // and what comes then waits for its turn
	require.Equal(t, maxInDoubt/1000, wrote)
	buf, frames, _, ok := o.take()
	require.True(t, ok)
	require.Equal(t, 2, frames)
	o.wrote(buf)
	_, _, _, ok = o.take()
	require.False(t, ok)
	write()
	require.Equal(t, maxInDoubt/1000+1, wrote)
	require.False(t, o.running)

	full = true // the link has no room
	write()
	require.True(t, o.running)
	buf, frames, _, ok = o.take()
	require.True(t, ok)
	require.Equal(t, 1, frames)
	o.wrote(buf)
	_, _, _, ok = o.take()
	require.False(t, ok)

	full = false
	wrote = 0
	require.NoError(t, o.add(200, make([]byte, maxDirect)))
	o.release()
	require.True(t, o.running, "what fits no packet is written in the background")
	require.Zero(t, wrote)
	buf, _, _, _ = o.take()
	o.wrote(buf)
	_, _, _, ok = o.take()
	require.False(t, ok)
	require.NoError(t, o.add(200, nil))
	o.end(wire.KindGoodbye, nil)
	_, frames, last, ok := o.take()
	require.True(t, ok && last, "so is the end")
	require.Equal(t, 1, frames)
}

func TestOutboxWaits(t *testing.T) {
	c := testQueues(t, Config{ManualFlush: true})
	require.NoError(t, c.out.add(200, []byte("held")))
	_, _, _, ok := c.out.take()
	require.False(t, ok, "nothing leaves before the flush")
	c.out.release()
	buf, _, _, ok := c.out.take()
	require.True(t, ok)
	require.Len(t, buf, 4+wire.FrameOverhead)
	c.out.release() // of nothing
	_, _, _, ok = c.out.take()
	require.False(t, ok)
	require.NoError(t, c.out.add(200, nil))
	_, _, _, ok = c.out.take()
	require.False(t, ok, "an old flush does not count for what came later")
}

func TestDatagramQueueDropsTheOldest(t *testing.T) {
	var q datagramQueue
	started := 0
	q.init(4, func() { started++ })
	for n := range 10 {
		require.Equal(t, n >= 4, q.push(200, []byte{byte(n)}))
	}
	for n := 6; n < 10; n++ {
		b, ok := q.pop()
		require.True(t, ok)
		require.Equal(t, []byte{0, 200, byte(n)}, b)
	}
	require.Equal(t, 1, started)
	_, ok := q.pop()
	require.False(t, ok)
	require.False(t, q.push(201, nil))
	require.Equal(t, 2, started, "a sender is started when the last one has ended")
	b, ok := q.pop()
	require.True(t, ok)
	require.Equal(t, []byte{0, 201}, b)
}

// A peer that dies right after its last packet is asked for a sign of life when KeepAlive has passed, and QUIC
// gives up MaxIdleTimeout after that question.
func TestDeathIsNoticedInTime(t *testing.T) {
	for _, cfg := range []Config{{}, {IdleTimeout: time.Minute}, {IdleTimeout: 300 * time.Millisecond}, {IdleTimeout: time.Second, KeepAlive: time.Second / 2}} {
		c := testConfig(t, cfg)
		q := c.quic()
		require.Equal(t, c.IdleTimeout, q.MaxIdleTimeout+q.KeepAlivePeriod)
		require.GreaterOrEqual(t, q.MaxIdleTimeout, q.KeepAlivePeriod)
	}
	require.Less(t, DefaultIdleTimeout, 2*time.Second)
}

// Splitting and joining again is the identity, whatever the sizes.
func TestSplitAndJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		frame := make([]byte, 1+rng.IntN(5000))
		for i := range frame {
			frame[i] = byte(rng.Uint32())
		}
		size := 1 + rng.IntN(600)
		j := joiner{max: 5000}
		var dec wire.Decoder
		_, _ = dec.Write(appendParts(nil, wire.KindSessionPart, 7, frame, size))
		var got []byte
		parts := 0
		for {
			e, ok, err := dec.Next()
			require.NoError(t, err)
			if !ok {
				break
			}
			require.Nil(t, got, "parts after the end")
			require.LessOrEqual(t, cap(j.buf), len(frame))
			got, err = j.add(e.Body)
			require.NoError(t, err)
			parts++
		}
		require.Equal(t, frame, got)
		require.Equal(t, partCount(len(frame), size), parts)
	}
}

func FuzzJoiner(f *testing.F) {
	f.Add(wire.AppendPart(nil, wire.Part{Transfer: 1, Total: 4, Bytes: []byte("ab")}),
		wire.AppendPart(nil, wire.Part{Transfer: 1, Total: 4, Offset: 2, Bytes: []byte("cd")}))
	f.Add(wire.AppendPart(nil, wire.Part{Transfer: 1, Total: 1 << 31, Bytes: []byte("ab")}), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		const limit = 1 << 16
		j := joiner{max: limit}
		sent := 0
		for _, body := range [][]byte{first, second} {
			frame, err := j.add(body)
			if err != nil {
				if !errors.Is(err, ErrPartOrder) && !errors.Is(err, ErrPartTotal) && !errors.Is(err, ErrSessionTooLarge) &&
					!errors.Is(err, wire.ErrPartTooSmall) {
					t.Fatalf("untyped error %v", err)
				}
				return
			}
			sent += len(body) - wire.PartHeaderBytes
			if len(frame) > limit || len(frame) > sent {
				t.Fatalf("%d bytes out of %d", len(frame), sent)
			}
			if cap(j.buf) > max(limit, 2*sent) {
				t.Fatalf("capacity of %d for %d bytes", cap(j.buf), sent)
			}
		}
	})
}

func TestDrainRules(t *testing.T) {
	inbox := NewInbox()
	a, b := testQueues(t, Config{Inbox: inbox}), testQueues(t, Config{Inbox: inbox})
	put := func(c *Conn, body string) {
		require.True(t, c.in.put(c, Frame, wire.Envelope{Kind: 200, Body: []byte(body)}, false))
	}
	var got []string
	record := func(e Event) { got = append(got, string(e.Envelope.Body)) }

	// In the order in which connections had something first; each connection's events together.
	put(b, "b1")
	put(a, "a1")
	put(b, "b2")
	require.Equal(t, 3, inbox.Drain(record))
	require.Equal(t, []string{"b1", "b2", "a1"}, got)
	require.Zero(t, inbox.Drain(record))

	// What comes while draining waits for the next time; draining while draining does nothing.
	got = nil
	put(a, "a2")
	require.Equal(t, 1, inbox.Drain(func(e Event) {
		put(a, "a3")
		require.Zero(t, inbox.Drain(record))
		record(e)
	}))
	require.Equal(t, 1, inbox.Drain(record))
	require.Equal(t, []string{"a2", "a3"}, got)

	// A panic loses what was being handed out, and nothing else.
	got = nil
	put(a, "a4")
	put(b, "b3")
	require.PanicsWithValue(t, "oops", func() { inbox.Drain(func(Event) { panic("oops") }) })
	left, _ := a.in.queued()
	require.Zero(t, left)
	require.Equal(t, 1, inbox.Drain(record))
	put(a, "a5")
	require.Equal(t, 1, inbox.Drain(record))
	require.Equal(t, []string{"b3", "a5"}, got)
}

func TestClosedIsLast(t *testing.T) {
	c := testQueues(t, Config{})
	c.in.close(c, orderly)
	require.Zero(t, c.cfg.Inbox.Drain(func(Event) {}), "a connection that never opened has nothing to say")

	c = testQueues(t, Config{})
	c.in.open(c)
	require.True(t, c.in.put(c, Frame, wire.Envelope{Kind: 200}, false))
	c.in.close(c, orderly)
	c.in.close(c, errStop)
	require.False(t, c.in.put(c, Frame, wire.Envelope{Kind: 201}, false))
	require.False(t, c.in.putDatagram(c, wire.Envelope{Kind: 201}))
	var kinds []EventKind
	c.cfg.Inbox.Drain(func(e Event) {
		kinds = append(kinds, e.Kind)
		if e.Kind == Closed {
			require.Equal(t, orderly, e.Err)
		}
	})
	require.Equal(t, []EventKind{Opened, Frame, Closed}, kinds)
}

var orderly = &CloseError{Code: CodeNone}
