// Package payload has handlers that keep what belongs to others.
package payload

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
)

type Paint struct {
	Brush  uint8
	Pixels []uint16
}

type Move struct{ Dir uint8 }

type game struct {
	pixels  []uint16
	byBrush map[uint8][]uint16
	last    *netcode.Command[Move]
	paint   Paint
	prep    *netcode.Preparation
	moves   *Move
	raw     []byte
}

var options = registry.Options[Paint]{Shared: true}

func (g *game) painting() session.Handlers[Paint] {
	return session.Handlers[Paint]{
		Validate: func(c netcode.Command[Paint], _ netcode.Step) error {
			g.pixels = c.Payload.Pixels // want `the validator keeps what the payload points to in g.pixels, and it may belong to whoever sent the command: copy it`
			return nil
		},
		Mutate: func(c *netcode.Command[Paint], prep *netcode.Preparation) error {
			g.byBrush[c.Payload.Brush] = c.Payload.Pixels[1:] // want `the mutator keeps the command in g.byBrush`
			g.prep = prep                                     // want `the mutator keeps the Preparation in g.prep, and it is a copy that is forgotten: take out what is needed`
			return nil
		},
		Execute: g.execute,
	}
}

func (g *game) execute(c netcode.Command[Paint]) {
	p := c.Payload
	g.paint = p // want `the executor keeps what the payload points to in g.paint, and the type is registered as Shared`
}

func (g *game) moving() (h session.Handlers[Move]) {
	h.Mutate = func(c *netcode.Command[Move], _ *netcode.Preparation) error {
		g.last = c           // want `the mutator keeps the command in g.last, and it is used again for the next one: take out what is needed`
		g.moves = &c.Payload // want `the mutator keeps the command in g.moves`
		return nil
	}
	return h
}

func (g *game) validators() []session.Validator {
	seen := map[netcode.TypeID][]byte{}
	return []session.Validator{
		func(h netcode.Header, payload []byte, _ netcode.Step) error {
			seen[h.Type] = payload // want `the validator keeps the payload in seen, and it is part of a frame that is used again: copy it`
			return nil
		},
		g.validate,
		validate,
	}
}

func (g *game) validate(_ netcode.Header, payload []byte, _ netcode.Step) error {
	g.raw = payload[:1] // want `the validator keeps the payload in g.raw`
	return nil
}

func validate(_ netcode.Header, payload []byte, _ netcode.Step) error {
	keep(slices.Clip(payload)) // want `the validator keeps the payload in kept by calling keep`
	return nil
}

var kept []byte

func keep(b []byte) { kept = b }
