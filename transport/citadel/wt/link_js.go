package wt

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall/js"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// link is the WebTransport session of a browser as a [citadel.Link].
type link struct {
	v       js.Value
	remote  address
	ctx     context.Context
	cancel  context.CancelCauseFunc
	closing sync.Once

	unis, bidis, datagrams js.Value // readers
	datagramWriter         js.Value
}

var _ citadel.Link = (*link)(nil)

// address is all that a page knows of an end.
type address string

func (a address) Network() string { return "webtransport" }
func (a address) String() string  { return string(a) }

func newLink(v js.Value, host string) (l *link, err error) {
	defer catch(&err)
	datagrams := v.Get("datagrams")
	l = &link{
		v: v, remote: address(host),
		unis:           v.Get("incomingUnidirectionalStreams").Call("getReader"),
		bidis:          v.Get("incomingBidirectionalStreams").Call("getReader"),
		datagrams:      datagrams.Get("readable").Call("getReader"),
		datagramWriter: datagramWriter(datagrams),
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	go l.watch()
	return l, nil
}

// datagramWriter returns what datagrams are written to; browsers are about to rename it.
func datagramWriter(datagrams js.Value) js.Value {
	if datagrams.Get("createWritable").Type() == js.TypeFunction {
		return datagrams.Call("createWritable").Call("getWriter")
	}
	return datagrams.Get("writable").Call("getWriter")
}

// watch waits for the end of the session.
func (l *link) watch() {
	info, err := await(context.Background(), l.v.Get("closed"))
	if err != nil {
		l.cancel(&citadel.CloseError{Code: citadel.CodeTransport, Cause: err})
		return
	}
	e := &citadel.CloseError{Remote: true}
	if info.Type() == js.TypeObject {
		// Both may be missing.
		if code := info.Get("closeCode"); code.Type() == js.TypeNumber {
			e.Code = citadel.Code(uint32(code.Float()))
		}
		if reason := info.Get("reason"); reason.Type() == js.TypeString {
			e.Reason = reason.String()
		}
	}
	l.cancel(e)
}

// wait waits for a promise that is kept or broken at the latest when the link has ended.
func (l *link) wait(ctx context.Context, promise js.Value) (js.Value, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	v, err := await(ctx, promise)
	if err != nil && l.ctx.Err() != nil {
		err = net.ErrClosed
	}
	return v, err
}

// next takes the next value from a reader.
func (l *link) next(ctx context.Context, reader js.Value) (js.Value, error) {
	r, err := l.wait(ctx, reader.Call("read"))
	switch {
	case err != nil:
		return js.Undefined(), err
	case r.Get("done").Bool():
		return js.Undefined(), io.EOF
	}
	return r.Get("value"), nil
}

// OpenUni implements [citadel.Link].
func (l *link) OpenUni(ctx context.Context) (w io.WriteCloser, err error) {
	defer catch(&err)
	s, err := l.wait(ctx, l.v.Call("createUnidirectionalStream"))
	if err != nil {
		return nil, err
	}
	return &writer{l: l, v: s.Call("getWriter")}, nil
}

// writer is a stream to the peer.
type writer struct {
	l    *link
	v    js.Value
	last bool // what was written ends in a goodbye
}

func (w *writer) Write(p []byte) (n int, err error) {
	defer catch(&err)
	w.last = endsInGoodbye(p)
	if _, err := w.l.wait(context.Background(), w.v.Call("write", toJS(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close finishes the stream, but not behind a goodbye: the peer answers that by ending the session, and when a
// session ends while a stream is about to be finished, Chromium 156 now and then crashes. Nobody waits for that
// stream to be finished, because the session's end does.
func (w *writer) Close() (err error) {
	if w.last {
		return nil
	}
	defer catch(&err)
	ignore(w.v.Call("close"))
	return nil
}

// endsInGoodbye reports whether the last of these framed envelopes is a goodbye.
func endsInGoodbye(p []byte) bool {
	last := wire.Envelope{}
	for len(p) > 0 {
		e, n, err := wire.ParseFramed(p)
		if err != nil || n == 0 {
			return false
		}
		last, p = e, p[n:]
	}
	return last.Kind == wire.KindGoodbye
}

// ignore keeps the browser from complaining about a promise that nobody waits for.
func ignore(promise js.Value) {
	go func() { _, _ = await(context.Background(), promise) }()
}

// AcceptUni implements [citadel.Link].
func (l *link) AcceptUni(ctx context.Context) (r io.Reader, err error) {
	defer catch(&err)
	s, err := l.next(ctx, l.unis)
	if err != nil {
		return nil, err
	}
	return &reader{l: l, v: s.Call("getReader")}, nil
}

// AcceptBidi implements [citadel.Link].
func (l *link) AcceptBidi(ctx context.Context) (r io.Reader, err error) {
	defer catch(&err)
	s, err := l.next(ctx, l.bidis)
	if err != nil {
		return nil, err
	}
	ignore(s.Get("writable").Call("close"))
	return &reader{l: l, v: s.Get("readable").Call("getReader")}, nil
}

// reader is a stream of the peer.
type reader struct {
	l    *link
	v    js.Value
	rest []byte // that has come and was not asked for yet
}

func (r *reader) Read(p []byte) (n int, err error) {
	defer catch(&err)
	for len(r.rest) == 0 {
		v, err := r.l.next(context.Background(), r.v)
		if e, ok := errors.AsType[*jsError](err); ok && e.ofStream() {
			return 0, citadel.ErrStreamReset
		}
		if err != nil {
			return 0, err
		}
		r.rest = toGo(v)
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// SendDatagram implements [citadel.Link].
func (l *link) SendDatagram(p []byte) (err error) {
	defer catch(&err)
	if limit := l.MaxDatagram(); len(p) > limit {
		return &citadel.DatagramTooLargeError{Size: len(p), Max: limit}
	}
	_, err = l.wait(context.Background(), l.datagramWriter.Call("write", toJS(p)))
	return err
}

// ReceiveDatagram implements [citadel.Link].
func (l *link) ReceiveDatagram(ctx context.Context) (p []byte, err error) {
	defer catch(&err)
	v, err := l.next(ctx, l.datagrams)
	if err != nil {
		return nil, err
	}
	return toGo(v), nil
}

// MaxDatagram implements [citadel.Link].
func (l *link) MaxDatagram() int {
	n := l.v.Get("datagrams").Get("maxDatagramSize")
	if n.Type() != js.TypeNumber {
		return 0
	}
	return n.Int()
}

// Close implements [citadel.Link].
func (l *link) Close(code citadel.Code, reason string) {
	l.closing.Do(func() {
		l.cancel(&citadel.CloseError{Code: code, Reason: reason})
		var err error // it is closed already
		defer catch(&err)
		l.v.Call("close", map[string]any{"closeCode": float64(code), "reason": reason})
	})
}

// Context implements [citadel.Link].
func (l *link) Context() context.Context { return l.ctx }

// Err implements [citadel.Link].
func (l *link) Err() error { return context.Cause(l.ctx) }

// LocalAddr implements [citadel.Link].
func (l *link) LocalAddr() net.Addr { return address("browser") }

// RemoteAddr implements [citadel.Link].
func (l *link) RemoteAddr() net.Addr { return l.remote }

// Stats implements [citadel.Link]. A browser tells nothing at once.
func (l *link) Stats() citadel.LinkStats { return citadel.LinkStats{} }
