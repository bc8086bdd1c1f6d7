//go:build !js

package ws_test

import (
	"encoding/binary"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

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
				to   *reader
			}{{p.here, p.atServer}, {p.there, p.atClient}} {
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
					e := way.to.next()
					require.Equal(t, []citadel.EventKind{citadel.Session, citadel.Frame, citadel.Frame}[i%3], e.kind)
					require.Equal(t, []wire.Kind{wire.KindSession, 100, 101}[i%3], e.env)
					require.Equal(t, i, binary.BigEndian.Uint32(e.body))
				}
			}
			require.EqualValues(t, n/3, p.here.Stats().DatagramsReliable)
			require.Zero(t, p.here.Stats().Drops)
		})
	}
}

func TestLargeFrames(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, size := range []int{1, 64 << 10, 64<<10 + 1, 3 << 20} {
		require.NoError(t, p.here.SendSession(pattern(size)))
		require.Equal(t, pattern(size), p.atServer.expect(citadel.Session).body)
		require.NoError(t, p.there.SendSession(pattern(size)))
		require.Equal(t, pattern(size), p.atClient.expect(citadel.Session).body)
	}
	// A single envelope is never split.
	big := pattern(3 << 20)
	require.NoError(t, p.here.Send(100, big))
	require.Equal(t, big, p.atServer.expect(citadel.Frame).body)
	stats := p.here.Stats().Link
	require.Greater(t, stats.BytesSent, uint64(6<<20))
	require.Greater(t, stats.BytesReceived, uint64(3<<20))
}

// What is queued together leaves in one message, and a large burst in several.
func TestBatches(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{ManualFlush: true}}, ws.Options{})
	conn := rawGuest(t, s.url)
	there := read(t, s.ln.Inbox()).expect(citadel.Opened).conn
	for range 10 {
		require.NoError(t, there.Send(100, []byte("x")))
	}
	there.Flush()
	require.Len(t, rawEnvelopes(t, conn), 10)

	for range 60 {
		require.NoError(t, there.Send(100, pattern(1000)))
	}
	require.NoError(t, there.Send(101, pattern(100_000)))
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
	at := read(t, s.ln.Inbox())
	at.expect(citadel.Opened)
	both := append(frame(t, 100, []byte("one")), frame(t, 101, []byte("two"))...)
	rawSend(t, conn, both)
	w, err := conn.Writer(within(t), websocket.MessageBinary)
	require.NoError(t, err)
	for _, b := range both {
		_, err = w.Write([]byte{b})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	for range 2 {
		require.Equal(t, "one", string(at.expect(citadel.Frame).body))
		require.Equal(t, "two", string(at.expect(citadel.Frame).body))
	}
}

func TestDatagramFallbackIsBounded(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	// Nothing leaves while the peer's share of the inbox is full and the network is, too.
	for i := 0; p.here.Stats().Drops.OutboundDatagrams == 0; i++ {
		require.Less(t, i, 1<<20, "everything was queued")
		require.NoError(t, p.here.SendDatagram(100, pattern(16<<10)))
	}
	require.LessOrEqual(t, p.here.Stats().QueuedOut, 64<<10)
	require.NoError(t, p.here.Err())
}
