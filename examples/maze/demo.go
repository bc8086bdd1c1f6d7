//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

const demoText = `Runs a server and some bots in one process. They talk over QUIC on the loopback interface, through a relay
that makes the network bad; or over what -transport says. At the end all peers must be in the same state, and
every bot must have predicted commands, been corrected and rolled back; if not, the exit code is 1.`

// demoConfig is what the flags of the command say.
type demoConfig struct {
	by      transport
	bots    int
	steps   int64
	seed    uint64
	network netem.Config
}

func runDemo(ctx context.Context, args []string, c console) error {
	f := newFlags("demo", demoText, c)
	cfg := demoConfig{by: usual}
	f.Var(&cfg.by, "transport", "which `transport`: quic, ws (WebSocket) or wt (WebTransport)")
	f.IntVar(&cfg.bots, "bots", 4, "number of bots, 1 to 16")
	f.Int64Var(&cfg.steps, "steps", 600, "length of the game, at 60 steps per second")
	f.Uint64Var(&cfg.seed, "seed", 1, "seed of the maze, of the bots and of the network")
	f.DurationVar(&cfg.network.Lag, "lag", 80*time.Millisecond, "added round-trip time")
	f.DurationVar(&cfg.network.Jitter, "jitter", 20*time.Millisecond, "random part of the round-trip time")
	loss := percentage(0.02)
	f.Var(&loss, "loss", "share of packets that are lost, in each direction; none with ws, because TCP repeats them")
	if err := parse(f, args); err != nil {
		return err
	}
	if cfg.bots < 1 || cfg.bots > game.MaxPlayers {
		return fmt.Errorf("-bots %d: between 1 and %d can play", cfg.bots, game.MaxPlayers)
	}
	if cfg.steps < 2 {
		return fmt.Errorf("-steps %d: that is no game", cfg.steps)
	}
	cfg.network.Loss, cfg.network.Seed = float64(loss), cfg.seed
	rows, err := playDemo(ctx, cfg, c)
	if err != nil {
		return err
	}
	if err := printTable(c.out, rows); err != nil {
		return err
	}
	return judge(rows)
}

// String describes the demo in a line.
func (cfg demoConfig) String() string {
	over, loss := "", fmt.Sprintf("%.3g%% loss", 100*cfg.network.Loss)
	switch cfg.by {
	case overWS:
		over, loss = " over WebSocket", "no loss (TCP)"
	case overWT:
		over = " over WebTransport"
	}
	return fmt.Sprintf("%d bots%s, %v lag, %v jitter, %s, %d steps",
		cfg.bots, over, cfg.network.Lag, cfg.network.Jitter, loss, cfg.steps)
}

// detour makes a route lead over a bad network, until that is closed.
func detour(way route, network netem.Config) (route, io.Closer, error) {
	if way.by == overWS {
		relay, err := listenSlowTCP(way.addr, network)
		if err != nil {
			return way, nil, err
		}
		way.addr = relay.addr()
		return way, relay, nil
	}
	relay, err := netem.Listen(way.addr, network)
	if err != nil {
		return way, nil, err
	}
	way.addr = relay.Addr().String()
	return way, relay, nil
}

// percentage is a flag such as 2%.
type percentage float64

func (p *percentage) String() string { return fmt.Sprintf("%.3g%%", 100*float64(*p)) }

func (p *percentage) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n >= 0 && n <= 100) {
		return errors.New("want a percentage between 0% and 100%")
	}
	*p = percentage(n / 100)
	return nil
}

// match is a demo under way. Each peer has a goroutine of its own that runs its game loop; what they tell
// each other beside the network goes through gauges.
type match struct {
	last   netcode.Step // the last step of the game
	seed   uint64
	server gauge
	bots   []gauge
	rows   []row   // of the server, then of the bots; each written by its own goroutine
	errs   []error // likewise
}

// gauge shows how far a peer is.
type gauge struct {
	step    atomic.Int64
	stats   atomic.Pointer[session.Stats]
	ready   atomic.Bool // it has joined
	settled atomic.Bool // nothing of its own is under way any more
}

func (g *gauge) set(p *peer) {
	stats := p.host.Stats()
	g.stats.Store(&stats)
	g.step.Store(int64(p.host.Step()))
}

// grace is how much longer than it should a game may take before something is wrong.
const grace = 30 * time.Second

func playDemo(ctx context.Context, cfg demoConfig, c console) ([]row, error) {
	var by offer
	if err := by.Set(string(cfg.by)); err != nil {
		return nil, err
	}
	srv, err := newServer(serverConfig{
		addr: "127.0.0.1:0", by: by, settings: game.DefaultSettings(cfg.seed), notify: func(string) {},
	})
	if err != nil {
		return nil, err
	}
	defer srv.close()
	way, err := srv.ticket.route(cfg.by)
	if err != nil {
		return nil, err
	}
	way, relay, err := detour(way, cfg.network)
	if err != nil {
		return nil, err
	}
	defer relay.Close()

	fmt.Fprintln(c.out, cfg)
	m := &match{
		last: netcode.Step(cfg.steps - 1),
		seed: cfg.seed,
		bots: make([]gauge, cfg.bots),
		rows: make([]row, 1+cfg.bots),
		errs: make([]error, 1+cfg.bots),
	}
	defer m.showProgress(c)()
	return m.rows, m.run(ctx, srv, way)
}

