// Package reentry calls back into the session.
package reentry

import (
	"errors"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
)

type Move struct{ Dir uint8 }

type Jump struct{}

type game struct {
	host   *session.Host
	server *session.Server
	jump   *session.Commands[Jump]
	todo   []func()
	step   netcode.Step
}

var _ netcode.Simulation = (*game)(nil)

func (g *game) Tick(step netcode.Step) {
	g.step = step
	g.jump.Send(Jump{}, step+1) // want `Commands.Send is called by Tick of the simulation, and the session is busy then: it refuses with session.ErrBusy; note what is to be sent, and send it after the tick`
	g.announce()
}

func (g *game) announce() {
	g.server.BroadcastStep(1) // want `Server.BroadcastStep is called by Tick of the simulation, which gets here through announce, and the session is busy then`
}

func (g *game) AppendBinary(dst []byte) ([]byte, error) {
	s, err := g.host.Capture() // want `Host.Capture is called by AppendBinary of the simulation`
	return append(dst, s.Model...), err
}

func (g *game) UnmarshalBinary(data []byte) error {
	return g.host.Tick(g.step) // want `Host.Tick is called by UnmarshalBinary of the simulation`
}

func (g *game) moving() session.Handlers[Move] {
	return session.Handlers[Move]{
		Validate: func(c netcode.Command[Move], at netcode.Step) error {
			_, err := g.host.Cancel(c.Header.Key) // want `Host.Cancel is called by the validator`
			return err
		},
		Mutate: func(c *netcode.Command[Move], _ *netcode.Preparation) error {
			steps := []netcode.Step{3, 1, 2}
			slices.SortFunc(steps, func(a, b netcode.Step) int {
				g.jump.Send(Jump{}, a) // want `Commands.Send is called by the mutator`
				return int(a - b)
			})
			return nil
		},
		Execute: g.move,
	}
}

func (g *game) move(c netcode.Command[Move]) {
	defer func() {
		g.jump.Send(Jump{}, c.Header.Step) // want `Commands.Send is called by the executor`
	}()
	send(g.jump, c.Header.Step)
}

func send[T any](c *session.Commands[T], step netcode.Step) {
	var none T
	c.Send(none, step) // want `Commands.Send is called by the executor, which gets here through send`
}

// handle is a helper, as games have them.
func handle[T any](h *session.Host, t registry.Type[T], execute func(netcode.Command[T])) error {
	_, err := session.Handle(h, t, session.Handlers[T]{Execute: execute})
	return err
}

type Dig struct{}

func (g *game) digging(t registry.Type[Dig]) error {
	return handle(g.host, t, func(c netcode.Command[Dig]) {
		g.host.Tick(c.Header.Step) // want `Host.Tick is called by the executor`
	})
}

// What follows is fine.

func (g *game) jumping() session.Handlers[Jump] {
	return session.Handlers[Jump]{Execute: func(c netcode.Command[Jump]) {
		step := c.Header.Step
		g.todo = append(g.todo, func() { g.jump.Send(Jump{}, step) })
		_, _ = g.host.Step(), g.host.NextSequence()
	}}
}

func (g *game) frame(step netcode.Step) error {
	_, err := g.jump.Send(Jump{}, step)
	err = errors.Join(err, g.host.Tick(step))
	for _, f := range g.todo {
		f()
	}
	g.todo = g.todo[:0]
	return err
}
