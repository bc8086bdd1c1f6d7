package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
)

// player is a client: somebody who plays in a game that a server runs.
type player struct {
	*peer
	name    string
	session netcode.SessionID
	mind    mind
	link    *bridge.Client
	clock   clock
	notify  func(string) // tells what happens, in words

	limit netcode.Step // the last step to be run for now
	rests netcode.Step // the player does nothing from this step on
}

// playerConfig says who plays, and where.
type playerConfig struct {
	name   string
	mind   mind
	find   func() (route, error) // called for each attempt to connect
	notify func(string)
	report stateReport
}

// errOtherGame says that the server has been started anew: what this player knows is of no use there.
var errOtherGame = errors.New("the server runs another game now")

// newPlayer makes a player for the game that the route leads to now, and starts to connect. If there is no
// route, that is an error.
func newPlayer(cfg playerConfig) (*player, error) {
	way, err := cfg.find()
	if err != nil {
		return nil, err
	}
	p := &player{name: cfg.name, mind: cfg.mind, notify: cfg.notify, limit: netcode.MaxStep, rests: netcode.MaxStep}
	if p.session, err = way.session(); err != nil {
		return nil, err
	}
	p.peer, err = newPeer(netcode.Client, p.session, authorOf(cfg.name), game.DefaultSettings(0))
	if err != nil {
		return nil, err
	}
	p.report = cfg.report
	p.link, err = bridge.NewClient(p.host, p.dial(cfg.find), bridge.Config{
		Retry: func(err error) bool { return bridge.Retry(err) && !errors.Is(err, errOtherGame) },
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// dial returns the function by which the bridge connects. It runs on another goroutine, so it must not touch
// the player's game; session and name never change.
func (p *player) dial(find func() (route, error)) bridge.Dial {
	return func(ctx context.Context) (*citadel.Conn, error) {
		way, err := find()
		if err != nil {
			return nil, err
		}
		id, err := way.session()
		if err != nil {
			return nil, err
		}
		if id != p.session {
			return nil, errOtherGame
		}
		return way.dial(ctx, citadel.DialConfig{
			Config: citadel.Config{ManualFlush: true}, // see frame
			Token:  []byte(p.name),
		})
	}
}

// frame is one turn of the game loop: take in what has arrived, run the steps that are due, and send what the
// player did in them. The error is one after which this player cannot go on.
func (p *player) frame(now time.Time) error {
	if err := p.pump(); err != nil {
		return err
	}
	for _, e := range p.host.Events() {
		if err := p.handle(e, now); err != nil {
			return err
		}
	}
	if err := p.advance(now); err != nil {
		return err
	}
	p.link.Flush()
	return nil
}

// pump takes in what has arrived. A lost connection is no reason to stop: the bridge is making a new one.
func (p *player) pump() error {
	lost, ok := errors.AsType[*bridge.LinkError](p.link.Pump())
	if !ok {
		return nil
	}
	if lost.Final {
		return lost
	}
	p.notify(lost.Error())
	return nil
}

func (p *player) handle(e session.Event, now time.Time) error {
	switch e.Kind {
	case session.StateChanged:
		if e.State != session.Ready {
			p.clock.stop()
		}
	case session.Synchronized:
		p.notify(fmt.Sprintf("ready at step %d as author %d, next sequence %d", e.Step, p.author, p.host.NextSequence()))
	case session.StepReached:
		p.clock.reached(e.Step, now)
	case session.Confirmed:
		if e.Header.Key.Author == p.author {
			p.clock.answered(e.Header.Step)
		}
	case session.Resyncing:
		p.notify(fmt.Sprintf("asking for a snapshot: %v", e.Err))
	case session.Faulted:
		return e.Err
	}
	return nil
}

// advance runs the steps that are due. What the player does in a step is issued before the step runs, so
// that it sees the effect at once.
func (p *player) advance(now time.Time) error {
	for due := min(p.clock.target(p.host.Step(), now), p.limit); p.host.Step() < due; {
		next := p.host.Step() + 1
		if next < p.rests {
			if err := p.play(p.name, p.mind, next); err != nil {
				return err
			}
		}
		if err := p.tick(next, p.clock.latest); err != nil {
			return err
		}
	}
	// Corrections of steps that have run show at once, even if no step is due.
	return p.host.Tick(p.host.Step())
}

// close says goodbye.
func (p *player) close() error { return p.link.Close() }
