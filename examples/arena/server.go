//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

const serveText = `Runs a server until it is interrupted. It prints the address and the pin that "arena bots" asks for.`

// host is the authority: a field, and the connections of those who play on it.
type host struct {
	*field
	gate   *gate
	live   *live.Server
	ledger *ledger
	pace   pacer
	take   func(citadel.Event) // what handles events; made once
}

// newHost starts to listen. Its game begins with the first turn.
func newHost(by transport, addr string, r rules, notify func(string)) (*host, error) {
	f, err := newField(r)
	if err != nil {
		return nil, err
	}
	l, err := newLedger(f.duel)
	if err != nil {
		return nil, err
	}
	g, err := listen(by, addr)
	if err != nil {
		return nil, err
	}
	h := &host{field: f, gate: g, ledger: l}
	h.live = live.NewServer(g.listener, f.world, live.ServerConfig{
		Joined: func(c *citadel.Conn, client *server.Client) {
			if err := l.join(c, client); err != nil {
				c.Disconnect(live.CodeRefused, err.Error())
			}
			notify(fmt.Sprintf("participant %d has joined", client.Participant()))
		},
		Left: func(c *citadel.Conn, client *server.Client) {
			l.leave(c, client)
			notify(fmt.Sprintf("participant %d has left", client.Participant()))
		},
	})
	h.take = func(e citadel.Event) {
		if !l.link.Handle(e) { // each takes what is its own
			h.live.Handle(e)
		}
	}
	return h, nil
}

// turn is one turn of the game loop: take in what has arrived, take the steps that are due, and tell about each. done is
// called after every step. An error is a fault of the program.
func (h *host) turn(now time.Time, done func()) error {
	h.gate.listener.Inbox().Drain(h.take)
	for range h.pace.due(now) {
		h.tick()
		h.live.Send()
		if err := h.ledger.send(); err != nil {
			return err
		}
		done()
	}
	h.live.Flush()
	return nil
}

// close ends all connections in good order.
func (h *host) close() error { return h.gate.close() }

func runServe(ctx context.Context, args []string, c console) error {
	f := newFlags("serve", serveText, c)
	by, r := usual, rules{}
	f.Var(&by, "transport", "which `transport`: quic, ws (WebSocket) or wt (WebTransport)")
	addr := f.String("addr", "127.0.0.1:7354", "address to listen on")
	f.IntVar(&r.movers, "movers", 8, "number of figures that move by themselves")
	f.IntVar(&r.players, "players", 16, "number of players that can play at a time")
	rate := f.Int("rate", 20, "snapshots a second, up to 60")
	verbose := f.Bool("v", false, "print who comes and goes")
	if err := parse(f, args); err != nil {
		return err
	}
	if err := r.check(*rate); err != nil {
		return err
	}
	notify := func(string) {}
	if *verbose {
		notify = func(text string) { fmt.Fprintln(c.err, text) }
	}
	h, err := newHost(by, *addr, r, notify)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "serving at %s by %s\npin %s\n", h.gate.addr, by, h.gate.pin)
	err = loop(ctx, func(now time.Time) error {
		return h.turn(now, func() {})
	})
	fmt.Fprintf(c.out, "served %d steps, %d shots, %d hits\n", h.world.Now(), h.shots, h.hits)
	return errors.Join(err, h.close())
}

// check reports what of the rules makes no sense, and takes the send rate over.
func (r *rules) check(rate int) error {
	switch {
	case r.movers < 0 || r.movers > maxMovers:
		return fmt.Errorf("-movers %d: from 0 to %d can move", r.movers, maxMovers)
	case r.players < 1 || r.players > maxPlayers:
		return fmt.Errorf("-players %d: from 1 to %d can play", r.players, maxPlayers)
	case rate < 1 || rate > simRate:
		return fmt.Errorf("-rate %d: from 1 to %d snapshots a second", rate, simRate)
	}
	r.sendRate = uint8(rate)
	return nil
}
