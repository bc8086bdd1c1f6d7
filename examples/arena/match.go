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
	scores  []standing // the server's, at the end
	players []played
}

// played is what a player has been through.
type played struct {
	name   string
	screen *screen
	bot    *bot
	scores []standing // as it has seen them at the end
	sync   client.Stats
	link   citadel.LinkStats
	took   time.Duration
}

const (
	// grace is how much longer than it should a match may take before something is wrong.
	grace = 20 * time.Second

	// lastWord is how long a player waits for what the server says of its last shots.
	lastWord = 2 * time.Second

	// discussion is how long it may then take until all players see the same scores, unless something is wrong.
	discussion = 10 * time.Second
)

// play plays the match. The players end by themselves, when all have seen the final scores, and after them the server; if
// one fails, the others are stopped.
func (m *match) play(ctx context.Context) (*outcome, error) {
	h, err := newHost(m.by, "127.0.0.1:0", m.rules, func(string) {})
	if err != nil {
		return nil, err
	}
	defer h.close()
	ctx, cancel := context.WithTimeoutCause(ctx, m.length+lastWord+discussion+grace, errors.New("the match hangs"))
	defer cancel()
	serverCtx, stopServer := context.WithCancel(ctx)
	defer stopServer()

	start := time.Now()
	out := &outcome{truth: newTruth(m.rules), players: make([]played, len(m.networks))}
	end := newAgreement(len(m.networks))
	var served error
	errs := make([]error, len(m.networks))
	var serving, playing sync.WaitGroup
	serving.Go(func() {
		served = loop(serverCtx, func(now time.Time) error {
			return h.turn(now, func() {
				out.truth.note(now.Sub(start), h.world)
				end.publish(h.duel.standings())
			})
		})
		if served != nil {
			cancel()
		}
	})
	for i := range m.networks {
		playing.Go(func() {
			if out.players[i], errs[i] = m.playOne(ctx, h.gate, i, start, end); errs[i] != nil {
				cancel()
			}
		})
	}
	playing.Wait()
	stopServer()
	serving.Wait()
	if err := errors.Join(append(errs, served)...); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out.scores = end.truth
	for i := range out.players {
		out.players[i].scores = end.views[i].standings
	}
	return out, nil
}

// playOne plays one player's part.
func (m *match) playOne(ctx context.Context, g *gate, i int, start time.Time, end *agreement) (done played, err error) {
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
	done.name, done.bot, done.screen = p.name, b, &screen{start: start}
	p.screen = done.screen
	finished := false // nothing is measured any more
	err = loop(ctx, func(now time.Time) error {
		if err := p.turn(now); err != nil {
			return err
		}
		if done.screen.first.IsZero() {
			return nil
		}
		took := now.Sub(done.screen.first)
		b.rests = took > m.length
		if !finished && b.rests && (len(b.waiting) == 0 || took > m.length+lastWord) {
			finished = true
			done.took, done.sync, done.link = took, p.sync.Stats(), p.conn.Stats().Link
			p.screen = nil
		}
		if !finished {
			return nil
		}
		if took > m.length+lastWord+discussion {
			end.end()
		}
		if end.look(i, p.scores.standings()) {
			return errDone
		}
		return nil
	})
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
