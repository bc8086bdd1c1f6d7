package citadel_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// memLink is a link without a network, and without datagrams: what a WebSocket is. It has one stream each way.
type memLink struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	in     *io.PipeReader
	out    *io.PipeWriter
	peer   *memLink
	local  net.Addr
	remote net.Addr

	mu       sync.Mutex
	accepted bool
	writes   int
}

// memLinks returns the server's and the client's end of a link.
func memLinks(client net.Addr) (atServer, atClient *memLink) {
	server := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 7352}
	atServer, atClient = &memLink{local: server, remote: client}, &memLink{local: client, remote: server}
	atServer.peer, atClient.peer = atClient, atServer
	atServer.in, atClient.out = io.Pipe()
	atClient.in, atServer.out = io.Pipe()
	atServer.ctx, atServer.cancel = context.WithCancelCause(context.Background())
	atClient.ctx, atClient.cancel = context.WithCancelCause(context.Background())
	return atServer, atClient
}

func (l *memLink) OpenUni(context.Context) (io.WriteCloser, error) { return memStream{l}, l.ctx.Err() }

func (l *memLink) AcceptUni(ctx context.Context) (io.Reader, error) {
	l.mu.Lock()
	first := !l.accepted
	l.accepted = true
	l.mu.Unlock()
	if first {
		return l.in, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (l *memLink) AcceptBidi(context.Context) (io.Reader, error) { return nil, errors.ErrUnsupported }
func (l *memLink) SendDatagram([]byte) error                     { return errors.ErrUnsupported }
func (l *memLink) ReceiveDatagram(context.Context) ([]byte, error) {
	return nil, errors.ErrUnsupported
}
func (l *memLink) MaxDatagram() int         { return 0 }
func (l *memLink) Context() context.Context { return l.ctx }
func (l *memLink) Err() error               { return context.Cause(l.ctx) }
func (l *memLink) LocalAddr() net.Addr      { return l.local }
func (l *memLink) RemoteAddr() net.Addr     { return l.remote }
func (l *memLink) Stats() citadel.LinkStats { return citadel.LinkStats{} }
func (l *memLink) Close(code citadel.Code, reason string) {
	l.cancel(&citadel.CloseError{Code: code, Reason: reason})
	l.peer.cancel(&citadel.CloseError{Remote: true, Code: code, Reason: reason})
	for _, end := range []*memLink{l, l.peer} {
		_ = end.in.CloseWithError(net.ErrClosed)
		_ = end.out.CloseWithError(net.ErrClosed)
	}
}

type memStream struct{ l *memLink }

func (s memStream) Write(p []byte) (int, error) {
	s.l.mu.Lock()
	s.l.writes++
	s.l.mu.Unlock()
	return s.l.out.Write(p)
}

func (s memStream) Close() error { return nil }
