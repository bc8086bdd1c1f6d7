package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Peer is what a server needs of a connection. A [*citadel.Conn] is one. Its methods are called from many
// goroutines at once, and Send neither blocks nor retains the body.
type Peer interface {
	ID() uint64 // no other connection has, had or will have it
	Identity() citadel.Identity
	Send(kind wire.Kind, body []byte) error
}

var _ Peer = (*citadel.Conn)(nil)

// Call is a request.
type Call struct {
	Peer    Peer // who asks; in [Server.Receive], a *citadel.Conn
	Method  string
	Payload []byte
}

// Handler answers calls on a goroutine of its own, one for each call. The context ends when the deadline has passed
// and the caller has been told so, with [ErrClosed] as its cause when the caller is gone, and with [ErrShutdown]
// when the server is. The payload belongs to the handler. The reply must not change until the handler's goroutine
// has ended; it is not retained.
type Handler func(ctx context.Context, call Call) (reply []byte, err error)

// LoopHandler answers calls on the goroutine that calls Receive, one after the other. Nothing limits the time that
// it takes. The payload is borrowed until it returns, and so is the reply until the server has encoded it, which is
// before Receive returns.
type LoopHandler func(call Call) (reply []byte, err error)

// Server answers calls. It is safe for concurrent use.
type Server struct {
	cfg     Config
	buffers sync.Pool // of *[]byte: encoded responses
	stats   counters

	mu      sync.Mutex
	methods map[string]*method
	callers map[uint64]*caller // the peers for which something runs, by their ids
	running int                // handlers on goroutines
	active  int                // those goroutines: a handler may have returned already
	stopped bool
	idle    chan struct{} // closed when the server has stopped and nothing runs any more
}

type method struct {
	name    string
	timeout time.Duration
	handler Handler
	loop    LoopHandler
}

