//go:build !js

package wt_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

func TestOrder(t *testing.T) {
	for _, style := range []citadel.SendStyle{citadel.OneStream, citadel.StreamPerEnvelope} {
		t.Run(style.String(), func(t *testing.T) {
			const n = 2000
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
						if i%2 == 0 {
							_ = way.from.SendSession(body[:])
						} else {
							_ = way.from.Send(100, body[:])
						}
					}
				}()
				for i := range uint32(n) {
					e := way.to.next()
					require.Equal(t, []citadel.EventKind{citadel.Session, citadel.Frame}[i%2], e.kind)
					require.Equal(t, i, binary.BigEndian.Uint32(e.body))
				}
			}
			require.Zero(t, p.here.Stats().Drops)
		})
	}
}

// A client that does not wait for the answer to its token, each envelope on a stream of its own.
func TestOrderFromTheBegin(t *testing.T) {
	const n = 100
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := read(t, s.ln.Inbox())
	sess := rawDial(t, s.url)
	rawSend(t, sess, frame(t, wire.KindAuth, nil))
	for i := range n {
		rawSend(t, sess, frame(t, 100, []byte{byte(i)}))
	}
	at.expect(citadel.Opened)
	for i := range n {
		require.Equal(t, []byte{byte(i)}, at.expect(citadel.Frame).body)
	}
}

// Bidirectional streams are listened to, and never spoken on.
func TestBidi(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := read(t, s.ln.Inbox())
	sess := rawDial(t, s.url)
	for _, b := range [][]byte{frame(t, wire.KindAuth, nil), frame(t, 100, []byte("one")), frame(t, 100, []byte("two"))} {
		st, err := sess.OpenStreamSync(within(t))
		require.NoError(t, err)
		_, err = st.Write(b)
		require.NoError(t, err)
		require.NoError(t, st.Close())
	}
	at.expect(citadel.Opened)
	require.Equal(t, "one", string(at.expect(citadel.Frame).body))
	require.Equal(t, "two", string(at.expect(citadel.Frame).body))
	require.Equal(t, wire.AuthGuest, rawResult(t, sess).Status)
}

func TestResetStream(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url)
	there := at.expect(citadel.Opened).conn
	st, err := sess.OpenUniStreamSync(within(t))
	require.NoError(t, err)
	_, err = st.Write(frame(t, 100, []byte("hello"))[:3])
	require.NoError(t, err)
	st.CancelWrite(7)
	rawSend(t, sess, frame(t, 100, []byte("after")))
	require.Equal(t, "after", string(at.expect(citadel.Frame).body))
	require.EqualValues(t, 1, there.Stats().Drops.AbortedStreams)
}

func TestLargeFrames(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, size := range []int{1, 64 << 10, 64<<10 + 1, 3 << 20} {
		require.NoError(t, p.here.SendSession(pattern(size)))
		require.Equal(t, pattern(size), p.atServer.expect(citadel.Session).body)
		require.NoError(t, p.there.SendSession(pattern(size)))
		require.Equal(t, pattern(size), p.atClient.expect(citadel.Session).body)
	}
	stats := p.here.Stats().Link
	require.Positive(t, stats.RTT)
	require.Positive(t, stats.PacketsSent)
	require.Greater(t, stats.BytesReceived, uint64(3<<20))
}

// Every size is either sent as a datagram or refused, and what is sent arrives.
func TestDatagrams(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, way := range []struct {
		from *citadel.Conn
		to   *reader
	}{{p.here, p.atServer}, {p.there, p.atClient}} {
		most := way.from.MaxDatagram()
		require.Greater(t, most, 1000)
		for _, size := range []int{0, 1, 1000, 1090, most} {
			require.NoError(t, way.from.SendDatagram(100, pattern(size)), size)
			e := way.to.expect(citadel.Datagram)
			require.Len(t, e.body, size)
		}
		var tooLarge *citadel.DatagramTooLargeError
		require.ErrorAs(t, way.from.SendDatagram(100, pattern(way.from.MaxDatagram()+100)), &tooLarge)
		require.GreaterOrEqual(t, tooLarge.Max, most)
	}
}

func TestDatagramFallback(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{Config: citadel.Config{DatagramFallback: true}})
	require.NoError(t, p.here.SendDatagram(100, pattern(5000)))
	e := p.atServer.expect(citadel.Frame)
	require.EqualValues(t, 100, e.env)
	require.Equal(t, pattern(5000), e.body)
	require.EqualValues(t, 1, p.here.Stats().DatagramsReliable)
}
