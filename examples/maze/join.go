package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
)

const joinText = `Joins a server as a player. The player is known by -name: whoever comes back under the same name goes on
where it was. A bot, and a player without a terminal, prints a line now and then instead of a picture; a
player without a terminal leaves when its input ends.

` + keysHelp

const botsText = `Joins a server as several players that play by themselves, until interrupted.`

// target says which server to join.
type target struct {
	by             transport
	addr, pin, dir *string
}

func targetFlags(f *flag.FlagSet) *target {
	t := &target{
		by:   usual,
		addr: f.String("addr", "", "address of the server, together with -pin"),
		pin:  f.String("pin", "", "what the server has printed as its pin"),
		dir:  f.String("dir", defaultDir(), "directory with the server's ticket, unless -addr is given"),
	}
	f.Var(&t.by, "transport", "which `transport`: quic, ws (WebSocket) or wt (WebTransport); the server must offer it")
	return t
}

// find returns the way to the server, as it is now.
func (t *target) find() (route, error) {
	if *t.addr != "" {
		return route{by: t.by, addr: *t.addr, pin: *t.pin}, nil
	}
	left, err := readTicket(*t.dir)
	if err != nil {
		return route{}, err
	}
	return left.route(t.by)
}

func runJoin(ctx context.Context, args []string, c console) error {
	f := newFlags("join", joinText, c)
	where := targetFlags(f)
	name := f.String("name", "you", "name of the player, up to 12 printable characters")
	auto := f.Bool("auto", false, "let a bot play")
	state := f.Int64("state", 0, "print the hash of the settled state every so many steps; 0 for never")
	if err := parse(f, args); err != nil {
		return err
	}
	view := newScreen(c, !*auto)
	cfg := playerConfig{name: *name, find: where.find, notify: view.note}
	if *auto {
		cfg.mind = newBot(rand.Uint64(), authorOf(*name))
	} else {
		restore := keyByKey(c.in)
		defer restore()
		cfg.mind = readKeys(c.in)
	}
	cfg.report = stateReport{out: c.out, every: *state, window: clientWindow}
	return stay(ctx, cfg, view.show)
}

func runBots(ctx context.Context, args []string, c console) error {
	f := newFlags("bots", botsText, c)
	where := targetFlags(f)
	count := f.Int("n", 4, "number of bots")
	seed := f.Uint64("seed", 1, "seed of what they do")
	if err := parse(f, args); err != nil {
		return err
	}
	if *count < 1 || *count > game.MaxPlayers {
		return fmt.Errorf("-n %d: between 1 and %d can play", *count, game.MaxPlayers)
	}
	errs := make([]error, *count)
	var working sync.WaitGroup
	for i := range errs {
		name := botName(i)
		working.Go(func() {
			errs[i] = stay(ctx, playerConfig{
				name:   name,
				find:   where.find,
				mind:   newBot(*seed, authorOf(name)),
				notify: func(text string) { fmt.Fprintf(c.out, "%s: %s\n", name, text) },
			}, func(*peer, time.Time) {})
		})
	}
	working.Wait()
	return errors.Join(errs...)
}

// botName names bot number i, from zero.
func botName(i int) string {
	names := [...]string{"ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hal"}
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s-%d", names[i%len(names)], i/len(names)+1)
}

// stay plays until the context ends or the player quits, and calls show after each frame. When the server has
// been started anew, it begins anew as well.
func stay(ctx context.Context, cfg playerConfig, show func(*peer, time.Time)) error {
	for {
		p, err := newPlayer(cfg)
		if err != nil {
			return err
		}
		err = loop(ctx, func(now time.Time) error {
			if err := p.frame(now); err != nil {
				return err
			}
			show(p.peer, now)
			return nil
		})
		_ = p.close()
		switch {
		case errors.Is(err, errQuit):
			return nil
		case !errors.Is(err, errOtherGame):
			return err
		}
		cfg.notify(errOtherGame.Error())
	}
}
