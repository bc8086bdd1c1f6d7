package rooms_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
)

func TestPositions(t *testing.T) {
	s := newStage(t, rooms.Config{}, 5)
	for n := 1; n <= 3; n++ {
		s.do(n, create("a"))
	}
	s.do(4, create("b"))
	s.hush()
	s.datagram(2, position("here"))
	s.expect(1, "position of 2: here")
	s.expect(3, "position of 2: here")
	s.silence()
	s.do(2, position("")) // on a stream, and of any kind
	s.expect(1, "position of 2: ")
	s.expect(3, "position of 2: ")
	s.datagram(4, position("nobody hears"))
	s.datagram(5, position("in no room"))
	s.silence()
	most := strings.Repeat("x", rooms.DefaultMaxRelay)
	s.datagram(1, position(most))
	s.expect(2, "position of 1: "+most)
	s.hush()
	s.datagram(1, position(most+"x"))
	s.silence()
	stats := s.Stats()
	require.EqualValues(t, 4, stats.Positions)
	require.Equal(t, rooms.Drops{NotMember: 1, Oversized: 1}, stats.Drops)

	s.peers[0].closed = true // and the news is still on its way
	s.datagram(2, position("x"))
	s.expect(3, "position of 2: x")
	require.EqualValues(t, 1, s.Stats().Unsent)
}

func TestPositionRate(t *testing.T) {
	c := &clock{now: time.Unix(1000, 0)}
	s := newStage(t, rooms.Config{PositionRate: 100, PositionBurst: 10, Now: c.read}, 3)
	for n := range 3 {
		s.do(n+1, create("a"))
	}
	s.hush()
	for range 5000 {
		s.datagram(1, position("flood"))
	}
	require.Len(t, s.peers[1].take(t), 10)
	s.datagram(3, position("calm"))
	s.expect(2, "position of 3: calm")
	for range 1000 {
		c.now = c.now.Add(time.Millisecond)
		s.datagram(1, position("flood"))
	}
	require.Len(t, s.peers[1].take(t), 100)
	require.EqualValues(t, 5000-10+900, s.Stats().Drops.Limited)
}

func TestBroadcast(t *testing.T) {
	s := newStage(t, rooms.Config{}, 4)
	for n := 1; n <= 3; n++ {
		s.do(n, create("a"))
	}
	s.do(4, create("b"))
	s.hush()
	require.Equal(t, 3, s.Broadcast(1, 400, []byte("all"), 0))
	require.Equal(t, 2, s.Broadcast(1, 400, []byte("but 2"), 2))
	require.Equal(t, 3, s.BroadcastDatagram(1, 500, []byte("lossy"), 4))
	require.Zero(t, s.Broadcast(99, 400, nil, 0))
	s.expect(1, `kind(400) "all"`, `kind(400) "but 2"`, `kind(500) "lossy"`)
	s.expect(2, `kind(400) "all"`, `kind(500) "lossy"`)
	s.expect(3, `kind(400) "all"`, `kind(400) "but 2"`, `kind(500) "lossy"`)
	s.silence()
	s.peers[1].closed = true
	require.Equal(t, 2, s.Broadcast(1, 400, nil, 0))
	require.EqualValues(t, 1, s.Stats().Unsent)
}
