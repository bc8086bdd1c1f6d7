//go:build !js

package main

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// gate is where a server lets clients in.
type gate struct {
	listener *citadel.Listener
	addr     string // host and port
	pin      string // of the certificate

	web     *http.Server // for WebSocket; nil without it
	serving sync.WaitGroup
}

// listen opens a socket on an address.
func listen(by transport, addr string) (*gate, error) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		return nil, err
	}
	cfg := citadel.ListenConfig{
		Config: citadel.Config{ManualFlush: true}, // the loop flushes once in a turn
		TLS:    &tls.Config{Certificates: []tls.Certificate{cert}},
	}
	g := &gate{pin: pin}
	if by == overWS {
		return g, g.listenTCP(addr, cfg)
	}
	if by == overWT {
		cfg.ALPN = wt.NewServer(wt.Options{}).ALPN()
	}
	if g.listener, err = citadel.Listen(addr, cfg); err != nil {
		return nil, err
	}
	g.addr = g.listener.Addr().String()
	return g, nil
}

func (g *gate) listenTCP(addr string, cfg citadel.ListenConfig) (err error) {
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if g.listener, err = citadel.NewListener(cfg); err != nil {
		return errors.Join(err, tcp.Close())
	}
	g.addr = tcp.Addr().String()
	g.web = ws.NewServer(g.listener, ws.Options{})
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
