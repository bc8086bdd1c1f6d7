//go:build !js

package wt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quic-go/webtransport-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

func TestDisconnect(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeApplication, 0x12345678} {
		p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
		require.NoError(t, p.here.SendSession([]byte("last words")))
		p.here.Disconnect(code, "enough")
		require.Equal(t, "last words", string(p.atServer.expect(citadel.Session).body))
		e := p.atServer.expectClosed()
		require.True(t, e.Remote)
		require.Equal(t, code, e.Code)
		require.Equal(t, "enough", e.Reason)
		<-p.here.Done()
		<-p.there.Done()

		p = connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
		p.there.Disconnect(code, "go home")
		e = p.atClient.expectClosed()
		require.True(t, e.Remote)
		require.Equal(t, code, e.Code)
		require.Equal(t, "go home", e.Reason)
		<-p.there.Done()
	}
}

func TestShutdown(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	require.NoError(t, p.there.SendSession([]byte("last words")))
	require.NoError(t, p.ln.Shutdown(within(t)))
	require.Equal(t, "last words", string(p.atClient.expect(citadel.Session).body))
	require.ErrorIs(t, p.atClient.expectClosed(), citadel.ErrShutdown)
}

// A page that knows no goodbye learns the code from how its session is closed.
func TestCodeSeenByOthers(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeApplication, 1<<32 - 1} {
		s := serve(t, citadel.ListenConfig{Config: citadel.Config{Linger: 1}}, wt.Options{})
		sess := rawGuest(t, s.url)
		there := read(t, s.ln.Inbox()).expect(citadel.Opened).conn
		there.Disconnect(code, strings.Repeat("ä", 200))
		e := rawClosed(t, sess)
		require.EqualValues(t, code, e.ErrorCode)
		require.Equal(t, strings.Repeat("ä", 128), e.Message)
		<-there.Done()
	}
}

func TestOthersClose(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeOverflow, citadel.CodeApplication, 1<<32 - 1} {
		s := serve(t, citadel.ListenConfig{}, wt.Options{})
		at := read(t, s.ln.Inbox())
		sess := rawGuest(t, s.url)
		at.expect(citadel.Opened)
		require.NoError(t, sess.CloseWithError(webtransport.SessionErrorCode(code), "bye"))
		e := at.expectClosed()
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
	at := read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url)
	at.expect(citadel.Opened)
	rawSend(t, sess, frame(t, wire.KindGoodbye, wire.AppendGoodbye(nil, wire.Goodbye{Code: 0x1234, Reason: []byte("bye")})))
	require.Zero(t, rawClosed(t, sess).ErrorCode)
	e := at.expectClosed()
	require.True(t, e.Remote)
	require.EqualValues(t, 0x1234, e.Code)
}

func TestBreachOfProtocol(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	at := read(t, s.ln.Inbox())
	for name, b := range map[string][]byte{
		"cut":          frame(t, 100, []byte("hello"))[:9],
		"giant length": {0xff, 0xff, 0xff, 0xff, 0},
		"no kind":      {0, 0, 0, 1, 9},
	} {
		sess := rawGuest(t, s.url)
		at.expect(citadel.Opened)
		rawSend(t, sess, b)
		require.EqualValues(t, citadel.CodeProtocol, rawClosed(t, sess).ErrorCode, name)
		require.ErrorIs(t, at.expectClosed(), citadel.ErrProtocol, name)
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
	atServer, atClient := read(t, s.ln.Inbox()), read(t, conn.Inbox())
	atServer.expect(citadel.Opened)
	atClient.expect(citadel.Opened)
	require.NoError(t, relay.Update(netem.Config{Loss: 1}))
	for _, at := range []*reader{atServer, atClient} {
		e := at.expectClosed()
		require.ErrorIs(t, e, citadel.ErrTimeout)
		require.False(t, e.Remote)
	}
	<-conn.Done()
}

// Streams stay in order when packets are lost and overtake each other.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	const n = 300
	cfg := citadel.Config{SendStyle: citadel.StreamPerEnvelope, IdleTimeout: patience, Linger: patience}
	s := serve(t, citadel.ListenConfig{Config: cfg}, wt.Options{})
	relay, err := netem.Listen(s.ln.Addr().String(), netem.Config{
		Lag: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Seed: 11, ReorderOK: true,
	})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, "https://"+relay.Addr().String(), citadel.DialConfig{Config: cfg})
	at := read(t, s.ln.Inbox())
	at.expect(citadel.Opened)
	for i := range n {
		require.NoError(t, conn.Send(100, []byte{byte(i >> 8), byte(i)}))
		if i%10 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	conn.Disconnect(citadel.CodeApplication, "done")
	for i := range n {
		require.Equal(t, []byte{byte(i >> 8), byte(i)}, at.expect(citadel.Frame).body)
	}
	require.Equal(t, citadel.CodeApplication, at.expectClosed().Code)
	require.Positive(t, relay.Stats().Lost)
	<-conn.Done()
}

// A client that takes nothing ends with an overflow, and nobody else notices.
func TestSlowPeer(t *testing.T) {
	cfg := citadel.Config{OutboundBytes: 256 << 10}
	s := serve(t, citadel.ListenConfig{Config: cfg}, wt.Options{})
	at := read(t, s.ln.Inbox())
	sess := rawGuest(t, s.url) // reads no more
	slow := at.expect(citadel.Opened).conn
	brisk := dial(t, s.url, citadel.DialConfig{})
	other := at.expect(citadel.Opened).conn
	atBrisk := read(t, brisk.Inbox())
	atBrisk.expect(citadel.Opened)

	body := pattern(16 << 10)
	for sent := 0; slow.Err() == nil; sent += len(body) {
		require.Less(t, sent, 256<<20, "all that was taken")
		_ = slow.Send(100, body)
		require.LessOrEqual(t, slow.Stats().QueuedOut, cfg.OutboundBytes)
		if sent%(1<<20) == 0 {
			require.NoError(t, other.Send(100, nil))
			atBrisk.expect(citadel.Frame)
		}
	}
	require.ErrorIs(t, slow.Err(), citadel.ErrOverflow)
	require.EqualValues(t, citadel.CodeOverflow, rawClosed(t, sess).ErrorCode)
	<-slow.Done()
	require.NoError(t, other.Err())
}
