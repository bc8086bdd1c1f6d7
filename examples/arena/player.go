package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

const botsText = `Joins a server as several players that play by themselves, until interrupted.`

// player is a client: somebody who predicts itself and sees the others a little in the past.
type player struct {
	name   string
	conn   *citadel.Conn
	link   *live.Client
	sync   *client.Client
	scores *scores
	bot    *bot
	pace   pacer
	object uint32 // the player's own; 0 before the server has given it one
	poses  []client.Pose

	screen *screen // what it has seen; nil if nobody asks
}

// join connects to a server and asks it for transform sync.
func join(ctx context.Context, by transport, addr, pin, name string, b *bot) (*player, error) {
	held := limits()
	sync, err := client.New(client.Config{
		Predictor: client.PredictorConfig{Limits: &held},
		Sender:    client.SenderConfig{MaxBytes: live.SafePayload},
		Version2:  true,
	})
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, by, addr, pin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &player{name: name, conn: conn, link: live.NewClient(conn, sync), sync: sync, scores: newScores(conn, name), bot: b}
	p.link.Flush() // the hello
	return p, nil
}

// turn is one turn of the game loop: take in what has arrived, show what there is to see, and send what the player wants.
// The error says that the connection is over.
func (p *player) turn(now time.Time) error {
	if err := p.pump(now); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	for range p.pace.due(now) {
		p.show(now)
		if err := p.play(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := p.say(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		p.link.Flush()
	}
	return nil
}

// pump takes in what has arrived.
func (p *player) pump(now time.Time) error {
	var failed error
	p.conn.Inbox().Drain(func(e citadel.Event) {
		if p.screen != nil {
			p.screen.arrived(now, e.Envelope)
		}
		ours, err := p.scores.handle(e) // each takes what is its own
		if !ours {
			_, err = p.link.Handle(e, p.heard)
		}
		if err != nil {
			failed = err
		}
	})
	return failed
}

// heard is told what is new, other than where things are.
func (p *player) heard(e client.Event) {
	switch e := e.(type) {
	case client.RoleChanged:
		switch {
		case e.Mine:
			p.object = e.Object
		case e.Object == p.object:
			p.object = 0 // it was taken away
		}
	case client.ShotResolved:
		p.bot.resolved(e.Rewind)
	}
}

// show puts on the screen what there is to see at present.
func (p *player) show(now time.Time) {
	tick, ok := p.sync.Advance(stepTime)
	p.poses = p.sync.AppendPoses(p.poses[:0])
	if ok && p.screen != nil {
		p.screen.shown(now, tick, p.sync, p.poses)
	}
}

// play takes a step of the player's own.
func (p *player) play() error {
	me, _, ok := p.sync.Predicted(p.object)
	if !ok {
		return nil // not in the game yet
	}
	p.bot.down = p.scores.down(p.object)
	in := p.bot.want(p.object, &me, p.poses)
	seq, err := p.sync.Push(p.object, &in)
	switch {
	case errors.Is(err, client.ErrPending):
		return nil // the server is silent: stand still until it says something
	case err != nil:
		return err
	}
	p.bot.pushed(seq, &in)
	return nil
}

// say tells the server what the player says of itself, and which scores have arrived.
func (p *player) say() error {
	if err := p.scores.propose(p.object); err != nil {
		return err
	}
	return p.scores.link.Acknowledge()
}

// close says goodbye.
func (p *player) close() error { return p.conn.Close() }

func runBots(ctx context.Context, args []string, c console) error {
	f := newFlags("bots", botsText, c)
	by := usual
	f.Var(&by, "transport", "which `transport`: quic, ws (WebSocket) or wt (WebTransport); that of the server")
	addr := f.String("addr", "127.0.0.1:7354", "address of the server")
	pin := f.String("pin", "", "what the server has printed as its pin")
	count := f.Int("n", 4, "number of bots")
	seed := f.Uint64("seed", 1, "seed of what they do")
	if err := parse(f, args); err != nil {
		return err
	}
	if *count < 1 || *count > maxPlayers {
		return fmt.Errorf("-n %d: between 1 and %d can play", *count, maxPlayers)
	}
	var crew []*player
	defer func() {
		for _, p := range crew {
			_ = p.close()
		}
	}()
	for i := range *count {
		p, err := join(ctx, by, *addr, *pin, botName(i), newBot(*seed, i))
		if err != nil {
			return err
		}
		crew = append(crew, p)
	}
	fmt.Fprintf(c.out, "%d bots play\n", *count)
	err := loop(ctx, func(now time.Time) error {
		for _, p := range crew {
			if err := p.turn(now); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range crew {
		fmt.Fprintf(c.out, "%s: %s\n", p.name, p.bot.tally())
	}
	return err
}
