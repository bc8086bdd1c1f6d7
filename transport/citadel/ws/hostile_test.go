//go:build !js

package ws_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

func TestBreachOfProtocol(t *testing.T) {
	small := citadel.Config{MaxEnvelope: 10_000}
	for name, c := range map[string]struct {
		do     func(t *testing.T, conn *websocket.Conn)
		status websocket.StatusCode
	}{
		"text": {func(t *testing.T, conn *websocket.Conn) {
			require.NoError(t, conn.Write(citadeltest.Within(t), websocket.MessageText, citadeltest.Frame(t, 100, nil)))
		}, 4002},
		"cut in a length": {func(t *testing.T, conn *websocket.Conn) { rawSend(t, conn, []byte{0, 0}) }, 4002},
		"cut in a body": {func(t *testing.T, conn *websocket.Conn) {
			rawSend(t, conn, citadeltest.Frame(t, 100, []byte("hello"))[:9])
		}, 4002},
		"envelope over two messages": {func(t *testing.T, conn *websocket.Conn) {
			b := citadeltest.Frame(t, 100, []byte("hello"))
			rawSend(t, conn, b[:5])
			_ = conn.Write(citadeltest.Within(t), websocket.MessageBinary, b[5:])
		}, 4002},
		"no kind":      {func(t *testing.T, conn *websocket.Conn) { rawSend(t, conn, []byte{0, 0, 0, 1, 9}) }, 4002},
		"giant length": {func(t *testing.T, conn *websocket.Conn) { rawSend(t, conn, []byte{0xff, 0xff, 0xff, 0xff, 0}) }, 4002},
		"envelope too large": {func(t *testing.T, conn *websocket.Conn) {
			rawSend(t, conn, citadeltest.Frame(t, 100, citadeltest.Pattern(10_001)))
		}, 4002},
		"message too large": {func(t *testing.T, conn *websocket.Conn) {
			one := citadeltest.Frame(t, 100, citadeltest.Pattern(8_000))
			rawSend(t, conn, bytes.Repeat(one, 10))
		}, 1009},
		"token again": {func(t *testing.T, conn *websocket.Conn) { rawSend(t, conn, citadeltest.Frame(t, wire.KindAuth, nil)) }, 4018},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, citadel.ListenConfig{Config: small}, ws.Options{})
			at := citadeltest.Read(t, s.ln.Inbox())
			conn := rawGuest(t, s.url)
			there := at.Expect(citadel.Opened).Conn
			c.do(t, conn)
			require.Equal(t, c.status, rawClosed(t, conn).Code)
			<-there.Done()
			require.Error(t, there.Err())
			if code := there.Err().(*citadel.CloseError).Code; code != citadel.CodeAuthProtocol {
				require.Equal(t, citadel.CodeProtocol, code)
			}
		})
	}
}

