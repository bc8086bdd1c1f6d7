package citadel_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

// Over a network that loses, delays and reorders, everything reliable arrives, once and in order, up to the last
// word before the end; also for a peer that sends each envelope on a fresh stream.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	const frames = 200
	ln := listen(t, citadel.ListenConfig{})
	relay, err := netem.Listen(ln.Addr().String(), netem.Config{
		Lag: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Seed: 11, ReorderOK: true,
	})
	require.NoError(t, err)
	defer relay.Close()
	conn := dial(t, relay.Addr().String(), citadel.DialConfig{Config: citadel.Config{Linger: patience, IdleTimeout: patience}})
	server := citadeltest.Read(t, ln.Inbox())
	server.Expect(citadel.Opened)
	large := bytes.Repeat([]byte("thread"), 50_000)
	for n := range frames {
		require.NoError(t, conn.SendSession(numbered(n)))
		require.NoError(t, conn.SendDatagram(200, numbered(n)))
		if n%100 == 0 {
			require.NoError(t, conn.SendSession(large))
		}
		if n%10 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	conn.Disconnect(citadel.CodeApplication, "done")
	reliable := func() citadeltest.Event {
		for {
			if e := server.Next(); e.Kind != citadel.Datagram {
				return e
			}
		}
	}
	for n := range frames {
		require.Equal(t, numbered(n), reliable().Body)
		if n%100 == 0 {
			require.True(t, bytes.Equal(large, reliable().Body))
		}
	}
	end := reliable()
	require.Equal(t, citadel.Closed, end.Kind)
	require.Equal(t, &citadel.CloseError{Remote: true, Code: citadel.CodeApplication, Reason: "done"}, end.Err)
	stats := relay.Stats()
	require.Positive(t, stats.Lost)
	require.Positive(t, stats.Reordered)

	raw := rawDial(t, relay.Addr().String())
	rawSend(t, raw, citadeltest.Frame(t, 5, nil))
	server.Expect(citadel.Opened)
	for n := range frames {
		rawSend(t, raw, citadeltest.Frame(t, 300, numbered(n)))
	}
	for n := range frames {
		require.Equal(t, numbered(n), server.Expect(citadel.Frame).Body)
	}
}

// A server and its own player may share an inbox, and any number of connections one.
func TestSharedInbox(t *testing.T) {
	const clients, frames = 8, 200
	inbox := citadel.NewInbox()
	ln := listen(t, citadel.ListenConfig{Config: citadel.Config{Inbox: inbox}})
	require.Same(t, inbox, ln.Inbox())
	conns := make([]*citadel.Conn, clients)
	for i := range conns {
		conns[i] = dial(t, ln.Addr().String(), citadel.DialConfig{Config: citadel.Config{Inbox: inbox}})
		require.Same(t, inbox, conns[i].Inbox())
		go func() {
			for n := range frames {
				if conns[i].SendSession(numbered(n)) != nil {
					return
				}
			}
		}()
	}
	// Each of the 2 x clients ends counts on its own; servers echo.
	next := map[*citadel.Conn]uint32{}
	isClient := map[*citadel.Conn]bool{}
	for _, c := range conns {
		isClient[c] = true
	}
	opened, complete := 0, 0
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for complete < 2*clients {
		require.NoError(t, inbox.Wait(ctx))
		inbox.Drain(func(e citadel.Event) {
			switch e.Kind {
			case citadel.Opened:
				opened++
			case citadel.Session:
				if n := binary.BigEndian.Uint32(e.Envelope.Body); n != next[e.Conn] {
					t.Errorf("connection %d: got %d, want %d", e.Conn.ID(), n, next[e.Conn])
				}
				if next[e.Conn]++; next[e.Conn] == frames {
					complete++
				}
				if !isClient[e.Conn] {
					if err := e.Conn.SendSession(e.Envelope.Body); err != nil {
						t.Error(err)
					}
				}
			default:
				t.Errorf("unexpected %v event: %v", e.Kind, e.Err)
			}
		})
	}
	require.Equal(t, 2*clients, opened)
	cancel()
	require.ErrorIs(t, inbox.Wait(ctx), context.Canceled)
}
