package rpc

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// call is a call that runs on a goroutine of its own. It is answered by whoever is first: its handler, or the end
// of its context.
type call struct {
	Call
	server *Server
	method *method
	who    *caller
	id     uint64

	ctx      context.Context
	cancel   context.CancelFunc
	unwatch  func() bool // stops waiting for the context's end
	watching sync.WaitGroup
	answered atomic.Bool
}

// begin starts the clock.
func (c *call) begin() {
	c.ctx, c.cancel = context.WithTimeout(c.who.ctx, c.method.timeout)
	c.watching.Add(1)
	c.unwatch = context.AfterFunc(c.ctx, func() {
		defer c.watching.Done()
		c.expire()
	})
}

// run calls the handler. The deferred part also runs if the handler panics, or ends its goroutine.
func (c *call) run() {
	var reply []byte
	err := errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		c.finish(reply, err)
	}()
	reply, err = c.method.handler(c.ctx, c.Call)
}

// finish answers, unless that has happened already. The call's place is free before the caller can know of the
// answer, so that one call after the other never finds the place of the last one taken.
func (c *call) finish(reply []byte, err error) {
	s := c.server
	defer s.ended()
	if c.unwatch() {
		c.watching.Done()
	}
	c.watching.Wait()
	obeyed := c.ctx.Err() != nil && errors.Is(err, c.ctx.Err())
	s.leave(c.Peer, c.who)
	c.cancel()
	switch {
	case c.answered.Swap(true):
		s.stats.late.Add(1)
	case err == nil:
		s.succeed(c.Peer, c.id, reply)
	default:
		s.fail(c.Peer, c.id, text(err))
	}
	if !obeyed {
		s.report(c.Call, err)
	}
}

// expire is called when the context ends before the handler returns.
func (c *call) expire() {
	if c.answered.Swap(true) {
		return
	}
	s := c.server
	switch context.Cause(c.ctx) {
	case ErrClosed:
		s.stats.unsent.Add(1)
	case ErrShutdown:
		s.stats.stopped.Add(1)
		s.fail(c.Peer, c.id, ErrShutdown.(*Error).Text)
	default:
		s.stats.timedOut.Add(1)
		s.fail(c.Peer, c.id, ErrDeadline.(*Error).Text)
	}
}

// runLoop calls a handler of the loop.
func (s *Server) runLoop(m *method, c Call, id uint64) {
	var reply []byte
	err := errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		if err == nil {
			s.succeed(c.Peer, id, reply)
		} else {
			s.fail(c.Peer, id, text(err))
		}
		s.report(c, err)
	}()
	reply, err = m.loop(c)
}

// text returns what a caller is told of a handler's error.
func text(err error) string {
	if public, ok := errors.AsType[*PublicError](err); ok {
		return clip(public.Text)
	}
	return ErrInternal.(*Error).Text
}

// report counts what a handler returned, and tells the application what the caller did not learn.
func (s *Server) report(c Call, err error) {
	if err == nil {
		return
	}
	if _, ok := errors.AsType[*PublicError](err); ok {
		return
	}
	if _, ok := errors.AsType[*PanicError](err); ok {
		s.stats.panics.Add(1)
	}
	if s.cfg.OnFailure != nil {
		s.cfg.OnFailure(c, err)
	}
}
