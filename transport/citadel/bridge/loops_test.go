package bridge_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
)

// Each loop has a goroutine of its own, as in a real game. The race detector sees it if anything of a session
// is touched outside of them.
func TestLoopsOfTheirOwn(t *testing.T) {
	cert, pin := newCertificate(t)
	l, err := listen("127.0.0.1:0", cert)
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	const each, clients = 50, 2
	serve := func() error {
		p, err := newPeer(netcode.Server, 0, game, protocol)
		if err != nil {
			return err
		}
		link := bridge.NewServer(l, func(c *citadel.Conn) (netcode.SessionID, netcode.AuthorID, error) {
			return game, authors[c.Identity().UserID], nil
		})
		if err := link.Router().Add(p.host); err != nil {
			return err
		}
		for p.host.Stats().Commands < each*clients {
			if err := l.Inbox().Wait(ctx); err != nil {
				return err
			}
			link.Pump()
		}
		return nil
	}
	play := func(author netcode.AuthorID, token string) error {
		p, err := newPeer(netcode.Client, author, game, protocol)
		if err != nil {
			return err
		}
		link, err := bridge.NewClient(p.host, func(ctx context.Context) (*citadel.Conn, error) {
			return citadel.Dial(ctx, l.Addr().String(), citadel.DialConfig{Token: []byte(token), Pin: pin})
		}, bridge.Config{})
		if err != nil {
			return err
		}
		defer link.Close()
		for p.host.Stats().Commands < each*clients {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := link.Pump(); err != nil {
				return err
			}
			if link.Session().State() == session.Ready && p.host.Stats().Issued < each {
				if _, err := p.adds.Send(add{1}, p.host.Step()+1); err != nil {
					return err
				}
			}
			time.Sleep(time.Millisecond)
		}
		return nil
	}

	var working sync.WaitGroup
	errs := make([]error, 1+clients)
	working.Go(func() { errs[0] = serve() })
	working.Go(func() { errs[1] = play(1, "a") })
	working.Go(func() { errs[2] = play(2, "b") })
	working.Wait()
	require.NoError(t, errors.Join(errs...))
}

func TestIdlePumpAllocatesNothing(t *testing.T) {
	w := newTable(t)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		w.link.Pump()
		w.link.Flush()
	}))
	ann := w.join(1, func(ctx context.Context) (*citadel.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = ann.link.Pump()
		ann.link.Flush()
	}))
}