// Bytes that are no WebSocket frames.
func TestGarbage(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	garbage := map[string][]byte{
		"unmasked":           {0x82, 0x00},
		"reserved bits":      {0xf2, 0x80, 0, 0, 0, 0},
		"reserved opcode":    {0x83, 0x80, 0, 0, 0, 0},
		"stray continuation": {0x80, 0x80, 0, 0, 0, 0},
		"long ping":          {0x89, 0xfe, 0, 200, 0, 0, 0, 0},
		"negative length":    {0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"bad status":         {0x88, 0x82, 0, 0, 0, 0, 0, 5},
		"HTTP":               []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"zeros":              make([]byte, 1000),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		garbage["random "+string(rune('a'+len(garbage)))] = b
	}
	for name, b := range garbage {
		c, r := upgrade(t, s.addr())
		_, err := c.Write(b)
		require.NoError(t, err, name)
		if name[:3] == "ran" {
			_ = c.Close() // chance may have made it the begin of something long
			continue
		}
		_, err = io.Copy(io.Discard, r)
		require.NoError(t, err, name)
		_ = c.Close()
	}
	citadeltest.Eventually(t, "the server forgets them all", func() bool { return s.ln.Stats().Open == 0 })
	dial(t, s.url, citadel.DialConfig{})
}

// Pings, pongs and empty messages and fragments are not worth anything, and must not cost much.
func TestFlood(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	c, r := upgrade(t, s.addr())
	masked := func(first byte, payload []byte) []byte {
		return append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
	}
	_, err := c.Write(masked(0x82, citadeltest.Frame(t, wire.KindAuth, nil)))
	require.NoError(t, err)
	there := at.Expect(citadel.Opened).Conn
	go func() { _, _ = io.Copy(io.Discard, r) }()
	flood := bytes.Repeat(masked(0x89, []byte("ping")), 100)
	flood = append(flood, bytes.Repeat(masked(0x8a, nil), 100)...)
	flood = append(flood, bytes.Repeat(masked(0x82, nil), 100)...)
	flood = append(flood, masked(0x02, nil)...)
	flood = append(flood, bytes.Repeat(masked(0x00, nil), 100)...)
	flood = append(flood, masked(0x80, nil)...)
	for range 100 {
		_, err = c.Write(flood)
		require.NoError(t, err)
	}
	_, err = c.Write(masked(0x82, citadeltest.Frame(t, 100, []byte("done"))))
	require.NoError(t, err)
	require.Equal(t, "done", string(at.Expect(citadel.Frame).Body))
	require.NoError(t, there.Err())
}

// A peer that pings, reads nothing and is sent more than the network takes is heard all the same.
func TestPingsOfSlowPeer(t *testing.T) {
	t.Parallel()
	s := serve(t, citadel.ListenConfig{Config: quick}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	c, _ := upgrade(t, s.addr())
	auth := citadeltest.Frame(t, wire.KindAuth, nil)
	_, err := c.Write(append([]byte{0x82, 0x80 | byte(len(auth)), 0, 0, 0, 0}, auth...))
	require.NoError(t, err)
	there := at.Expect(citadel.Opened).Conn
	body := citadeltest.Pattern(64 << 10)
	for there.Stats().QueuedOut < 1<<20 {
		_, err = c.Write([]byte{0x89, 0x80, 0, 0, 0, 0})
		require.NoError(t, err)
		require.NoError(t, there.Send(100, body))
	}
	for range 2 * int(quick.IdleTimeout/quick.KeepAlive) {
		_, err = c.Write([]byte{0x89, 0x80, 0, 0, 0, 0})
		require.NoError(t, err)
		time.Sleep(quick.KeepAlive)
	}
	require.NoError(t, there.Err())
}

// A request that never ends.
func TestSlowLoris(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{HandshakeTimeout: 100 * time.Millisecond}}, ws.Options{})
	for name, request := range map[string]string{
		"nothing":       "",
		"half a line":   "GET / HT",
		"half a header": "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: webso",
		"no end":        "GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-Thread: x\r\n", 100),
		"too much":      "GET / HTTP/1.1\r\nHost: x\r\nX-Thread: " + strings.Repeat("x", 64<<10),
	} {
		c, err := net.Dial("tcp", s.addr())
		require.NoError(t, err)
		require.NoError(t, c.SetDeadline(time.Now().Add(citadeltest.Patience)))
		_, err = io.WriteString(c, request)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, c)
		if err != nil {
			require.ErrorContains(t, err, "reset", name)
		}
		_ = c.Close()
	}
	// Nor does a client that opens its WebSocket and then takes its time for the token.
	c, _ := upgrade(t, s.addr())
	_, err := c.Write([]byte{0x82, 0xfe, 0x40, 0, 0, 0, 0, 0})
	for err == nil {
		_, err = c.Write([]byte{0})
		time.Sleep(time.Millisecond)
	}
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.EqualValues(t, 1, s.ln.Stats().TimedOut)
}

// A length in a frame of WebSocket is a promise that costs nothing until it is kept.
func TestGiantMessage(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	c, r := upgrade(t, s.addr())
	auth := citadeltest.Frame(t, wire.KindAuth, nil)
	_, err := c.Write(append([]byte{0x82, 0x80 | byte(len(auth)), 0, 0, 0, 0}, auth...))
	require.NoError(t, err)
	citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened)
	giant := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<40)
	_, err = c.Write(append(giant, 0, 0, 0, 0))
	require.NoError(t, err)
	go func() {
		for s.ln.Inbox().Wait(t.Context()) == nil {
			s.ln.Inbox().Drain(func(citadel.Event) {})
		}
	}()
	one := citadeltest.Frame(t, 100, citadeltest.Pattern(60_000))
	for err == nil {
		_, err = c.Write(one)
	}
	_, _ = io.Copy(io.Discard, r)
	citadeltest.Eventually(t, "the server has had enough", func() bool { return s.ln.Stats().Open == 0 })
	require.LessOrEqual(t, s.ln.Stats().Conns.BytesIn, uint64(wire.MaxBody+100_000))
}
