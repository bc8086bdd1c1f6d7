//go:build !js

package ws_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// A client that takes nothing ends with an overflow, and nobody else notices.
func TestSlowPeer(t *testing.T) {
	cfg := citadel.Config{OutboundBytes: 256 << 10, IdleTimeout: time.Hour, KeepAlive: time.Minute}
	s := serve(t, citadel.ListenConfig{Config: cfg}, ws.Options{})
	at := citadeltest.Read(t, s.ln.Inbox())
	rawGuest(t, s.url) // reads no more
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
	require.ErrorIs(t, at.ExpectClosed(), citadel.ErrOverflow)
	<-slow.Done()
	require.NoError(t, other.Err())
}
