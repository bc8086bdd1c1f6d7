//go:build !js

package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// offer is a flag: the transports that a server can be reached by.
type offer []transport

// String implements flag.Value.
func (o *offer) String() string {
	names := make([]string, len(*o))
	for i, t := range *o {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

// Set implements flag.Value.
func (o *offer) Set(text string) error {
	if text == "all" {
		*o = transports
		return nil
	}
	var t transport
	if err := t.Set(text); err != nil {
		return fmt.Errorf("%w, or all", err)
	}
	*o = offer{t}
	if t == overWT {
		*o = offer{overQUIC, overWT} // whose socket it shares
	}
	return nil
}

// gate is where a server lets clients in. All connections end up in one listener, whatever they are made of.
type gate struct {
	listener *citadel.Listener
	addrs    map[transport]string

	web     *http.Server // for WebSocket; nil without it
	serving sync.WaitGroup
}

// listen opens what the transports need: a UDP socket, a TCP socket or both. pages are the web pages that may
// connect, beside those that come from the same address.
func listen(addr string, by offer, pages []string, cfg citadel.ListenConfig) (*gate, error) {
	g := &gate{addrs: make(map[transport]string)}
	if err := g.listenUDP(addr, by, pages, cfg); err != nil {
		return nil, err
	}
	if slices.Contains(by, overWS) {
		if err := g.listenTCP(addr, pages); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	return g, nil
}

func (g *gate) listenUDP(addr string, by offer, pages []string, cfg citadel.ListenConfig) (err error) {
	if !slices.Contains(by, overQUIC) {
		g.listener, err = citadel.NewListener(cfg)
		return err
	}
	if slices.Contains(by, overWT) {
		cfg.ALPN = wt.NewServer(wt.Options{Origins: pages}).ALPN()
	}
	if g.listener, err = citadel.Listen(addr, cfg); err != nil {
		return err
	}
	for _, t := range by {
		if t != overWS {
			g.addrs[t] = g.listener.Addr().String()
		}
	}
	return nil
}

func (g *gate) listenTCP(addr string, pages []string) error {
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	g.addrs[overWS] = tcp.Addr().String()
	g.web = ws.NewServer(g.listener, ws.Options{Origins: pages})
	g.serving.Go(func() { _ = g.web.Serve(tcp) }) // until it is closed
	return nil
}

// close ends all connections in good order.
func (g *gate) close() error {
	var err error
	if g.web != nil {
		err = g.web.Close() // before the listener, so that no more WebSockets come
	}
	err = errors.Join(err, g.listener.Close())
	g.serving.Wait()
	return err
}
