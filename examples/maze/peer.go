package main

import (
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
)

// rulesVersion must change with the rules, so that peers of different versions refuse to play together.
const rulesVersion = 1

const (
	// window is how many steps a command may be late. The authority keeps that much history.
	window = 120

	// clientWindow is longer: a client runs ahead of the authority, and hears of a late command later still.
	clientWindow = 3 * window
)

// authority is the author that the server itself would issue commands as.
const authority netcode.AuthorID = 0

// authorOf turns a player's name into the author of its commands. Being a function of the name, it survives
// restarts of either end. A real game has accounts with numbers.
func authorOf(name string) netcode.AuthorID {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return netcode.AuthorID(max(h.Sum32(), uint32(authority)+1))
}

// peer is one participant's side of the game: a world, and the session that moves it.
type peer struct {
	author   netcode.AuthorID
	world    *game.World
	host     *session.Host
	commands game.Commands

	asked  netcode.Step // step at which we last asked to be let in
	report stateReport
}

// newPeer puts the parts together. The settings matter only to an authority; a client gets its world from
// there.
func newPeer(mode netcode.Mode, id netcode.SessionID, author netcode.AuthorID, settings game.Settings) (*peer, error) {
	world, err := game.New(settings)
	if err != nil {
		return nil, err
	}
	table := registry.New()
	types, err := game.RegisterCommands(table)
	if err != nil {
		return nil, err
	}
	depth := window
	if mode == netcode.Client {
		depth = clientWindow
	}
	model, err := rollback.New(world, rollback.Config{Depth: depth})
	if err != nil {
		return nil, err
	}
	host, err := session.NewHost(session.Config{
		Start: netcode.Start{
			Session:  id,
			Protocol: game.CommandDigest ^ rulesVersion,
			Author:   author,
			Seed:     settings.Seed,
		},
		Mode:     mode,
		Registry: table,
		Model:    model,
		Limits:   session.Limits{Lead: 2 * maxLead},
	})
	if err != nil {
		return nil, err
	}
	commands, err := game.Handle(host, types, world)
	if err != nil {
		return nil, err
	}
	return &peer{author: author, world: world, host: host, commands: commands, asked: -askAgain}, nil
}

// tick runs a step. announced is the last step that the authority is known to have completed.
func (p *peer) tick(step, announced netcode.Step) error {
	if err := p.host.Tick(step); err != nil {
		return err
	}
	return p.report.print(p, announced)
}

// issue sends a command for a step.
func issue[T any](c *session.Commands[T], payload T, step netcode.Step) error {
	_, err := c.Send(payload, step)
	if _, refused := errors.AsType[*session.RefusedError](err); refused {
		return nil // refused on the spot: the game goes on without it
	}
	if err != nil {
		return fmt.Errorf("issue a command: %w", err)
	}
	return nil
}

// askAgain is after how many steps a player asks again to be let in.
const askAgain = 120

// play lets a player do what it wants to do in a step. Who is not in the game first asks to be let in.
func (p *peer) play(name string, m mind, step netcode.Step) error {
	if p.world.Player(p.author) != nil {
		return m.act(p, step)
	}
	if step < p.asked+askAgain {
		return nil
	}
	p.asked = step
	return issue(p.commands.Join, game.Join{Name: game.NewName(name)}, step)
}

// hash returns a fingerprint of the present state.
func (p *peer) hash() (string, error) {
	state, err := p.world.AppendBinary(nil)
	if err != nil {
		return "", err
	}
	return game.Hash(state), nil
}

// settledHash returns a fingerprint of the state at the end of a step that can no longer change, and that
// step: peers that agree have the same one.
func (p *peer) settledHash() (string, netcode.Step, error) {
	s, err := p.host.Capture()
	if err != nil {
		return "", 0, err
	}
	// A model's bytes begin with the step, which is in the cursor as well.
	return game.Hash(s.Model[8:]), s.Cursor.Step, nil
}
