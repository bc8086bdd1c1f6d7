package stress

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// The rate of games: a tick takes a sixtieth of a second.
const tick = time.Second / 60

// frameBytes is the size of what players and the server say to each other.
const frameBytes = 64

// playerToken is what honest players show. Whoever shows nothing is a guest, and none of the honest ones.
const playerToken = "honest"

func authenticator() citadel.Authenticator {
	return citadel.FirstOf(citadel.Tokens(map[string]string{playerToken: "player"}), citadel.Guests())
}

// delays is how late the ticks of a loop were, before the attack and during it.
type delays struct {
	attack *atomic.Bool
	calm   durations
	under  durations
}

func (d *delays) add(delay time.Duration) {
	if d.attack.Load() {
		d.under = append(d.under, delay)
	} else {
		d.calm = append(d.calm, delay)
	}
}

// every calls fn 60 times a second until the context ends, or fn returns false. A tick that comes too late is made
// up for by nothing: the next one comes as if it had been in time.
func every(ctx context.Context, fn func(late time.Duration) bool) {
	due := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		late := time.Since(due)
		if !fn(late) {
			return
		}
		due = due.Add(tick)
		if missed := time.Since(due); missed > 0 {
			due = due.Add(missed.Truncate(tick) + tick)
		}
		timer.Reset(time.Until(due))
	}
}

// game is the server's loop. It answers each frame of a player with the same frame.
type game struct {
	inbox *citadel.Inbox
	guest func(*citadel.Conn, uint64) // if set, called for each guest in each tick with the number of the tick
	late  delays

	// What the loop knows. It may be looked at when the loop has stopped.
	guests   map[*citadel.Conn]bool
	opened   int                  // guests that came
	ends     map[citadel.Code]int // why guests went
	frames   int                  // reliable envelopes of guests
	players  int                  // players that came
	lost     []error              // players that went
	echoes   int                  // frames answered
	failures []error              // answers that could not be sent
}

func newGame(inbox *citadel.Inbox, attack *atomic.Bool) *game {
	return &game{
		inbox: inbox, late: delays{attack: attack},
		guests: make(map[*citadel.Conn]bool), ends: make(map[citadel.Code]int),
	}
}

// run is the loop.
func (g *game) run(ctx context.Context) {
	var number uint64
	every(ctx, func(late time.Duration) bool {
		g.late.add(late)
		g.inbox.Drain(g.receive)
		number++
		if g.guest != nil {
			for c := range g.guests {
				g.guest(c, number)
			}
		}
		return true
	})
}

func (g *game) receive(e citadel.Event) {
	if e.Conn.Identity().Guest {
		g.receiveGuest(e)
		return
	}
	switch e.Kind {
	case citadel.Opened:
		g.players++
	case citadel.Session:
		g.echoes++
		if err := e.Conn.SendSession(e.Envelope.Body); err != nil {
			g.failures = append(g.failures, err)
		}
	case citadel.Closed:
		g.lost = append(g.lost, e.Err)
	}
}

func (g *game) receiveGuest(e citadel.Event) {
	switch e.Kind {
	case citadel.Opened:
		g.opened++
		g.guests[e.Conn] = true
	case citadel.Frame, citadel.Session:
		g.frames++
	case citadel.Closed:
		delete(g.guests, e.Conn)
		code := citadel.CodeNone
		if end, ok := e.Err.(*citadel.CloseError); ok {
			code = end.Code
		}
		g.ends[code]++
	}
}

// player is an honest client with a loop of its own.
type player struct {
	conn  *citadel.Conn
	late  delays
	trips delays // how long it took until a frame was answered

	sent  uint64
	got   uint64
	times []time.Time // when each frame was sent
	err   error
}

// join connects a player.
func join(ctx context.Context, addr string, attack *atomic.Bool) (*player, error) {
	conn, err := citadel.Dial(ctx, addr, citadel.DialConfig{
		Config: citadel.Config{HandshakeTimeout: patience, IdleTimeout: playerTimeout, KeepAlive: playerTimeout / 4},
		Token:  []byte(playerToken),
		Pin:    pin(),
	})
	if err != nil {
		return nil, err
	}
	return &player{conn: conn, late: delays{attack: attack}, trips: delays{attack: attack}}, nil
}

// playerTimeout is how long a player and the server believe in each other in silence. It is long because a machine that
// does other things, too, must not make a test fail.
const playerTimeout = 20 * time.Second

// play exchanges a frame in each tick until the context ends, or limit frames have been sent, and then waits until
// everything is answered.
func (p *player) play(ctx context.Context, limit uint64) error {
	every(ctx, func(late time.Duration) bool {
		p.late.add(late)
		p.conn.Inbox().Drain(p.receive)
		p.send()
		return p.err == nil && p.sent < limit
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for p.err == nil && p.got < p.sent {
		if err := p.conn.Inbox().Wait(ctx); err != nil {
			return fmt.Errorf("%d of %d frames were answered: %w", p.got, p.sent, err)
		}
		p.conn.Inbox().Drain(p.receive)
	}
	return p.err
}

func (p *player) send() {
	p.times = append(p.times, time.Now())
	p.sent++
	if err := p.conn.SendSession(numbered(p.sent)); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *player) receive(e citadel.Event) {
	switch {
	case p.err != nil:
	case e.Kind == citadel.Closed:
		p.err = e.Err
	case e.Kind == citadel.Session:
		if p.got >= p.sent || !bytes.Equal(e.Envelope.Body, numbered(p.got+1)) {
			p.err = fmt.Errorf("after answer %d of %d came %x", p.got, p.sent, e.Envelope.Body)
			return
		}
		p.trips.add(time.Since(p.times[p.got]))
		p.got++
	}
}

// numbered returns a frame that says which one it is.
func numbered(n uint64) []byte {
	b := make([]byte, frameBytes)
	for off := 0; off < frameBytes; off += 8 {
		binary.LittleEndian.PutUint64(b[off:], n+uint64(off))
	}
	return b
}
