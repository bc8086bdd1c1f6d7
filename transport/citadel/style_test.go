package citadel_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// wholeStream is what came on one stream, from its first byte to its end.
type wholeStream struct {
	id  quic.StreamID
	got []wire.Envelope
}

// wholeReader is what existing servers do: it understands a stream only when it has ended, and does not care
// about the order of streams.
type wholeReader struct {
	mu      sync.Mutex
	streams []wholeStream
	err     error
}

// read takes streams until the connection ends.
func (w *wholeReader) read(conn *quic.Conn) {
	for {
		s, err := conn.AcceptUniStream(conn.Context())
		if err != nil {
			return
		}
		go func() {
			all, err := io.ReadAll(io.LimitReader(s, 16<<20))
			stream := wholeStream{id: s.StreamID()}
			for err == nil && len(all) > 0 {
				e, n, bad := wire.ParseFramed(all)
				if err = bad; n == 0 && err == nil {
					err = errors.New("part of an envelope")
				}
				stream.got = append(stream.got, e)
				all = all[n:]
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.streams = append(w.streams, stream)
			w.err = cmp.Or(w.err, err)
		}()
	}
}

// wait returns the streams in the order in which they were opened when there are n of them.
func (w *wholeReader) wait(t testing.TB, n int) []wholeStream {
	t.Helper()
	citadeltest.Eventually(t, "all streams have ended", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.streams) >= n || w.err != nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	require.NoError(t, w.err)
	require.Len(t, w.streams, n)
	slices.SortFunc(w.streams, func(a, b wholeStream) int { return cmp.Compare(a.id, b.id) })
	return w.streams
}

// perEnvelope is a client for servers that read streams to their end.
func perEnvelope() citadel.DialConfig {
	return citadel.DialConfig{Config: citadel.Config{SendStyle: citadel.StreamPerEnvelope, Linger: 200 * time.Millisecond}, Pin: pin()}
}

// dialing dials in the background.
func dialing(t testing.TB, addr string, cfg citadel.DialConfig) func() (*citadel.Conn, error) {
	type result struct {
		conn *citadel.Conn
		err  error
	}
	ch := make(chan result, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		conn, err := citadel.Dial(ctx, addr, cfg)
		ch <- result{conn, err}
	}()
	return func() (*citadel.Conn, error) {
		r := <-ch
		if r.conn != nil {
			t.Cleanup(func() { _ = r.conn.Close() })
		}
		return r.conn, r.err
	}
}

// A server that reads a stream only to its end, answers on fresh streams, and says something unasked right
// after the handshake.
func TestStreamPerEnvelopeServesExistingServers(t *testing.T) {
	const frames = 500
	raw := rawListen(t)
	wait := dialing(t, raw.Addr().String(), perEnvelope())
	server := rawAccept(t, raw)
	var streams wholeReader
	go streams.read(server)
	first := streams.wait(t, 1)[0]
	require.Equal(t, []wire.Envelope{{Kind: wire.KindAuth, Body: []byte{}}}, first.got)

	rawSend(t, server, citadeltest.Frame(t, wire.KindAuthResult, []byte{byte(wire.AuthGuest)}))
	rawSend(t, server, citadeltest.Frame(t, 34, []byte("server time")))
	conn, err := wait()
	require.NoError(t, err)
	client := citadeltest.Read(t, conn.Inbox())
	client.Expect(citadel.Opened)
	e := client.Expect(citadel.Frame)
	require.Equal(t, wire.Kind(34), e.Env, "a kind that nobody knows is nothing to be afraid of")

	for n := range frames {
		require.NoError(t, conn.Send(300, numbered(n)))
	}
	require.NoError(t, conn.Send(301, make([]byte, 100_000)))
	all := streams.wait(t, 1+frames+1)
	for n := range frames {
		require.Equal(t, []wire.Envelope{{Kind: 300, Body: numbered(n)}}, all[1+n].got)
	}
	require.Len(t, all[1+frames].got, 1)
	require.Len(t, all[1+frames].got[0].Body, 100_000)
	citadeltest.Eventually(t, "everything is counted", func() bool { return conn.Stats().FramesOut == 1+frames+1 })
	require.Zero(t, conn.Stats().QueuedOut)

	for n := range frames {
		rawSend(t, server, citadeltest.Frame(t, 302, numbered(n)))
	}
	for n := range frames {
		require.Equal(t, numbered(n), client.Expect(citadel.Frame).Body)
	}

	require.NoError(t, conn.Send(303, []byte("last words")))
	conn.Disconnect(citadel.CodeApplication, "bye")
	all = streams.wait(t, 1+frames+3)
	require.Equal(t, "last words", string(all[1+frames+1].got[0].Body))
	require.Equal(t, wire.KindGoodbye, all[1+frames+2].got[0].Kind)
	closed := rawClosed(t, server)
	require.EqualValues(t, citadel.CodeApplication, closed.ErrorCode)
}

// A peer that allows few streams and does not finish with them holds up nothing but the envelopes themselves.
func TestStreamPerEnvelopeWaitsForThePeer(t *testing.T) {
	const frames, limit = 200, 4
	conf := serverTLS()
	conf.NextProtos = []string{citadel.ALPN}
	raw, err := quic.ListenAddr("127.0.0.1:0", conf, &quic.Config{EnableDatagrams: true, MaxIncomingUniStreams: limit})
	require.NoError(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	wait := dialing(t, raw.Addr().String(), perEnvelope())
	server := rawAccept(t, raw)
	s, err := server.AcceptUniStream(t.Context())
	require.NoError(t, err)
	_, err = io.ReadAll(s)
	require.NoError(t, err)
	rawSend(t, server, citadeltest.Frame(t, wire.KindAuthResult, []byte{byte(wire.AuthGuest)}))
	conn, err := wait()
	require.NoError(t, err)

	for n := range frames {
		require.NoError(t, conn.Send(300, numbered(n)))
	}
	citadeltest.Eventually(t, "as many streams as the peer allows", func() bool { return conn.Stats().FramesOut == 1+limit })
	require.Equal(t, (frames-limit)*(wire.FrameOverhead+4), conn.Stats().QueuedOut)
	require.NoError(t, conn.SendDatagram(400, []byte("overtakes")))
	d, err := server.ReceiveDatagram(t.Context())
	require.NoError(t, err)
	require.Equal(t, "overtakes", string(d[wire.KindBytes:]))

	var streams wholeReader
	go streams.read(server)
	for n, s := range streams.wait(t, frames) {
		require.Equal(t, []wire.Envelope{{Kind: 300, Body: numbered(n)}}, s.got)
	}
}

// Whatever the two styles of the two ends are, everything arrives in order, up to the reason of the end.
func TestStyles(t *testing.T) {
	const frames = 300
	styles := []citadel.SendStyle{citadel.OneStream, citadel.StreamPerEnvelope}
	for _, ofServer := range styles {
		for _, ofClient := range styles {
			t.Run("server "+ofServer.String()+", client "+ofClient.String(), func(t *testing.T) {
				cfg := citadel.Config{SendStyle: ofServer, MaxSessionEnvelope: 1000, MaxStreams: 16, Linger: patience}
				server := citadel.ListenConfig{Config: cfg, Authenticator: tokens()}
				cfg.SendStyle = ofClient
				p := connect(t, server, citadel.DialConfig{Config: cfg, Token: []byte(goodToken)})
				require.Equal(t, "ariadne", p.client.Identity().UserID)
				for n := range frames {
					for _, c := range []*citadel.Conn{p.client, p.server} {
						require.NoError(t, c.SendSession(numbered(n)))
						require.NoError(t, c.Send(300, numbered(n)))
						if n%50 == 0 {
							require.NoError(t, c.SendSession(make([]byte, 20_000)))
						}
					}
				}
				p.server.Disconnect(citadel.CodeApplication+3, "over")
				for n := range frames {
					require.Equal(t, numbered(n), p.atClient.Expect(citadel.Session).Body)
					require.Equal(t, numbered(n), p.atClient.Expect(citadel.Frame).Body)
					if n%50 == 0 {
						require.Len(t, p.atClient.Expect(citadel.Session).Body, 20_000)
					}
				}
				require.Equal(t, &citadel.CloseError{Remote: true, Code: citadel.CodeApplication + 3, Reason: "over"},
					p.atClient.Expect(citadel.Closed).Err)
			})
			t.Run("rejected by server "+ofServer.String()+", client "+ofClient.String(), func(t *testing.T) {
				ln := listen(t, citadel.ListenConfig{Config: citadel.Config{SendStyle: ofServer}, Authenticator: tokens()})
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{
					Config: citadel.Config{SendStyle: ofClient}, Pin: pin(), Token: []byte("guess"),
				})
				require.ErrorIs(t, err, citadel.ErrAuthFailed)
				require.ErrorIs(t, err, net.ErrClosed)
			})
		}
	}
}
