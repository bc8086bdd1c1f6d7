//go:build !js

package bridge_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// transport is one of those beside QUIC.
type transport struct {
	name  string
	reach func(w *table) string // adds a way to the server of a table, and returns its address
	dial  func(ctx context.Context, addr string, cfg citadel.DialConfig) (*citadel.Conn, error)
	path  func(t *testing.T, addr string) (string, io.Closer) // leads to an address until it is closed
}

var transports = []transport{
	{
		name: "ws",
		reach: func(w *table) string {
			w.open = func(string) (*citadel.Listener, error) { return citadel.NewListener(listenConfig(w.cert)) }
			w.serve("")
			hs := ws.NewServer(w.listener, ws.Options{})
			tcp, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(w.t, err)
			var serving sync.WaitGroup
			serving.Go(func() { _ = hs.Serve(tcp) })
			w.t.Cleanup(func() {
				_ = hs.Close()
				serving.Wait()
			})
			return tcp.Addr().String()
		},
		dial: func(ctx context.Context, addr string, cfg citadel.DialConfig) (*citadel.Conn, error) {
			cfg.Pin = ""
			return ws.Dial(ctx, "ws://"+addr+"/", cfg)
		},
		path: newCable,
	},
	{
		name: "wt",
		reach: func(w *table) string {
			w.open = func(addr string) (*citadel.Listener, error) {
				cfg := listenConfig(w.cert)
				cfg.ALPN = wt.NewServer(wt.Options{}).ALPN()
				return citadel.Listen(addr, cfg)
			}
			w.serve("127.0.0.1:0")
			return w.addr()
		},
		dial: func(ctx context.Context, addr string, cfg citadel.DialConfig) (*citadel.Conn, error) {
			return wt.Dial(ctx, "https://"+addr+"/", cfg)
		},
		path: func(t *testing.T, addr string) (string, io.Closer) {
			relay, err := netem.Listen(addr, netem.Config{})
			require.NoError(t, err)
			return relay.Addr().String(), relay
		},
	},
}

// signpost says where the server is at present.
type signpost struct {
	mu   sync.Mutex
	addr string
}

var errNowhere = errors.New("the server is nowhere")

func (s *signpost) point(addr string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addr = addr
}

func (s *signpost) read() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.addr == "" {
		return "", errNowhere
	}
	return s.addr, nil
}

func (w *table) by(tr transport, where *signpost, token string) bridge.Dial {
	return func(ctx context.Context) (*citadel.Conn, error) {
		addr, err := where.read()
		if err != nil {
			return nil, err
		}
		return tr.dial(ctx, addr, citadel.DialConfig{Token: []byte(token), Pin: w.pin})
	}
}

// The path to the server is cut, there is none for a while, and then there is one at another address.
func TestOtherTransports(t *testing.T) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			w := newTableWithoutListener(t)
			addr := tr.reach(w)
			w.tick()
			var where signpost
			first, path := tr.path(t, addr)
			where.point(first)
			ann := w.join(1, w.by(tr, &where, "a"))
			bob := w.join(2, func(ctx context.Context) (*citadel.Conn, error) {
				return tr.dial(ctx, addr, citadel.DialConfig{Token: []byte("b"), Pin: w.pin})
			})
			w.ready(ann)
			w.ready(bob)
			old := ann.link.Conn()
			ann.send(t, 1)
			w.agree(1, ann, bob)

			where.point("")
			ann.send(t, 20)
			require.NoError(t, path.Close())
			bob.send(t, 300)
			w.until("ann notices, and looks around", func() bool { return len(ann.errs) > 2 })
			require.False(t, ann.errs[0].Dialing)
			for _, e := range ann.errs[1:] {
				require.True(t, e.Dialing, "a loss is reported once: %v", e)
				require.ErrorIs(t, e, errNowhere)
			}
			require.Equal(t, session.Disconnected, ann.link.Session().State())
			ann.send(t, 4000)

			second, path := tr.path(t, addr)
			defer path.Close()
			require.NotEqual(t, first, second)
			where.point(second)
			w.ready(ann)
			require.NotEqual(t, old.ID(), ann.link.Conn().ID())
			w.agree(4321, ann, bob)
			require.Empty(t, bob.errs)
			require.Zero(t, ann.host.Stats().Refused)
		})
	}
}

// Why a connection ends, and whether there may be another, gets across.
func TestFinalErrorsOfOtherTransports(t *testing.T) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			w := newTableWithoutListener(t)
			where := signpost{addr: tr.reach(w)}
			w.tick()
			wrong := w.join(1, w.by(tr, &where, "wrong"))
			w.until("rejected", func() bool { return len(wrong.errs) > 0 })
			require.ErrorIs(t, wrong.errs[0], citadel.ErrAuthFailed)
			require.True(t, wrong.errs[0].Final)

			barred := w.join(3, w.by(tr, &where, "c"))
			w.until("refused", func() bool { return len(barred.errs) > 0 })
			closed, ok := errors.AsType[*citadel.CloseError](barred.errs[0])
			require.True(t, ok)
			require.Equal(t, bridge.CodeRefused, closed.Code)
			require.Equal(t, errCut.Error(), closed.Reason)
			require.False(t, barred.errs[0].Final)

			old := w.join(1, w.by(tr, &where, "a"))
			w.ready(old)
			again := w.join(1, w.by(tr, &where, "a"))
			w.ready(again)
			w.until("the old one knows", func() bool { return len(old.errs) > 0 })
			closed, ok = errors.AsType[*citadel.CloseError](old.errs[0])
			require.True(t, ok)
			require.Equal(t, bridge.CodeReplaced, closed.Code)
			require.True(t, old.errs[0].Final)

			// The server goes; its word is not final.
			require.NoError(t, w.listener.Close())
			w.until("shut down", func() bool { return len(again.errs) > 0 })
			require.ErrorIs(t, again.errs[0], citadel.ErrShutdown)
			require.False(t, again.errs[0].Final)
		})
	}
}

// cable relays TCP connections until it is cut.
type cable struct {
	front   net.Listener
	target  string
	working sync.WaitGroup
}

func newCable(t *testing.T, target string) (string, io.Closer) {
	front, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{front: front, target: target}
	c.working.Go(c.accept)
	return front.Addr().String(), c
}

func (c *cable) accept() {
	for {
		client, err := c.front.Accept()
		if err != nil {
			return
		}
		defer client.Close() // when the cable is cut
		server, err := net.Dial("tcp", c.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		defer server.Close()
		c.working.Go(func() { pour(client, server) })
		c.working.Go(func() { pour(server, client) })
	}
}

func pour(dst, src net.Conn) {
	_, _ = io.Copy(dst, src)
	_ = dst.Close()
}

// Close cuts the cable and waits until nothing of it is left.
func (c *cable) Close() error {
	err := c.front.Close()
	c.working.Wait()
	return err
}
