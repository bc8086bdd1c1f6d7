// Package executor has commands without an executor.
package executor

import (
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
)

//netcode:command
type Move struct{ Dir uint8 }

//netcode:command
type Jump struct{} // want `Jump is a command, but this package handles others and not this one`

//netcode:command
type Dig struct{}

//netcode:command
type Say struct{}

//netcode:command
type Wave struct{}

//netcode:command
type Nod struct{}

// Plain is no command.
type Plain struct{}

type types struct {
	move registry.Type[Move]
	jump registry.Type[Jump]
	dig  registry.Type[Dig]
	say  registry.Type[Say]
	wave registry.Type[Wave]
	nod  registry.Type[Nod]
}

func handle(h *session.Host, t types) {
	session.Handle(h, t.move, session.Handlers[Move]{Execute: func(netcode.Command[Move]) {}})
	session.Handle(h, t.dig, session.Handlers[Dig]{ // want `Dig is handled without an executor, so it does nothing`
		Validate: func(netcode.Command[Dig], netcode.Step) error { return nil },
	})
	session.Handle(h, t.say, session.Handlers[Say]{Execute: nil}) // said so
	session.Handle(h, t.wave, waving())

	// Not written down here, so anything may be in it.
	var nodding session.Handlers[Nod]
	nodding.Execute = func(netcode.Command[Nod]) {}
	session.Handle(h, t.nod, nodding)
}

func waving() session.Handlers[Wave] {
	return session.Handlers[Wave]{} // want `Wave is handled without an executor`
}
