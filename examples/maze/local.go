package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
)

const localText = `Play by yourself, without a network: the same game and the same commands, in a session of one.

` + keysHelp

func runLocal(ctx context.Context, args []string, c console) error {
	f := newFlags("local", localText, c)
	seed := f.Uint64("seed", 1, "seed of the maze")
	auto := f.Bool("auto", false, "let a bot play")
	steps := f.Int64("steps", 0, "stop after so many steps; 0 for never")
	if err := parse(f, args); err != nil {
		return err
	}
	const you = "you"
	p, err := newPeer(netcode.Local, 1, authorOf(you), game.DefaultSettings(*seed))
	if err != nil {
		return err
	}
	var m mind = newBot(rand.Uint64(), p.author)
	if !*auto {
		restore := keyByKey(c.in)
		defer restore()
		m = readKeys(c.in)
	}
	last := netcode.MaxStep
	if *steps > 0 {
		last = netcode.Step(*steps - 1)
	}

	view := newScreen(c, true)
	var pace pacer
	pace.start(p.host.Step(), time.Now())
	err = loop(ctx, func(now time.Time) error {
		for due := min(pace.due(p.host.Step(), now), last); p.host.Step() < due; {
			next := p.host.Step() + 1
			if err := p.play(you, m, next); err != nil {
				return err
			}
			if err := p.tick(next, next); err != nil {
				return err
			}
		}
		p.host.Events() // an authority that plays alone knows them all
		view.show(p, now)
		if p.host.Step() == last {
			return errDone
		}
		return nil
	})
	if err != nil && !errors.Is(err, errQuit) {
		return err
	}
	r, err := p.row(you)
	if err != nil {
		return err
	}
	return printTable(c.out, []row{r})
}
