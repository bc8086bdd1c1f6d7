//go:build !js

package ws_test

import (
	"encoding/binary"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

func TestOrder(t *testing.T) {
	for _, style := range []citadel.SendStyle{citadel.OneStream, citadel.StreamPerEnvelope} {
		t.Run(style.String(), func(t *testing.T) {
			const n = 3000
			cfg := citadel.Config{SendStyle: style}
			p := connect(t, citadel.ListenConfig{Config: cfg}, citadel.DialConfig{Config: cfg})
			for _, way := range []struct {
				from *citadel.Conn
				to   *citadeltest.Reader
			}{{p.Here, p.AtServer}, {p.There, p.AtClient}} {
				go func() {
					var body [4]byte
					for i := range uint32(n) {
						binary.BigEndian.PutUint32(body[:], i)
						switch i % 3 {
						case 0:
							_ = way.from.SendSession(body[:])
						case 1:
							_ = way.from.Send(100, body[:])
						case 2:
							_ = way.from.SendDatagram(101, body[:])
						}
					}
				}()
				for i := range uint32(n) {
					e := way.to.Next()
					require.Equal(t, []citadel.EventKind{citadel.Session, citadel.Frame, citadel.Frame}[i%3], e.Kind)
					require.Equal(t, []wire.Kind{wire.KindSession, 100, 101}[i%3], e.Env)
					require.Equal(t, i, binary.BigEndian.Uint32(e.Body))
				}
			}
			require.EqualValues(t, n/3, p.Here.Stats().DatagramsReliable)
			require.Zero(t, p.Here.Stats().Drops)
		})
	}
}

func TestLargeFrames(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, size := range []int{1, 64 << 10, 64<<10 + 1, 3 << 20} {
		require.NoError(t, p.Here.SendSession(citadeltest.Pattern(size)))
		require.Equal(t, citadeltest.Pattern(size), p.AtServer.Expect(citadel.Session).Body)
		require.NoError(t, p.There.SendSession(citadeltest.Pattern(size)))
		require.Equal(t, citadeltest.Pattern(size), p.AtClient.Expect(citadel.Session).Body)
	}
	// A single envelope is never split.
	big := citadeltest.Pattern(3 << 20)
	require.NoError(t, p.Here.Send(100, big))
	require.Equal(t, big, p.AtServer.Expect(citadel.Frame).Body)
	stats := p.Here.Stats().Link
	require.Greater(t, stats.BytesSent, uint64(6<<20))
	require.Greater(t, stats.BytesReceived, uint64(3<<20))
}

// What is queued together leaves in one message, and a large burst in several.
func TestBatches(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}}, ws.Options{})
	conn := rawGuest(t, s.url)
	there := citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened).Conn
	for range 10 {
		require.NoError(t, there.Send(100, []byte("x")))
	}
	there.Flush()
	require.Len(t, rawEnvelopes(t, conn), 10)

	for range 60 {
		require.NoError(t, there.Send(100, citadeltest.Pattern(1000)))
	}
	require.NoError(t, there.Send(101, citadeltest.Pattern(100_000)))
	there.Flush()
	var sizes []int
	for total := 0; total < 61; {
		all := rawEnvelopes(t, conn)
		sizes = append(sizes, len(all))
		total += len(all)
	}
	require.Equal(t, []int{60, 1}, sizes)
}

// Envelopes of others come one per message, several, or with the message in many fragments.
func TestOtherBatches(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	conn := rawGuest(t, s.url)
	at := citadeltest.Read(t, s.ln.Inbox())
	at.Expect(citadel.Opened)
	both := append(citadeltest.Frame(t, 100, []byte("one")), citadeltest.Frame(t, 101, []byte("two"))...)
	rawSend(t, conn, both)
	w, err := conn.Writer(citadeltest.Within(t), websocket.MessageBinary)
	require.NoError(t, err)
	for _, b := range both {
		_, err = w.Write([]byte{b})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	for range 2 {
		require.Equal(t, "one", string(at.Expect(citadel.Frame).Body))
		require.Equal(t, "two", string(at.Expect(citadel.Frame).Body))
	}
}

func TestDatagramFallbackIsBounded(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	// Nothing leaves while the peer's share of the inbox is full and the network is, too.
	for i := 0; p.Here.Stats().Drops.OutboundDatagrams == 0; i++ {
		require.Less(t, i, 1<<20, "everything was queued")
		require.NoError(t, p.Here.SendDatagram(100, citadeltest.Pattern(16<<10)))
	}
	require.LessOrEqual(t, p.Here.Stats().QueuedOut, 64<<10)
	require.NoError(t, p.Here.Err())
}
