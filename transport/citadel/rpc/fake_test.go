package rpc_test

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// peer is a connection without a network: what is sent on it can be looked at.
type peer struct {
	id uint64

	mu     sync.Mutex
	limit  int // of a body, if not 0
	closed bool
	sent   []wire.Envelope
}

func (p *peer) ID() uint64                 { return p.id }
func (p *peer) Identity() citadel.Identity { return citadel.Identity{UserID: "theseus"} }

func (p *peer) Send(kind wire.Kind, body []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return net.ErrClosed
	case p.limit > 0 && len(body) > p.limit:
		return wire.ErrFrameTooLarge
	}
	p.sent = append(p.sent, wire.Envelope{Kind: kind, Body: bytes.Clone(body)})
	return nil
}

func (p *peer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// take returns what has been sent since the last time.
func (p *peer) take() []wire.Envelope {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.sent
	p.sent = nil
	return sent
}

// response is a response that owns its payload.
type response struct {
	id     uint64
	status wire.RPCStatus
	text   string
}

// responses returns the responses that have been sent since the last time; there must be nothing else.
func (p *peer) responses(t testing.TB) []response {
	t.Helper()
	var all []response
	for _, e := range p.take() {
		require.Equal(t, wire.KindRPCResponse, e.Kind)
		r, err := wire.ParseRPCResponse(e.Body)
		require.NoError(t, err)
		all = append(all, response{r.ID, r.Status, string(r.Payload)})
	}
	return all
}

func ok(id uint64, reply string) response { return response{id, wire.RPCOK, reply} }

// refused is the response that the given error is the text of.
func refused(id uint64, err error) response {
	return response{id, wire.RPCError, err.(*rpc.Error).Text}
}

// ask makes a request.
func ask(id uint64, method, payload string) wire.Envelope {
	return wire.Envelope{Kind: wire.KindRPCRequest, Body: wire.AppendRPCRequest(nil,
		wire.RPCRequest{ID: id, Method: []byte(method), Payload: []byte(payload)})}
}

// answer makes a response.
func answer(id uint64, status wire.RPCStatus, payload string) wire.Envelope {
	return wire.Envelope{Kind: wire.KindRPCResponse, Body: wire.AppendRPCResponse(nil,
		wire.RPCResponse{ID: id, Status: status, Payload: []byte(payload)})}
}

func newServer(t testing.TB, cfg rpc.Config) *rpc.Server {
	t.Helper()
	s, err := rpc.NewServer(cfg)
	require.NoError(t, err)
	return s
}

func newClient(t testing.TB, conn rpc.Conn, cfg rpc.ClientConfig) *rpc.Client {
	t.Helper()
	c, err := rpc.NewClient(conn, cfg)
	require.NoError(t, err)
	return c
}
