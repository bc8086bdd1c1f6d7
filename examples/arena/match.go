//go:build !js

package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

// match is a game of a server and some bots in one process. Each has a goroutine of its own that runs its game loop, and
// they tell each other nothing but through sockets.
type match struct {
	by       transport
	rules    rules
	networks []netem.Config // of each player
	length   time.Duration
	seed     uint64

	gallery bool // players stand still, and do not miss on purpose
	reload  int  // steps between two shots
}

// outcome is what is known after a match.
type outcome struct {
	truth   *truth
	players []played
}

// played is what a player has been through.
type played struct {
	name   string
	screen *screen
	bot    *bot
	sync   client.Stats
	link   citadel.LinkStats
	took   time.Duration
}

const (
	// grace is how much longer than it should a match may take before something is wrong.
	grace = 20 * time.Second

	// lastWord is how long a player waits for what the server says of its last shots.
	lastWord = 2 * time.Second
)

// play plays the match. The players end by themselves, and after them the server; if one fails, the others are stopped.
func (m *match) play(ctx context.Context) (*outcome, error) {
	h, err := newHost(m.by, "127.0.0.1:0", m.rules, func(string) {})
	if err != nil {
		return nil, err
	}
	defer h.close()
	ctx, cancel := context.WithTimeoutCause(ctx, m.length+lastWord+grace, errors.New("the match hangs"))
	defer cancel()
	serverCtx, stopServer := context.WithCancel(ctx)
	defer stopServer()

	start := time.Now()
	out := &outcome{truth: newTruth(m.rules), players: make([]played, len(m.networks))}
	errs := make([]error, len(m.networks))
	var serving, playing sync.WaitGroup
	serving.Go(func() {
		_ = loop(serverCtx, func(now time.Time) error { // never fails
			h.turn(now, func() { out.truth.note(now.Sub(start), h.world) })
			return nil
		})
	})
	for i := range m.networks {
		playing.Go(func() {
			if out.players[i], errs[i] = m.playOne(ctx, h.gate, i, start); errs[i] != nil {
				cancel()
			}
		})
	}
	playing.Wait()
	stopServer()
	serving.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}

// playOne plays one player's part.
func (m *match) playOne(ctx context.Context, g *gate, i int, start time.Time) (done played, err error) {
	addr, closeNetwork, err := detour(m.by, g.addr, m.networks[i])
	if err != nil {
		return done, err
	}
	defer closeNetwork()
	b := newBot(m.seed, i)
	b.gallery, b.every = m.gallery, m.reload
	p, err := join(ctx, m.by, addr, g.pin, botName(i), b)
	if err != nil {
		return done, err
	}
	defer p.close()
	p.screen = &screen{start: start}
	err = loop(ctx, func(now time.Time) error {
		if err := p.turn(now); err != nil {
			return err
		}
		if p.screen.first.IsZero() {
			return nil
		}
		took := now.Sub(p.screen.first)
		b.rests = took > m.length
		if b.rests && (len(b.waiting) == 0 || took > m.length+lastWord) {
			done.took = took
			return errDone
		}
		return nil
	})
	done.name, done.screen, done.bot = p.name, p.screen, b
	done.sync, done.link = p.sync.Stats(), p.conn.Stats().Link
	return done, err
}

// detour makes the way to a server lead over a bad network, until that is closed. Over WebSocket the way stays as it
// is: the relay is for UDP.
func detour(by transport, addr string, network netem.Config) (string, func(), error) {
	if by == overWS {
		return addr, func() {}, nil
	}
	relay, err := netem.Listen(addr, network)
	if err != nil {
		return "", nil, err
	}
	return relay.Addr().String(), func() { _ = relay.Close() }, nil
}