// caller is a peer for which something runs. It is forgotten when nothing does.
type caller struct {
	running int
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// NewServer returns a server without methods. A configuration that cannot work is a [*ConfigError].
func NewServer(cfg Config) (*Server, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	return &Server{
		cfg:     cfg,
		buffers: sync.Pool{New: func() any { return new([]byte) }},
		methods: make(map[string]*method),
		callers: make(map[uint64]*caller),
		idle:    make(chan struct{}),
	}, nil
}

// Handle registers a method that runs on goroutines of its own, with the deadline of Config.Timeout. A name that is
// taken, too long or not UTF-8 is [ErrMethod].
func (s *Server) Handle(name string, h Handler) error {
	return s.register(&method{name: name, timeout: s.cfg.Timeout, handler: h})
}

// HandleTimeout is [Server.Handle] with another deadline, which must be positive. Errors are those of Handle.
func (s *Server) HandleTimeout(name string, timeout time.Duration, h Handler) error {
	if timeout <= 0 {
		return fmt.Errorf("%w: %q with a timeout of %v", ErrMethod, name, timeout)
	}
	return s.register(&method{name: name, timeout: timeout, handler: h})
}

// HandleLoop registers a method that runs inside Receive. Errors are those of [Server.Handle].
func (s *Server) HandleLoop(name string, h LoopHandler) error {
	return s.register(&method{name: name, loop: h})
}

func (s *Server) register(m *method) error {
	if err := checkMethod(m.name); err != nil {
		return err
	}
	if m.handler == nil && m.loop == nil {
		return fmt.Errorf("%w: %q has no handler", ErrMethod, m.name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.methods[m.name] != nil {
		return fmt.Errorf("%w: %q is registered already", ErrMethod, m.name)
	}
	s.methods[m.name] = m
	return nil
}

// Receive takes an event of the inbox and reports whether it was a call. Closed events must come here too, but are
// nobody's alone: it returns false.
func (s *Server) Receive(e citadel.Event) bool {
	switch e.Kind {
	case citadel.Frame:
		return s.Frame(e.Conn, e.Envelope)
	case citadel.Datagram:
		if e.Envelope.Kind == wire.KindRPCRequest {
			s.stats.unreliable.Add(1)
			return true
		}
	case citadel.Closed:
		s.Closed(e.Conn)
	}
	return false
}

// Frame is [Server.Receive] for peers that are no citadel connections: it takes a reliable envelope and reports
// whether it was a call. It borrows the body.
func (s *Server) Frame(p Peer, e wire.Envelope) bool {
	if e.Kind != wire.KindRPCRequest {
		return false
	}
	req, err := wire.ParseRPCRequest(e.Body)
	if err != nil {
		s.stats.malformed.Add(1)
		return true
	}
	s.stats.requests.Add(1)
	s.request(p, req)
	return true
}

func (s *Server) request(p Peer, req wire.RPCRequest) {
	s.mu.Lock()
	m, who, refusal := s.enter(p, &req)
	s.mu.Unlock()
	switch {
	case refusal != nil:
		s.fail(p, req.ID, refusal.Text)
	case m.loop != nil:
		s.runLoop(m, Call{Peer: p, Method: m.name, Payload: req.Payload}, req.ID)
	default:
		r := &call{
			server: s, method: m, who: who, id: req.ID,
			Call: Call{Peer: p, Method: m.name, Payload: bytes.Clone(req.Payload)},
		}
		r.begin()
		go r.run()
	}
}

// enter finds the method and takes a place for the call if it needs one. It is called with mu held.
func (s *Server) enter(p Peer, req *wire.RPCRequest) (m *method, who *caller, refusal *Error) {
	m = s.methods[string(req.Method)]
	switch {
	case s.stopped:
		s.stats.stopped.Add(1)
		return nil, nil, ErrShutdown.(*Error)
	case m == nil:
		s.stats.unknownMethod.Add(1)
		return nil, nil, ErrUnknownMethod.(*Error)
	case len(req.Payload) > s.cfg.MaxRequest:
		s.stats.tooLarge.Add(1)
		return nil, nil, ErrRequestTooLarge.(*Error)
	case m.loop != nil:
		return m, nil, nil
	}
	who = s.callers[p.ID()]
	if s.running >= s.cfg.MaxCalls || who != nil && who.running >= s.cfg.MaxPerPeer {
		s.stats.busy.Add(1)
		return nil, nil, ErrBusy.(*Error)
	}
	if who == nil {
		who = new(caller)
		who.ctx, who.cancel = context.WithCancelCause(context.Background())
		s.callers[p.ID()] = who
	}
	who.running++
	s.running++
	s.active++
	return m, who, nil
}

// leave gives the place of a call back.
func (s *Server) leave(p Peer, who *caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if who.running--; who.running == 0 {
		who.cancel(nil)
		delete(s.callers, p.ID())
	}
}

// ended notes that the goroutine of a call is about to end.
func (s *Server) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.stopped && s.active == 0 {
		close(s.idle)
	}
}

// Closed takes the news that a peer is gone: what runs for it is told, and answers nobody. Nothing of it may come
// afterwards.
func (s *Server) Closed(p Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if who := s.callers[p.ID()]; who != nil {
		who.cancel(ErrClosed)
	}
}

// Shutdown stops the server: from now on, every call is answered with [ErrShutdown]. It waits for the handlers that
// run. When ctx ends before they do, their contexts end, their callers are told, and Shutdown returns ctx's error
// without waiting any longer; another call waits again. It must not be called on a handler's goroutine.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if !s.stopped {
		s.stopped = true
		if s.active == 0 {
			close(s.idle)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 {
		return nil
	}
	for _, who := range s.callers {
		who.cancel(ErrShutdown)
	}
	return ctx.Err()
}

// maxIdleBuffer is the size in bytes beyond which a response's buffer is not kept.
const maxIdleBuffer = 16 << 10

// succeed sends a reply.
func (s *Server) succeed(p Peer, id uint64, reply []byte) {
	if len(reply) > s.cfg.MaxResponse {
		s.stats.responseTooLarge.Add(1)
		s.fail(p, id, ErrResponseTooLarge.(*Error).Text)
		return
	}
	err := s.send(p, wire.RPCResponse{ID: id, Status: wire.RPCOK, Payload: reply})
	switch {
	case errors.Is(err, wire.ErrFrameTooLarge): // for the queue of this connection
		s.stats.responseTooLarge.Add(1)
		s.fail(p, id, ErrResponseTooLarge.(*Error).Text)
	case err != nil:
		s.stats.unsent.Add(1)
	default:
		s.stats.succeeded.Add(1)
	}
}

// fail sends an error's text.
func (s *Server) fail(p Peer, id uint64, text string) {
	if s.send(p, wire.RPCResponse{ID: id, Status: wire.RPCError, Payload: []byte(text)}) != nil {
		s.stats.unsent.Add(1)
		return
	}
	s.stats.failed.Add(1)
}

func (s *Server) send(p Peer, r wire.RPCResponse) error {
	buf := s.buffers.Get().(*[]byte)
	*buf = wire.AppendRPCResponse((*buf)[:0], r)
	err := p.Send(wire.KindRPCResponse, *buf)
	if cap(*buf) <= maxIdleBuffer {
		s.buffers.Put(buf)
	}
	return err
}
