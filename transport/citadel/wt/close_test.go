//go:build !js

package wt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quic-go/webtransport-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

func TestDisconnect(t *testing.T) { over.TestDisconnect(t) }

func TestShutdown(t *testing.T) { over.TestShutdown(t) }

// A page that knows no goodbye learns the code from how its session is closed.
func TestCodeSeenByOthers(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeApplication, 1<<32 - 1} {
		s := serve(t, citadel.ListenConfig{Config: citadel.Config{Linger: 1}}, wt.Options{})
		sess := rawGuest(t, s.url)
		there := citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened).Conn
		there.Disconnect(code, strings.Repeat("ä", 200))
		e := rawClosed(t, sess)
		require.EqualValues(t, code, e.ErrorCode)
		require.Equal(t, strings.Repeat("ä", 128), e.Message)
		<-there.Done()
	}
}

// So does one whose server shuts down, from far away.
func TestShutdownSeenByOthers(t *testing.T) {
	s := serve(t, citadel.ListenConfig{Config: citadel.Config{Linger: 1}}, wt.Options{})
	relay, err := netem.Listen(s.ln.Addr().String(), netem.Config{Lag: 200 * time.Millisecond})
	require.NoError(t, err)
	defer relay.Close()
	sess := rawGuest(t, "https://"+relay.Addr().String()+"/")
	citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened)
	require.NoError(t, s.ln.Close())
	require.EqualValues(t, citadel.CodeShutdown, rawClosed(t, sess).ErrorCode)
}

func TestOthersClose(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeOverflow, citadel.CodeApplication, 1<<32 - 1} {
		s := serve(t, citadel.ListenConfig{}, wt.Options{})
		at := citadeltest.Read(t, s.ln.Inbox())
		sess := rawGuest(t, s.url)
		at.Expect(citadel.Opened)
		require.NoError(t, sess.CloseWithError(webtransport.SessionErrorCode(code), "bye"))
		e := at.ExpectClosed()
		require.True(t, e.Remote)
		// The library's own client may close the connection before its last words are out.
		if e.Reason != "" {
			require.Equal(t, code, e.Code)
			require.Equal(t, "bye", e.Reason)
		}
	}
}

func TestGoodbyeOfOthers(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url)
	at.Expect(citadel.Opened)
	rawSend(t, sess, citadeltest.Frame(t, wire.KindGoodbye, wire.AppendGoodbye(nil, wire.Goodbye{Code: 0x1234, Reason: []byte("bye")})))
	require.Zero(t, rawClosed(t, sess).ErrorCode)
	e := at.ExpectClosed()
	require.True(t, e.Remote)
	require.EqualValues(t, 0x1234, e.Code)
}

func TestBreachOfProtocol(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	for name, b := range map[string][]byte{
		"cut":          citadeltest.Frame(t, 100, []byte("hello"))[:9],
		"giant length": {0xff, 0xff, 0xff, 0xff, 0},
		"no kind":      {0, 0, 0, 1, 9},
	} {
		sess := rawGuest(t, s.url)
		at.Expect(citadel.Opened)
		rawSend(t, sess, b)
		require.EqualValues(t, citadel.CodeProtocol, rawClosed(t, sess).ErrorCode, name)
		require.ErrorIs(t, at.ExpectClosed(), citadel.ErrProtocol, name)
	}
}

func TestDeadPeer(t *testing.T) {
	t.Parallel()
	cfg := citadel.Config{IdleTimeout: 800 * time.Millisecond, KeepAlive: 100 * time.Millisecond}
	s := serve(t, citadel.ListenConfig{Config: cfg}, wt.Options{})
	relay, err := netem.Listen(s.ln.Addr().String(), netem.Config{})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, "https://"+relay.Addr().String(), citadel.DialConfig{Config: cfg})
	atServer, atClient := citadeltest.Read(t, s.ln.Inbox()), citadeltest.Read(t, conn.Inbox())
	atServer.Expect(citadel.Opened)
	atClient.Expect(citadel.Opened)
	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	for _, at := range []*citadeltest.Reader{atServer, atClient} {
		e := at.ExpectClosed()
		require.ErrorIs(t, e, citadel.ErrTimeout)
		require.False(t, e.Remote)
	}
	<-conn.Done()
}

// Streams stay in order when packets are lost and overtake each other.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	const n = 300
	cfg := citadel.Config{SendStyle: citadel.StreamPerEnvelope, IdleTimeout: citadeltest.Patience, Linger: citadeltest.Patience}
	s := serve(t, citadel.ListenConfig{Config: cfg}, wt.Options{})
	relay, err := netem.Listen(s.ln.Addr().String(), netem.Config{
		Lag: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Seed: 11, ReorderOK: true,
	})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, "https://"+relay.Addr().String(), citadel.DialConfig{Config: cfg})
	at := citadeltest.Read(t, s.ln.Inbox())
	at.Expect(citadel.Opened)
	for i := range n {
		require.NoError(t, conn.Send(100, []byte{byte(i >> 8), byte(i)}))
		if i%10 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	conn.Disconnect(citadel.CodeApplication, "done")
	for i := range n {
		require.Equal(t, []byte{byte(i >> 8), byte(i)}, at.Expect(citadel.Frame).Body)
	}
	require.Equal(t, citadel.CodeApplication, at.ExpectClosed().Code)
	require.Positive(t, relay.Stats().Lost)
	<-conn.Done()
}

// A client that takes nothing ends with an overflow, and nobody else notices.
func TestSlowPeer(t *testing.T) {
	cfg := citadel.Config{OutboundBytes: 256 << 10}
	s := serve(t, citadel.ListenConfig{Config: cfg}, wt.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url) // reads no more
	slow := at.Expect(citadel.Opened).Conn
	brisk := dial(t, s.url, citadel.DialConfig{})
	other := at.Expect(citadel.Opened).Conn
	atBrisk := citadeltest.Read(t, brisk.Inbox())
	atBrisk.Expect(citadel.Opened)

	body := citadeltest.Pattern(16 << 10)
	for sent := 0; slow.Err() == nil; sent += len(body) {
		require.Less(t, sent, 256<<20, "all that was taken")
		_ = slow.Send(100, body)
		require.LessOrEqual(t, slow.Stats().QueuedOut, cfg.OutboundBytes)
		if sent%(1<<20) == 0 {
			require.NoError(t, other.Send(100, nil))
			atBrisk.Expect(citadel.Frame)
		}
	}
	require.ErrorIs(t, slow.Err(), citadel.ErrOverflow)
	require.EqualValues(t, citadel.CodeOverflow, rawClosed(t, sess).ErrorCode)
	<-slow.Done()
	require.NoError(t, other.Err())
}
