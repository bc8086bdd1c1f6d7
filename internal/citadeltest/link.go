package citadeltest

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// Pair is a server with one connection, seen from both ends.
type Pair struct {
	Listener           *citadel.Listener
	There, Here        *citadel.Conn // the server's end and the client's
	AtServer, AtClient *Reader
}

// NewPair makes a pair of a server and the only client that it has.
func NewPair(t testing.TB, ln *citadel.Listener, here *citadel.Conn) *Pair {
	t.Helper()
	p := &Pair{Listener: ln, Here: here, AtServer: Read(t, ln.Inbox()), AtClient: Read(t, here.Inbox())}
	p.There = p.AtServer.Expect(citadel.Opened).Conn
	require.Same(t, here, p.AtClient.Expect(citadel.Opened).Conn)
	return p
}

// Connect makes a pair over the link under test.
type Connect func(testing.TB, citadel.ListenConfig, citadel.DialConfig) *Pair

// TestDisconnect ends connections at either end: the other learns why, and first what was sent before.
func (connect Connect) TestDisconnect(t *testing.T) {
	for _, code := range []citadel.Code{citadel.CodeNone, citadel.CodeApplication, 0x12345678} {
		p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
		require.NoError(t, p.Here.SendSession([]byte("last words")))
		p.Here.Disconnect(code, "enough")
		require.Equal(t, "last words", string(p.AtServer.Expect(citadel.Session).Body))
		e := p.AtServer.ExpectClosed()
		require.True(t, e.Remote)
		require.Equal(t, code, e.Code)
		require.Equal(t, "enough", e.Reason)
		<-p.Here.Done()
		<-p.There.Done()

		p = connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
		p.There.Disconnect(code, "go home")
		e = p.AtClient.ExpectClosed()
		require.True(t, e.Remote)
		require.Equal(t, code, e.Code)
		require.Equal(t, "go home", e.Reason)
		<-p.There.Done()
	}
}

// TestShutdown stops a server: its client learns that, and first what was sent before.
func (connect Connect) TestShutdown(t *testing.T) {
	p := connect(t, citadel.ListenConfig{}, citadel.DialConfig{})
	require.NoError(t, p.There.SendSession([]byte("last words")))
	require.NoError(t, p.Listener.Shutdown(Within(t)))
	require.Equal(t, "last words", string(p.AtClient.Expect(citadel.Session).Body))
	require.ErrorIs(t, p.AtClient.ExpectClosed(), citadel.ErrShutdown)
}

// BenchmarkSession sends 16 frames of 64 bytes at once and waits until they have arrived. The time is of a frame,
// at both ends together.
func (connect Connect) BenchmarkSession(b *testing.B) {
	p := connect(b, citadel.ListenConfig{}, citadel.DialConfig{Config: citadel.Config{ManualFlush: true}})
	body := Pattern(64)
	count := 0
	take := func(e citadel.Event) {
		if e.Kind == citadel.Session {
			count++
		}
	}
	b.ReportAllocs()
	sent := 0
	for b.Loop() {
		require.NoError(b, p.Here.SendSession(body))
		if sent++; sent%16 != 0 {
			continue
		}
		p.Here.Flush()
		for count < sent {
			require.NoError(b, p.Listener.Inbox().Wait(b.Context()))
			p.Listener.Inbox().Drain(take)
		}
	}
}

// BenchmarkEcho sends one frame there and back.
func (connect Connect) BenchmarkEcho(b *testing.B) {
	p := connect(b, citadel.ListenConfig{}, citadel.DialConfig{})
	body := Pattern(64)
	echo := func(e citadel.Event) {
		if e.Kind == citadel.Session {
			_ = e.Conn.SendSession(e.Envelope.Body)
		}
	}
	back := false
	take := func(e citadel.Event) { back = back || e.Kind == citadel.Session }
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, p.Here.SendSession(body))
		require.NoError(b, p.Listener.Inbox().Wait(b.Context()))
		p.Listener.Inbox().Drain(echo)
		for back = false; !back; {
			require.NoError(b, p.Here.Inbox().Wait(b.Context()))
			p.Here.Inbox().Drain(take)
		}
	}
}

// TestNothingStays lets connections to a server come and go in all ways. They leave nothing behind: neither at the
// server nor a goroutine with one of the marks in its stack.
func TestNothingStays(t *testing.T, ln *citadel.Listener, dial func() (*citadel.Conn, error), marks ...string) {
	go func() {
		for ln.Inbox().Wait(t.Context()) == nil {
			ln.Inbox().Drain(func(e citadel.Event) {
				if e.Kind == citadel.Frame && string(e.Envelope.Body) == "throw me out" {
					e.Conn.Disconnect(citadel.CodeApplication, "as you wish")
				}
			})
		}
	}()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 25 {
				conn, err := dial()
				if err != nil {
					t.Errorf("dial: %v", err)
					return
				}
				_ = conn.SendSession([]byte("hello"))
				switch (worker + i) % 3 {
				case 0:
					_ = conn.Close()
				case 1:
					conn.Disconnect(citadel.CodeApplication, "bye")
				case 2:
					_ = conn.Send(100, []byte("throw me out"))
				}
				<-conn.Done()
			}
		})
	}
	group.Wait()
	Eventually(t, "the server forgets them all", func() bool { return ln.Stats().Open == 0 })
	require.EqualValues(t, 100, ln.Stats().Accepted)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(goroutines(marks), "\n\n"))
		}
	})
	Eventually(t, "all goroutines end", func() bool { return len(goroutines(marks)) == 0 })
}

// goroutines returns those with a mark in their stacks.
func goroutines(marks []string) (marked []string) {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		for _, mark := range marks {
			if strings.Contains(stack, mark) {
				marked = append(marked, stack)
				break
			}
		}
	}
	return marked
}
