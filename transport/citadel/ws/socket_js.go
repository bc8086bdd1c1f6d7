package ws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

const (
	pingable = false // a page cannot send pings
	pinnable = false // nor look at certificates

	// maxUnsent is how much a browser may have been given that it has not sent, in bytes, before more waits.
	maxUnsent = 256 << 10

	// maxUnread bounds what has come and nobody has read. A browser cannot be told to wait.
	maxUnread       = 16 << 20
	messageOverhead = 64

	// drainInterval is how often a browser is asked whether there is room again; it does not say so itself.
	drainInterval = 5 * time.Millisecond
)

// errUnread is why a connection ends whose messages pile up.
var errUnread = errors.New("ws: messages come faster than they are read")

// jsSocket is the WebSocket of a browser.
type jsSocket struct {
	v        js.Value
	handlers []js.Func
	life     *life // that is told when something has come, if not nil
	opened   chan struct{}
	ended    chan struct{} // closed when err is set
	wake     chan struct{}

	sent, received atomic.Uint64

	mu     sync.Mutex
	err    error
	queue  []jsMessage
	unread int // bytes in queue, with messageOverhead for each
}

type jsMessage struct {
	text bool
	data []byte
}

var _ socket = (*jsSocket)(nil)

// connect opens a WebSocket.
func connect(ctx context.Context, u *url.URL, cfg citadel.DialConfig) (*link, error) {
	s, err := newJSSocket(u.String())
	if err != nil {
		return nil, err
	}
	select {
	case <-s.opened:
		l := newLink(s, &cfg.Config, false, address("browser"), address(u.Host))
		s.mu.Lock()
		s.life = &l.life
		s.mu.Unlock()
		return l, nil
	case <-s.ended:
		err := s.failure()
		s.close(statusNormal, "")
		return nil, err
	case <-ctx.Done():
		s.close(statusNormal, "given up")
		return nil, ctx.Err()
	}
}

// address is all that a page knows of an end.
type address string

func (a address) Network() string { return "websocket" }
func (a address) String() string  { return string(a) }

func newJSSocket(u string) (s *jsSocket, err error) {
	defer catch(&err)
	class := js.Global().Get("WebSocket")
	if class.IsUndefined() {
		return nil, fmt.Errorf("ws: no WebSocket here: %w", errors.ErrUnsupported)
	}
	s = &jsSocket{
		v:      class.New(u),
		opened: make(chan struct{}),
		ended:  make(chan struct{}),
		wake:   make(chan struct{}, 1),
	}
	s.v.Set("binaryType", "arraybuffer")
	s.on("open", func(js.Value) { close(s.opened) })
	s.on("message", s.take)
	s.on("close", func(e js.Value) {
		s.end(&closedError{e.Get("code").Int(), e.Get("reason").String()})
	})
	return s, nil
}

// catch turns an exception into an error.
func catch(errp *error) {
	switch e := recover().(type) {
	case nil:
	case js.Error:
		*errp = fmt.Errorf("ws: %w", e)
	default:
		panic(e)
	}
}

// on listens to an event. fn must not wait: nothing else runs in the page meanwhile.
func (s *jsSocket) on(event string, fn func(js.Value)) {
	f := js.FuncOf(func(_ js.Value, args []js.Value) any {
		fn(args[0])
		return nil
	})
	s.handlers = append(s.handlers, f)
	s.v.Call("addEventListener", event, f)
}

// take queues a message.
func (s *jsSocket) take(e js.Value) {
	var m jsMessage
	if data := e.Get("data"); data.Type() == js.TypeString {
		m.text = true
	} else {
		a := js.Global().Get("Uint8Array").New(data)
		m.data = make([]byte, a.Length())
		js.CopyBytesToGo(m.data, a)
	}
	s.received.Add(uint64(len(m.data)))
	s.mu.Lock()
	life := s.life
	full := s.unread > maxUnread
	if !full {
		s.queue = append(s.queue, m)
		s.unread += len(m.data) + messageOverhead
	}
	s.mu.Unlock()
	if life != nil {
		life.touch()
	}
	if full {
		s.end(&citadel.CloseError{Code: citadel.CodeOverflow, Reason: "inbound queue overflowed", Cause: errUnread})
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end notes why there will be no more messages. Only the first time counts.
func (s *jsSocket) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// failure returns why there are no more messages, or nil if there may be.
func (s *jsSocket) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *jsSocket) next() (bool, io.Reader, error) {
	for {
		if m, ok := s.pop(); ok {
			return m.text, bytes.NewReader(m.data), nil
		}
		s.listen(true)
		select {
		case <-s.wake:
			s.listen(false)
		case <-s.ended:
			if m, ok := s.pop(); ok { // it came before the end
				return m.text, bytes.NewReader(m.data), nil
			}
			return false, nil, s.failure()
		}
	}
}

// listen tells the link's life whether this end waits for the peer.
func (s *jsSocket) listen(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != nil {
		s.life.listening.Store(on)
	}
}

func (s *jsSocket) pop() (m jsMessage, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return m, false
	}
	m = s.queue[0]
	s.queue[0] = jsMessage{}
	s.queue = s.queue[1:]
	s.unread -= len(m.data) + messageOverhead
	return m, true
}

func (s *jsSocket) send(p []byte) (err error) {
	for s.v.Get("bufferedAmount").Int() > maxUnsent {
		select {
		case <-s.ended:
			return s.failure()
		case <-time.After(drainInterval):
		}
	}
	if s.failure() != nil {
		return net.ErrClosed
	}
	defer catch(&err)
	a := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(a, p)
	s.v.Call("send", a)
	s.sent.Add(uint64(len(p)))
	return nil
}

// ping sends an empty message.
func (s *jsSocket) ping() { _ = s.send(nil) }

func (s *jsSocket) close(status int, reason string) {
	s.end(net.ErrClosed)
	var err error // it is closed already
	defer catch(&err)
	for i, event := range []string{"open", "message", "close"} {
		s.v.Call("removeEventListener", event, s.handlers[i])
		s.handlers[i].Release()
	}
	s.handlers = nil
	s.v.Call("close", status, reason)
}

func (s *jsSocket) counts() (sent, received uint64) { return s.sent.Load(), s.received.Load() }
