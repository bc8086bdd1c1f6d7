package stress

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The soak test's rate, and what may remain of it: of goroutines and descriptors nothing, of live objects a little,
// because tables that have grown once stay as large.
const (
	visitsPerSecond = 50
	heapTolerance   = 1 << 20
)

// TestSoak lets clients come and go. When all have gone, the process is as it was.
func TestSoak(t *testing.T) {
	warming := pick(10, 20, 250)
	visits := pick(25, 2*visitsPerSecond, 600*visitsPerSecond)
	ln := listen(t, citadel.ListenConfig{
		Authenticator: authenticator(),
		Config:        citadel.Config{HandshakeTimeout: patience, IdleTimeout: playerTimeout, KeepAlive: playerTimeout / 4},
	})
	addr := ln.Addr().String()
	host, err := newHost(ln.Inbox())
	require.NoError(t, err)
	stop := start(host.run)
	defer stop()

	// Whatever is made once is there after a few visits.
	require.NoError(t, visitMany(t.Context(), addr, warming))
	gone := func() bool { return ln.Stats().Open == 0 }
	eventually(t, "the first visitors are gone", gone)
	settled(t)
	goroutines, files, heap, inUse := runtime.NumGoroutine(), descriptors(), live(), memory()

	cpu, begun := cpuTime(), time.Now()
	require.NoError(t, visitMany(t.Context(), addr, visits))
	took, used := time.Since(begun), cpuTime()-cpu
	eventually(t, "the visitors are gone", gone)
	eventually(t, "their goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "their sockets are closed", func() bool { return descriptors() <= files })
	eventually(t, "their memory is free", func() bool { return live() <= heap+heapTolerance })
	t.Logf("%d visits in %v, %.0f a second; processor, both ends: %v, %v for a visit", visits, took.Round(time.Millisecond),
		float64(visits)/took.Seconds(), used.Round(time.Millisecond), (used / time.Duration(visits)).Round(time.Microsecond))
	t.Logf("before and after: %d and %d goroutines, %d and %d descriptors, %d and %d bytes live, %s and %s in use",
		goroutines, runtime.NumGoroutine(), files, descriptors(), heap, live(), mib(inUse), mib(memory()))

	stop()
	visits += warming
	stats := ln.Stats()
	require.EqualValues(t, visits, stats.Accepted)
	require.Zero(t, stats.Rejected)
	require.Zero(t, stats.Refused)
	require.Equal(t, visits, host.joined)
	require.Equal(t, visits, host.left)
	require.Equal(t, visits, host.closed)
	require.Equal(t, visits, host.frames)
}

// settled waits until what visitors leave behind has gone: goroutines, and what QUIC remembers for a while of a
// connection that is over.
func settled(t *testing.T) {
	t.Helper()
	goroutines, heap, same := runtime.NumGoroutine(), live(), 0
	eventually(t, "nothing becomes less any more", func() bool {
		time.Sleep(20 * time.Millisecond)
		nowGoroutines, nowHeap := runtime.NumGoroutine(), live()
		if nowGoroutines < goroutines || nowHeap < heap-heapTolerance/64 {
			same = 0
		}
		goroutines, heap = nowGoroutines, nowHeap
		same++
		return same > 10
	})
}

// host is a server with rooms.
type host struct {
	inbox *citadel.Inbox
	rooms *rooms.Rooms

	joined, left, closed, frames int
}

func newHost(inbox *citadel.Inbox) (h *host, err error) {
	h = &host{inbox: inbox}
	h.rooms, err = rooms.New(rooms.Config{Hooks: rooms.Hooks{
		Joined: func(rooms.Room, rooms.Peer) { h.joined++ },
		Left:   func(rooms.Room, rooms.Peer) { h.left++ },
	}})
	return h, err
}

func (h *host) run(ctx context.Context) {
	for h.inbox.Wait(ctx) == nil {
		h.inbox.Drain(func(e citadel.Event) {
			switch {
			case h.rooms.Receive(e):
			case e.Kind == citadel.Session:
				h.frames++
				_ = e.Conn.SendSession(e.Envelope.Body) // the visitor waits for it
			case e.Kind == citadel.Closed:
				h.closed++
			}
		})
	}
}

// visitMany lets clients come at the rate of the test.
func visitMany(ctx context.Context, addr string, visits int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	inside := make(chan struct{}, visitsPerSecond/2) // on a slow machine the rate sinks
	begun := time.Now()
	for n := range visits {
		time.Sleep(time.Until(begun.Add(time.Duration(n) * time.Second / visitsPerSecond)))
		inside <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-inside }()
			if err := visit(ctx, addr, n); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = fmt.Errorf("visit %d: %w", n, err)
				}
				cancel()
			}
		})
	}
	group.Wait()
	return first
}

// visit comes, joins a room, says something, hears the answer, leaves the room and goes. Every tenth just goes.
func visit(ctx context.Context, addr string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := citadel.Dial(ctx, addr, citadel.DialConfig{
		Config: citadel.Config{HandshakeTimeout: patience, IdleTimeout: playerTimeout, KeepAlive: playerTimeout / 4},
		Token:  []byte(playerToken),
		Pin:    pin(),
	})
	if err != nil {
		return err
	}
	defer conn.Close()

	var joined, left, answered bool
	client := rooms.NewClient(conn, rooms.ClientConfig{
		Joined:   func(rooms.Joined) { joined = true },
		Left:     func(wire.RoomID) { left = true },
		Rejected: func(kind wire.Kind, reason string) { err = fmt.Errorf("%v: %s", kind, reason) },
	})
	until := func(done *bool) error {
		for !*done && err == nil {
			if err := conn.Inbox().Wait(ctx); err != nil {
				return err
			}
			conn.Inbox().Drain(func(e citadel.Event) {
				switch {
				case client.Receive(e):
				case e.Kind == citadel.Session:
					answered = true
				case e.Kind == citadel.Closed:
					err = e.Err
				}
			})
		}
		return err
	}
	say := func(what error, done *bool) {
		if err == nil {
			if err = what; err == nil {
				err = until(done)
			}
		}
	}
	say(client.Create(fmt.Appendf(nil, "room %d", n%8)), &joined)
	say(conn.SendSession(numbered(uint64(n))), &answered)
	if n%10 == 0 {
		return err // the server notices
	}
	if err == nil {
		say(client.Leave(), &left)
	}
	if err == nil && !left {
		return errors.New("still in the room")
	}
	return err
}
