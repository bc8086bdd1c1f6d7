//go:build !js

package ws_test

import (
	"context"
	"errors"
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

func TestDisconnect(t *testing.T) { over.TestDisconnect(t) }

func TestShutdown(t *testing.T) { over.TestShutdown(t) }

// A page that knows no goodbye learns the code from how its WebSocket is closed.
func TestCodeSeenByOthers(t *testing.T) {
	for _, c := range []struct {
		code   citadel.Code
		reason string
		status websocket.StatusCode
		told   string
	}{
		{citadel.CodeNone, "", 1000, ""},
		{citadel.CodeApplication, "go home", 4256, "go home"},
		{4998 - 4000, "", 4998, ""},
		{1 << 20, strings.Repeat("ä", 100), 4999, strings.Repeat("ä", 61)},
	} {
		s := serve(t, citadel.ListenConfig{Config: citadel.Config{Linger: 1}}, ws.Options{})
		conn := rawGuest(t, s.url)
		there := citadeltest.Read(t, s.ln.Inbox()).Expect(citadel.Opened).Conn
		there.Disconnect(c.code, c.reason)
		require.Equal(t, websocket.CloseError{Code: c.status, Reason: c.told}, rawClosed(t, conn), "%#x", c.code)
		<-there.Done()
	}
}

// What a page or a server that is not ours may close with.
func TestOthersClose(t *testing.T) {
	for _, c := range []struct {
		status websocket.StatusCode
		code   citadel.Code
		is     error
	}{
		{1000, citadel.CodeNone, nil},
		{1001, citadel.CodeNone, nil}, // the page goes on to another
		{1002, citadel.CodeProtocol, citadel.ErrProtocol},
		{1009, citadel.CodeProtocol, citadel.ErrProtocol},
		{1012, citadel.CodeShutdown, citadel.ErrShutdown},
		{1013, citadel.CodeServerFull, citadel.ErrServerFull},
		{3000, citadel.CodeTransport, citadel.ErrTransport},
		{4003, citadel.CodeOverflow, citadel.ErrOverflow},
		{4256, citadel.CodeApplication, nil},
	} {
		s := serve(t, citadel.ListenConfig{}, ws.Options{})
		at := citadeltest.Read(t, s.ln.Inbox())
		conn := rawGuest(t, s.url)
		at.Expect(citadel.Opened)
		require.NoError(t, conn.Close(c.status, "bye"))
		e := at.ExpectClosed()
		require.True(t, e.Remote)
		require.Equal(t, c.code, e.Code, "%d", c.status)
		require.Equal(t, "bye", e.Reason)
		if c.is != nil {
			require.ErrorIs(t, e, c.is)
		}
	}
}

// A connection that breaks without a word.
func TestTorn(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	conn := rawGuest(t, s.url)
	at.Expect(citadel.Opened)
	require.NoError(t, conn.CloseNow())
	e := at.ExpectClosed()
	require.ErrorIs(t, e, citadel.ErrTransport)
	require.False(t, e.Remote)
}

// A goodbye is answered by closing, at once.
func TestGoodbyeOfOthers(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	conn := rawGuest(t, s.url)
	at.Expect(citadel.Opened)
	rawSend(t, conn, citadeltest.Frame(t, wire.KindGoodbye, wire.AppendGoodbye(nil, wire.Goodbye{Code: 0x1234, Reason: []byte("bye")})))
	require.EqualValues(t, 1000, rawClosed(t, conn).Code)
	e := at.ExpectClosed()
	require.True(t, e.Remote)
	require.EqualValues(t, 0x1234, e.Code)
}

func TestDialGivesUpWithItsContext(t *testing.T) {
	asked := make(chan struct{})
	s := serve(t, citadel.ListenConfig{
		Config: citadel.Config{HandshakeTimeout: 300 * time.Millisecond},
		Authenticator: citadel.AuthenticatorFunc(func(ctx context.Context, _ []byte) (citadel.Identity, error) {
			close(asked)
			<-ctx.Done()
			return citadel.Identity{}, errors.New("too late")
		}),
	}, ws.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := ws.Dial(ctx, s.url, citadel.DialConfig{})
	require.ErrorIs(t, err, context.Canceled)
	citadeltest.Eventually(t, "the server forgets the connection", func() bool { return s.ln.Stats().Open == 0 })
}