// run starts all peers and waits for them. The bots end by themselves, and after them the server; if one
// fails, the others cannot finish and are stopped.
func (m *match) run(ctx context.Context, srv *server, way route) error {
	limit := time.Duration(m.last)*stepTime + grace
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("the demo hangs"))
	defer cancel()
	serverCtx, stopServer := context.WithCancel(ctx)
	defer stopServer()

	var server, bots sync.WaitGroup
	server.Go(func() {
		if m.errs[0] = m.runServer(serverCtx, srv); m.errs[0] != nil {
			cancel()
		}
	})
	for i := range m.bots {
		bots.Go(func() {
			if m.errs[1+i] = m.runBot(ctx, i, way); m.errs[1+i] != nil {
				cancel()
			}
		})
	}
	bots.Wait()
	stopServer()
	server.Wait()
	if err := errors.Join(m.errs...); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// runServer plays the authority's part. The game begins when all bots are there. Its last step is held back
// until all commands of all bots are decided, so that the announcement of that step tells every bot that it
// knows everything.
func (m *match) runServer(ctx context.Context, s *server) error {
	begun := false
	err := loop(ctx, func(now time.Time) error {
		if !begun && m.all(func(bot *gauge) bool { return bot.ready.Load() }) {
			begun = true
			s.start(now)
		}
		limit := s.host.Step()
		switch {
		case !begun:
		case m.all(func(bot *gauge) bool { return bot.settled.Load() }):
			limit = m.last
		default:
			limit = m.last - 1
		}
		defer m.server.set(s.peer)
		return s.frame(now, limit)
	})
	if err != nil {
		return err
	}
	m.rows[0], err = s.row("server")
	return err
}

// all reports whether something holds for every bot.
func (m *match) all(holds func(bot *gauge) bool) bool {
	for i := range m.bots {
		if !holds(&m.bots[i]) {
			return false
		}
	}
	return true
}

// runBot plays one bot's part until it has completed the last step.
func (m *match) runBot(ctx context.Context, i int, way route) error {
	name := botName(i)
	p, err := newPlayer(playerConfig{
		name:   name,
		mind:   newBot(m.seed, authorOf(name)),
		find:   func() (route, error) { return way, nil },
		notify: func(string) {},
	})
	if err != nil {
		return err
	}
	defer p.close()
	p.rests = m.last
	err = loop(ctx, func(now time.Time) error {
		p.limit = m.last - 1
		if p.clock.latest >= m.last {
			p.limit = m.last
		}
		if err := p.frame(now); err != nil {
			return err
		}
		g := &m.bots[i]
		g.set(p.peer)
		g.ready.Store(p.link.Session().State() == session.Ready)
		g.settled.Store(p.host.Step() >= m.last-1 && p.host.Unanswered() == 0)
		if p.host.Step() == m.last {
			return errDone
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.rows[1+i], err = p.row(name)
	return err
}

// showProgress prints how far the game is until the returned function is called: in one line on a terminal,
// in several elsewhere.
func (m *match) showProgress(c console) (stop func()) {
	every, before, after := time.Second, "", "\n"
	if c.live {
		every, before, after = time.Second/10, "\r", ""
	}
	done := make(chan struct{})
	var printing sync.WaitGroup
	printing.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				fmt.Fprint(c.out, before, m.progress(), after)
			case <-done:
				if c.live {
					fmt.Fprint(c.out, before, strings.Repeat(" ", len(m.progress())), before)
				}
				return
			}
		}
	})
	return func() {
		close(done)
		printing.Wait()
	}
}

func (m *match) progress() string {
	var sum session.Stats
	for i := range m.bots {
		if s := m.bots[i].stats.Load(); s != nil {
			sum.Predictions += s.Predictions
			sum.Corrected += s.Corrected
			sum.Rollbacks += s.Rollbacks
		}
	}
	return fmt.Sprintf("step %4d of %d: %4d predicted, %3d corrected, %4d rollbacks",
		m.server.step.Load()+1, m.last+1, sum.Predictions, sum.Corrected, sum.Rollbacks)
}

// What is wrong with a demo that has come to its end.
var (
	errDiverged = errors.New("peers are in different states")
	errNothing  = errors.New("a bot has shown nothing")
)

// judge checks what a demo is there to show: one state everywhere, and prediction at work on every bot.
func judge(rows []row) error {
	for _, r := range rows {
		if r.hash != rows[0].hash || r.step != rows[0].step {
			return fmt.Errorf("%w: %s at step %d, %s at step %d", errDiverged, rows[0].name, rows[0].step, r.name, r.step)
		}
	}
	for _, r := range rows[1:] {
		if s := r.stats; s.Predictions == 0 || s.Corrected == 0 || s.Rollbacks == 0 {
			return fmt.Errorf("%w: %s predicted %d, was corrected %d times and rolled back %d times",
				errNothing, r.name, s.Predictions, s.Corrected, s.Rollbacks)
		}
	}
	return nil
}
