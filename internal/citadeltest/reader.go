package citadeltest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Patience bounds every wait of the tests. A test that is right never needs it.
const Patience = 20 * time.Second

// Within returns a context that ends with the test, or when its patience does.
func Within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Eventually polls a condition.
func Eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for !cond() {
		require.True(t, time.Now().Before(deadline), "never happened: %s", what)
		time.Sleep(2 * time.Millisecond)
	}
}

// Event is a [citadel.Event] that owns its body.
type Event struct {
	Kind citadel.EventKind
	Conn *citadel.Conn
	Env  wire.Kind
	Body []byte
	Err  error
}

// Reader is the game loop of a test.
type Reader struct {
	Progress [][2]int // what the progress events said, which are not among the others

	t     testing.TB
	inbox *citadel.Inbox
	queue []Event
}

// Read returns a reader of an inbox.
func Read(t testing.TB, inbox *citadel.Inbox) *Reader { return &Reader{t: t, inbox: inbox} }

// Poll drains the inbox without waiting.
func (r *Reader) Poll() {
	r.inbox.Drain(func(e citadel.Event) {
		if e.Kind == citadel.Progress {
			r.Progress = append(r.Progress, [2]int{e.Received, e.Total})
			return
		}
		r.queue = append(r.queue, Event{e.Kind, e.Conn, e.Envelope.Kind, bytes.Clone(e.Envelope.Body), e.Err})
	})
}

// Queued returns the events that were drained and not taken.
func (r *Reader) Queued() []Event { return r.queue }

// Next returns the next event, whatever it is.
func (r *Reader) Next() Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), Patience)
	defer cancel()
	for len(r.queue) == 0 {
		require.NoError(r.t, r.inbox.Wait(ctx), "no event came")
		r.Poll()
	}
	e := r.queue[0]
	r.queue = r.queue[1:]
	return e
}

// Expect returns the next event, which must be of this kind.
func (r *Reader) Expect(kind citadel.EventKind) Event {
	r.t.Helper()
	e := r.Next()
	require.Equal(r.t, kind, e.Kind, "got a %v event with envelope %#x, %d bytes and error %v", e.Kind, e.Env, len(e.Body), e.Err)
	return e
}

// ExpectClosed returns why a connection has ended.
func (r *Reader) ExpectClosed() *citadel.CloseError {
	r.t.Helper()
	var e *citadel.CloseError
	require.ErrorAs(r.t, r.Expect(citadel.Closed).Err, &e)
	return e
}

// Frame returns a framed envelope.
func Frame(t testing.TB, kind wire.Kind, body []byte) []byte {
	t.Helper()
	b, err := wire.AppendFramed(nil, kind, body)
	require.NoError(t, err)
	return b
}

// Pattern returns n bytes that are not alike.
func Pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}
