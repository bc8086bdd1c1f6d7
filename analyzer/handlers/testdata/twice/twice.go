// Package twice handles commands twice.
package twice

import (
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
)

type Move struct{}

type Jump struct{}

var (
	move registry.Type[Move]
	jump registry.Type[Jump]

	moving  = session.Handlers[Move]{Execute: func(netcode.Command[Move]) {}}
	jumping = session.Handlers[Jump]{Execute: func(netcode.Command[Jump]) {}}
)

func plain(h *session.Host) {
	session.Handle(h, move, moving)
	session.Handle(h, jump, jumping)
	session.Handle(h, move, moving) // want `Move is handled a second time on the same host`
}

func nested(h *session.Host, debug bool) error {
	if _, err := session.Handle(h, move, moving); err != nil {
		return err
	}
	if debug {
		_, err := session.Handle(h, move, moving) // want `Move is handled a second time`
		return err
	}
	return nil
}

func inLiteral() func(*session.Host) {
	return func(h *session.Host) {
		session.Handle(h, move, moving)
		for range 2 {
			session.Handle(h, move, moving) // want `Move is handled a second time`
		}
	}
}

// The rest is fine.

func branches(h *session.Host, debug bool) {
	if debug {
		session.Handle(h, move, session.Handlers[Move]{Execute: func(netcode.Command[Move]) {}})
	} else {
		session.Handle(h, move, moving)
	}
	switch {
	case debug:
		session.Handle(h, jump, jumping)
	default:
		session.Handle(h, jump, jumping)
	}
}

func perhaps(h *session.Host, debug bool) {
	if debug {
		session.Handle(h, move, moving)
		return
	}
	session.Handle(h, move, moving)
}

func other(a, b *session.Host) {
	session.Handle(a, move, moving)
	session.Handle(b, move, moving)
}

func replaced(h *session.Host, cfg session.Config) {
	session.Handle(h, move, moving)
	h, _ = session.NewHost(cfg)
	session.Handle(h, move, moving)
}

func each(hosts []*session.Host) {
	for _, h := range hosts {
		session.Handle(h, move, moving)
	}
	for _, h := range hosts {
		session.Handle(h, jump, jumping)
	}
}

func generic[T any](h *session.Host, a, b registry.Type[T], handlers session.Handlers[T]) {
	session.Handle(h, a, handlers)
	session.Handle(h, b, handlers)
}
