//go:build !js

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bridge"
)

const serveText = `Runs a server until it is interrupted. It leaves a ticket in the directory -dir, by which join and bots find
and recognise it on the same machine; elsewhere, give them the address and the pin that it prints.

QUIC and WebTransport share a UDP port; WebSocket is served, without TLS, on a TCP port of the same number.`

// server is the authority of one game.
type server struct {
	*peer
	id     netcode.SessionID
	ticket ticket
	gate   *gate
	link   *bridge.Server
	pacer  pacer
	notify func(string) // tells what happens, in words
}

// serverConfig says what a server plays, and where.
type serverConfig struct {
	addr     string
	by       offer
	pages    []string // web pages that may connect
	settings game.Settings
	notify   func(string)
}

// newServer starts to listen. Its game begins with the first frame.
func newServer(cfg serverConfig) (*server, error) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		return nil, err
	}
	s := &server{ticket: ticket{Pin: pin}, notify: cfg.notify}
	if s.id, err = gameOf(pin); err != nil {
		return nil, err
	}
	if s.peer, err = newPeer(netcode.Server, s.id, authority, cfg.settings); err != nil {
		return nil, err
	}
	s.gate, err = listen(cfg.addr, cfg.by, cfg.pages, citadel.ListenConfig{
		Config: citadel.Config{
			ManualFlush:     true,     // see frame
			MaxSessionFrame: 64 << 10, // nothing that clients send comes near it
		},
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: citadel.AuthenticatorFunc(authenticate),
	})
	if err != nil {
		return nil, err
	}
	s.ticket.Addrs = s.gate.addrs
	s.link = bridge.NewServer(s.gate.listener, s.admit)
	if err := s.link.Router().Add(s.host); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// authenticate believes everybody's name. This is the place for passwords, sessions or signed tokens.
func authenticate(_ context.Context, token []byte) (citadel.Identity, error) {
	name := string(token)
	if !goodName(name) {
		return citadel.Identity{}, citadel.ErrAuthRequired
	}
	return citadel.Identity{UserID: name}, nil
}

// goodName reports whether a name can be shown as it is.
func goodName(name string) bool { return name != "" && game.NewName(name).String() == name }

// admit lets a connection that has been authenticated into the one game there is.
func (s *server) admit(c *citadel.Conn) (netcode.SessionID, netcode.AuthorID, error) {
	name := c.Identity().UserID
	s.notify(name + " has connected")
	return s.id, authorOf(name), nil
}

// start begins the game.
func (s *server) start(now time.Time) { s.pacer.start(s.host.Step(), now) }

// frame is one turn of the game loop: take in what has arrived, run the steps that are due, up to limit, and
// send what came of it.
func (s *server) frame(now time.Time, limit netcode.Step) error {
	s.link.Pump()
	for due := min(s.pacer.due(s.host.Step(), now), limit); s.host.Step() < due; {
		if err := s.tick(s.host.Step()+1, due); err != nil {
			return err
		}
		if err := s.link.Router().BroadcastStep(s.id); err != nil {
			return err
		}
	}
	s.link.Flush()
	for _, e := range s.host.Events() {
		s.handle(e)
	}
	return nil
}

func (s *server) handle(e session.Event) {
	if e.Kind == session.Refused {
		s.notify(fmt.Sprintf("refused command %v: %v", e.Header.Key, e.Err))
	}
}

// close ends all connections in good order.
func (s *server) close() error { return s.gate.close() }

func runServe(ctx context.Context, args []string, c console) error {
	f := newFlags("serve", serveText, c)
	by := offer{usual}
	f.Var(&by, "transport", "which `transport`: quic, ws (WebSocket), wt (WebTransport, and QUIC with it) or all")
	addr := f.String("addr", "127.0.0.1:7353", "address to listen on")
	page := f.String("page", "", "host and port of a web page whose WebSocket or WebTransport may connect")
	dir := f.String("dir", defaultDir(), "directory to leave the ticket in; empty for none")
	seed := f.Uint64("seed", 1, "seed of the maze")
	state := f.Int64("state", 0, "print the hash of the settled state every so many steps; 0 for never")
	verbose := f.Bool("v", false, "print connections and refused commands")
	if err := parse(f, args); err != nil {
		return err
	}
	notify := func(string) {}
	if *verbose {
		notify = func(text string) { fmt.Fprintln(c.err, text) }
	}
	cfg := serverConfig{addr: *addr, by: by, settings: game.DefaultSettings(*seed), notify: notify}
	if *page != "" {
		cfg.pages = []string{*page}
	}
	s, err := newServer(cfg)
	if err != nil {
		return err
	}
	if *dir != "" {
		if err := writeTicket(*dir, s.ticket); err != nil {
			return errors.Join(err, s.close())
		}
	}
	for _, t := range by {
		fmt.Fprintf(c.out, "serving at %s by %s\n", s.ticket.Addrs[t], t)
	}
	fmt.Fprintf(c.out, "pin %s\n", s.ticket.Pin)

	s.report = stateReport{out: c.out, every: *state, window: window}
	s.start(time.Now())
	err = loop(ctx, func(now time.Time) error { return s.frame(now, netcode.MaxStep) })
	fmt.Fprintf(c.out, "served %d steps\n", s.host.Step()+1)
	return errors.Join(err, s.close())
}
