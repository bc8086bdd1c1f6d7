//go:build !js

package ws_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// Connections come and go in all ways, and leave nothing behind.
func TestNothingStays(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	go func() {
		for s.ln.Inbox().Wait(t.Context()) == nil {
			s.ln.Inbox().Drain(func(e citadel.Event) {
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
				conn, err := ws.Dial(within(t), s.url, citadel.DialConfig{})
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
	eventually(t, "the server forgets them all", func() bool { return s.ln.Stats().Open == 0 })
	require.EqualValues(t, 100, s.ln.Stats().Accepted)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(goroutines(t), "\n\n"))
		}
	})
	eventually(t, "all goroutines end", func() bool { return len(goroutines(t)) == 0 })
}

// goroutines returns those that have to do with a connection.
func goroutines(t *testing.T) (ours []string) {
	t.Helper()
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(stack, "coder/websocket") || strings.Contains(stack, "citadel/ws.(*") ||
			strings.Contains(stack, "citadel.(*Conn)") || strings.Contains(stack, "net/http.(*conn)") {
			ours = append(ours, stack)
		}
	}
	return ours
}
