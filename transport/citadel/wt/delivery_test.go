//go:build !js

package wt_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
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
				to   *citadeltest.Reader
			}{{p.Here, p.AtServer}, {p.There, p.AtClient}} {
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
					e := way.to.Next()
					require.Equal(t, []citadel.EventKind{citadel.Session, citadel.Frame}[i%2], e.Kind)
					require.Equal(t, i, binary.BigEndian.Uint32(e.Body))
				}
			}
			require.Zero(t, p.Here.Stats().Drops)
		})
	}
}

// A client that does not wait for the answer to its token, each envelope on a stream of its own.
func TestOrderFromTheBegin(t *testing.T) {
	const n = 100
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawDial(t, s.url)
	rawSend(t, sess, citadeltest.Frame(t, wire.KindAuth, nil))
	for i := range n {
		rawSend(t, sess, citadeltest.Frame(t, 100, []byte{byte(i)}))
	}
	at.Expect(citadel.Opened)
	for i := range n {
		require.Equal(t, []byte{byte(i)}, at.Expect(citadel.Frame).Body)
	}
}

// Bidirectional streams are listened to, and never spoken on.
func TestBidi(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawDial(t, s.url)
	for _, b := range [][]byte{citadeltest.Frame(t, wire.KindAuth, nil), citadeltest.Frame(t, 100, []byte("one")), citadeltest.Frame(t, 100, []byte("two"))} {
		st, err := sess.OpenStreamSync(citadeltest.Within(t))
		require.NoError(t, err)
		_, err = st.Write(b)
		require.NoError(t, err)
		require.NoError(t, st.Close())
	}
	at.Expect(citadel.Opened)
	require.Equal(t, "one", string(at.Expect(citadel.Frame).Body))
	require.Equal(t, "two", string(at.Expect(citadel.Frame).Body))
	require.Equal(t, wire.AuthGuest, rawResult(t, sess).Status)
}

func TestResetStream(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url)
	there := at.Expect(citadel.Opened).Conn
	st, err := sess.OpenUniStreamSync(citadeltest.Within(t))
	require.NoError(t, err)
	_, err = st.Write(citadeltest.Frame(t, 100, []byte("hello"))[:3])
	require.NoError(t, err)
	st.CancelWrite(7)
	rawSend(t, sess, citadeltest.Frame(t, 100, []byte("after")))
	require.Equal(t, "after", string(at.Expect(citadel.Frame).Body))
	require.EqualValues(t, 1, there.Stats().Drops.AbortedStreams)
}

func TestLargeFrames(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, size := range []int{1, 64 << 10, 64<<10 + 1, 3 << 20} {
		require.NoError(t, p.Here.SendSession(citadeltest.Pattern(size)))
		require.Equal(t, citadeltest.Pattern(size), p.AtServer.Expect(citadel.Session).Body)
		require.NoError(t, p.There.SendSession(citadeltest.Pattern(size)))
		require.Equal(t, citadeltest.Pattern(size), p.AtClient.Expect(citadel.Session).Body)
	}
	stats := p.Here.Stats().Link
	require.Positive(t, stats.RTT)
	require.Positive(t, stats.PacketsSent)
	require.Greater(t, stats.BytesReceived, uint64(3<<20))
}

// Every size is either sent as a datagram or refused, and what is sent arrives.
func TestDatagrams(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	for _, way := range []struct {
		from *citadel.Conn
		to   *citadeltest.Reader
	}{{p.Here, p.AtServer}, {p.There, p.AtClient}} {
		most := way.from.MaxDatagram()
		require.Greater(t, most, 1000)
		for _, size := range []int{0, 1, 1000, 1090, most} {
			require.NoError(t, way.from.SendDatagram(100, citadeltest.Pattern(size)), size)
			e := way.to.Expect(citadel.Datagram)
			require.Len(t, e.Body, size)
		}
		var tooLarge *citadel.DatagramTooLargeError
		require.ErrorAs(t, way.from.SendDatagram(100, citadeltest.Pattern(way.from.MaxDatagram()+100)), &tooLarge)
		require.GreaterOrEqual(t, tooLarge.Max, most)
	}
}

func TestDatagramFallback(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{Config: citadel.Config{DatagramFallback: true}})
	require.NoError(t, p.Here.SendDatagram(100, citadeltest.Pattern(5000)))
	e := p.AtServer.Expect(citadel.Frame)
	require.EqualValues(t, 100, e.Env)
	require.Equal(t, citadeltest.Pattern(5000), e.Body)
	require.EqualValues(t, 1, p.Here.Stats().DatagramsReliable)
}
