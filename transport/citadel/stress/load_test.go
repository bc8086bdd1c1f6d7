package stress

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// perSecond is how many messages a second each connection exchanges with the server.
const perSecond = 20

// loadTimeout keeps connections alive on a machine that cannot keep up.
const loadTimeout = time.Minute

// TestLoad lets many connections of one process exchange messages with a server in the same process. None is lost or
// comes twice, and they stay in order.
func TestLoad(t *testing.T) {
	many, rounds := pick(20, 50, 1000), pick(1, 3, 60)*perSecond
	before := memory()
	ln := listen(t, citadel.ListenConfig{
		MaxConnections: 4 * many,
		Authenticator:  authenticator(),
		Config:         citadel.Config{HandshakeTimeout: patience, IdleTimeout: loadTimeout},
	})
	srv := &echoServer{inbox: ln.Inbox(), next: make(map[*citadel.Conn]uint64)}
	stop := start(srv.run)
	defer stop()

	crowd := &crowd{inbox: citadel.NewInbox(), numbers: make(map[*citadel.Conn]int)}
	for _, conn := range dialMany(t, ln.Addr().String(), many, crowd.inbox) {
		crowd.numbers[conn] = len(crowd.conns)
		crowd.conns = append(crowd.conns, conn)
	}
	crowd.got = make([]int, many)
	crowd.trips = make(durations, 0, many*rounds)
	idle := memory()
	cpu, begun := cpuTime(), time.Now()
	listening := start(crowd.listen)
	defer listening()
	late, err := crowd.speak(rounds)
	require.NoError(t, err)
	want := int64(many * rounds)
	eventually(t, "everything is answered", func() bool {
		return crowd.answered.Load() >= want || crowd.failed.Load() != nil
	})
	took, used := time.Since(begun), cpuTime()-cpu
	busy := memory()
	listening()
	stop()

	require.Nil(t, crowd.failed.Load())
	require.NoError(t, srv.err)
	require.Equal(t, want, crowd.answered.Load())
	require.EqualValues(t, want, srv.frames)
	for _, conn := range crowd.conns {
		require.NoError(t, conn.Err())
	}
	stats := ln.Stats()
	require.Equal(t, many, stats.Open)
	t.Logf("%d connections, %d exchanges in %v", many, want, took.Round(time.Millisecond))
	t.Logf("processor, both ends: %v, %.2f of one, %v for an exchange",
		used.Round(time.Millisecond), used.Seconds()/took.Seconds(), (used / time.Duration(want)).Round(100*time.Nanosecond))
	t.Logf("memory, both ends: %s before, %s connected, %s busy: %d and %d bytes for a connection",
		mib(before), mib(idle), mib(busy), (idle-before)/int64(many), (busy-before)/int64(many))
	t.Logf("answers took: %v", crowd.trips)
	t.Logf("sent late: %v", late)
	t.Logf("server's packets: %d sent, %d received, %d lost; %d frames in %d writes",
		stats.Conns.Link.PacketsSent, stats.Conns.Link.PacketsReceived, stats.Conns.Link.PacketsLost,
		stats.Conns.FramesOut, stats.Conns.Writes)
}

// dialMany connects clients that share an inbox.
func dialMany(t *testing.T, addr string, many int, inbox *citadel.Inbox) []*citadel.Conn {
	t.Helper()
	conns := make([]*citadel.Conn, many)
	t.Cleanup(func() {
		for _, conn := range conns {
			if conn != nil {
				conn.Disconnect(citadel.CodeNone, "")
			}
		}
		for _, conn := range conns {
			if conn != nil {
				<-conn.Done()
			}
		}
	})
	require.NoError(t, inParallel(many, 16, func(i int) (err error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		conns[i], err = citadel.Dial(ctx, addr, citadel.DialConfig{
			Config: citadel.Config{Inbox: inbox, HandshakeTimeout: patience, IdleTimeout: loadTimeout},
			Token:  []byte(playerToken),
			Pin:    pin(),
		})
		return err
	}))
	return conns
}

// echoServer answers each frame with the same frame as soon as it comes.
type echoServer struct {
	inbox  *citadel.Inbox
	next   map[*citadel.Conn]uint64
	frames int
	err    error
}

func (s *echoServer) run(ctx context.Context) {
	for s.inbox.Wait(ctx) == nil {
		s.inbox.Drain(func(e citadel.Event) {
			if e.Kind != citadel.Session {
				return
			}
			s.frames++
			if n := binary.LittleEndian.Uint64(e.Envelope.Body); n != s.next[e.Conn] && s.err == nil {
				s.err = fmt.Errorf("connection %d says %d instead of %d", e.Conn.ID(), n, s.next[e.Conn])
			}
			s.next[e.Conn]++
			if err := e.Conn.SendSession(e.Envelope.Body); err != nil && s.err == nil {
				s.err = err
			}
		})
	}
}

// crowd is all clients.
type crowd struct {
	inbox   *citadel.Inbox
	conns   []*citadel.Conn
	numbers map[*citadel.Conn]int

	// The listener's.
	got   []int // answers of each connection
	trips durations

	answered atomic.Int64
	failed   atomic.Pointer[error]
}

// frame appends what a connection says in a round, and when it says it.
func appendFrame(dst []byte, round int, at time.Time) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(round))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at.UnixNano()))
	return append(dst, filling...)
}

var filling = bytes.Repeat([]byte{0x5a}, frameBytes-16)

// speak sends the frames of all connections, each in its turn, so that the turns of a round are spread over it. It
// returns how late each turn came.
func (c *crowd) speak(rounds int) (late durations, err error) {
	turns := rounds * len(c.conns)
	gap := time.Second / time.Duration(perSecond*len(c.conns))
	late = make(durations, 0, turns)
	begun := time.Now()
	var frame []byte
	for turn := range turns {
		due := begun.Add(time.Duration(turn) * gap)
		if early := time.Until(due); early > 0 {
			time.Sleep(max(early, time.Millisecond)) // several turns at once cost less than a timer for each
		}
		now := time.Now()
		late = append(late, max(0, now.Sub(due)))
		frame = appendFrame(frame[:0], turn/len(c.conns), now)
		if err := c.conns[turn%len(c.conns)].SendSession(frame); err != nil {
			return late, err
		}
	}
	return late, nil
}

// listen takes the answers.
func (c *crowd) listen(ctx context.Context) {
	for c.inbox.Wait(ctx) == nil {
		c.inbox.Drain(func(e citadel.Event) {
			switch e.Kind {
			case citadel.Session:
				if err := c.take(c.numbers[e.Conn], e.Envelope.Body); err != nil {
					c.failed.CompareAndSwap(nil, &err)
				}
				c.answered.Add(1)
			case citadel.Closed:
				c.failed.CompareAndSwap(nil, &e.Err)
			}
		})
	}
}

func (c *crowd) take(number int, body []byte) error {
	if len(body) != frameBytes || !bytes.Equal(body[16:], filling) {
		return fmt.Errorf("connection %d got something else: %x", number, body)
	}
	if round := binary.LittleEndian.Uint64(body); round != uint64(c.got[number]) {
		return fmt.Errorf("connection %d got the answer to %d after %d answers", number, round, c.got[number])
	}
	c.got[number]++
	c.trips = append(c.trips, time.Duration(time.Now().UnixNano()-int64(binary.LittleEndian.Uint64(body[8:]))))
	return nil
}
