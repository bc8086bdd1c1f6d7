package main

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// mind decides what a player does: a bot or a human at the keyboard.
type mind interface {
	// act may issue a command through p for a step, which is the next one to run. It is called once per step
	// while the player is in the game.
	act(p *peer, step netcode.Step) error
}

// errQuit is what a mind returns when it has had enough.
var errQuit = errors.New("player has quit")

// reach returns the first of some kinds of tiles that the player stands on or next to.
func reach(w *game.World, at game.Pos, kinds ...game.Tile) (game.Pos, bool) {
	for _, kind := range kinds {
		for dir := game.Dir(0); dir <= game.West; dir++ { // 0 stays where it is
			if p := at.Step(dir); w.At(p) == kind {
				return p, true
			}
		}
	}
	return game.Pos{}, false
}

// search searches a chest. How much is in it only the authority knows.
func (p *peer) search(chest game.Pos, step netcode.Step) error {
	return issue(p.commands.Search, game.Search{Chest: chest, Gold: game.HopedGold}, step)
}

func (p *peer) toggle(door game.Pos, step netcode.Step) error {
	return issue(p.commands.ToggleDoor, game.ToggleDoor{Door: door}, step)
}

func (p *peer) move(dir game.Dir, step netcode.Step) error {
	return issue(p.commands.Move, game.Move{Dir: dir}, step)
}

func (p *peer) drop(gold uint16, step netcode.Step) error {
	return issue(p.commands.DropLoot, game.DropLoot{Gold: gold}, step)
}
