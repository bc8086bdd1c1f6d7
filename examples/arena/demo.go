//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

const demoText = `Runs a server and some bots in one process. They talk over QUIC on the loopback interface, through a relay that
makes the network bad. Prints what each bot has received and seen, compared with what really was; then plays on a
firing range with players of growing lag; then draws plots, for which it runs another program.

The exit code is 1 if a bot has seen nothing, if no shot was confirmed, or if a bot had other scores than the server in
the end.`

// demoConfig is what the flags of the command say.
type demoConfig struct {
	match  match
	firing time.Duration
	plots  string
}

func runDemo(ctx context.Context, args []string, c console) error {
	f := newFlags("demo", demoText, c)
	cfg := demoConfig{match: match{by: usual, reload: botReload}}
	m := &cfg.match
	var network netem.Config
	loss := percentage(0.02)
	f.Var(&m.by, "transport", "which `transport`: quic, wt (WebTransport) or ws (WebSocket, past the relay)")
	f.IntVar(&m.rules.movers, "movers", 8, "number of figures that move by themselves")
	f.IntVar(&m.rules.players, "players", 4, "number of bots")
	rate := f.Int("rate", 20, "snapshots a second, up to 60")
	f.DurationVar(&m.length, "length", 10*time.Second, "length of the game")
	f.DurationVar(&cfg.firing, "range", 6*time.Second, "length of the game on the firing range; 0 for none, as with ws")
	f.Uint64Var(&m.seed, "seed", 1, "seed of the bots and of the network")
	f.DurationVar(&network.Lag, "lag", 80*time.Millisecond, "added round-trip time")
	f.DurationVar(&network.Jitter, "jitter", 20*time.Millisecond, "random part of the round-trip time")
	f.BoolVar(&network.ReorderOK, "reorder", false, "let jitter reorder packets; QUIC takes some of those for lost")
	f.Var(&loss, "loss", "share of packets that are lost, in each direction")
	f.StringVar(&cfg.plots, "plots", filepath.Join(os.TempDir(), "ariadne-arena"), "directory for the plots; empty for none")
	if err := parse(f, args); err != nil {
		return err
	}
	if err := m.rules.check(*rate); err != nil {
		return err
	}
	if m.length < 2*settling {
		return fmt.Errorf("-length %v: that is no game", m.length)
	}
	network.Loss = float64(loss)
	for i := range m.rules.players {
		network.Seed = m.seed + uint64(i)
		m.networks = append(m.networks, network)
	}
	return demo(ctx, cfg, c)
}

// String describes the match in a line.
func (m *match) String() string {
	n := m.networks[0]
	what := fmt.Sprintf("%d bots, %d movers, %d snapshots a second", m.rules.players, m.rules.movers, m.rules.sendRate)
	switch m.by {
	case overWS:
		return what + " over WebSocket, no bad network"
	case overWT:
		what += " over WebTransport"
	}
	return fmt.Sprintf("%s, %v lag, %v jitter, %.3g%% loss", what, n.Lag, n.Jitter, 100*n.Loss)
}

func demo(ctx context.Context, cfg demoConfig, c console) error {
	m := &cfg.match
	fmt.Fprintf(c.out, "%v\nplaying for %v\n\n", m, m.length)
	o, err := m.play(ctx)
	if err != nil {
		return err
	}
	if err := o.printTables(c.out); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	if err := o.printScores(c.out); err != nil {
		return err
	}
	data := &record.Demo{Title: m.String(), Paths: []record.Path{o.path(0, firstMover)}}
	for _, p := range o.players {
		data.Players = append(data.Players, record.Player{
			Name: p.name, Delay: p.screen.delays, Snapshots: p.screen.snapshots,
		})
	}
	if cfg.firing > 0 && m.by != overWS { // there is no lag past the relay
		fmt.Fprintf(c.out, "\nat the firing range for %v\n\n", cfg.firing)
		if data.Volleys, err = fire(ctx, m.by, cfg.firing, m.seed); err != nil {
			return err
		}
		if err := printVolleys(c.out, data.Volleys); err != nil {
			return err
		}
	}
	if cfg.plots != "" {
		fmt.Fprintln(c.out)
		if err := draw(ctx, cfg.plots, data, c); err != nil {
			return err
		}
	}
	return judge(o)
}

// What is wrong with a demo that has come to its end.
var (
	errBlind = errors.New("a bot has seen nothing")
	errVain  = errors.New("no shot of a bot was confirmed")
	errWrong = errors.New("a bot's scores differ from the server's")
)

// judge checks what a demo is there to show.
func judge(o *outcome) error {
	for i := range o.players {
		p := &o.players[i]
		switch {
		case p.sync.View.Applied == 0 || len(p.screen.sights) == 0:
			return fmt.Errorf("%s: %w", p.name, errBlind)
		case p.bot.seen > 0 && p.bot.agreed == 0:
			return fmt.Errorf("%s: %w", p.name, errVain)
		case !slices.Equal(p.scores, o.scores):
			return fmt.Errorf("%s: %w", p.name, errWrong)
		}
	}
	return nil
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
