package main

import (
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// bot plays by itself: it goes for the nearest treasure, and for chests in particular until it has searched a
// few. Now and then it drops some gold or takes a wrong turn.
type bot struct {
	rng      *rand.Rand
	searched int
	pause    int // steps that it lets pass although it could act
}

const (
	botChests = 5  // chests that a bot searches before it cares for coins
	botDrop   = 4  // gold that a bot drops at once
	botWhimsy = 60 // it does something else once in so many times
	botDelay  = 2  // steps that it hesitates at most before it acts
	botPause  = 30 // steps that it waits after dropping gold
)

func newBot(seed uint64, author netcode.AuthorID) *bot {
	return &bot{rng: rand.New(rand.NewPCG(seed, uint64(author)))}
}

// act implements mind.
func (b *bot) act(p *peer, step netcode.Step) error {
	if !p.world.CanAct(p.author) {
		return nil
	}
	if b.pause > 0 {
		b.pause--
		return nil
	}
	b.pause = b.rng.IntN(botDelay + 1)
	me := p.world.Player(p.author)
	if b.rng.IntN(botWhimsy) == 0 {
		return b.whim(p, me, step)
	}
	if chest, ok := reach(p.world, me.At, game.Chest); ok {
		b.searched++
		return p.search(chest, step)
	}
	dir, ok := b.nearest(p.world, me.At)
	if !ok {
		return b.wander(p, step)
	}
	if next := me.At.Step(dir); p.world.At(next) == game.ClosedDoor {
		return p.toggle(next, step)
	}
	return p.move(dir, step)
}

// whim drops gold if there is enough. What is dropped is seen only when the authority has answered, and
// dropping takes time, so a bot that walked on at once would be called back.
func (b *bot) whim(p *peer, me *game.Player, step netcode.Step) error {
	if me.Score < 2*botDrop {
		return b.wander(p, step)
	}
	b.pause = botPause
	return p.drop(botDrop, step)
}

func (b *bot) wander(p *peer, step netcode.Step) error {
	return p.move(game.North+game.Dir(b.rng.IntN(4)), step)
}

// nearest returns the first move of a shortest way to a treasure. Closed doors count as open.
func (b *bot) nearest(w *game.World, from game.Pos) (game.Dir, bool) {
	type visit struct {
		at    game.Pos
		first game.Dir
	}
	seen := map[game.Pos]bool{from: true}
	queue := []visit{{at: from}}
	for len(queue) > 0 {
		here := queue[0]
		queue = queue[1:]
		if here.at != from && b.wants(w, here.at) {
			return here.first, true
		}
		for dir := game.North; dir <= game.West; dir++ {
			next := visit{here.at.Step(dir), here.first}
			if here.at == from {
				next.first = dir
			}
			if w.At(next.at) != game.Wall && !seen[next.at] {
				seen[next.at] = true
				queue = append(queue, next)
			}
		}
	}
	return 0, false
}

func (b *bot) wants(w *game.World, at game.Pos) bool {
	switch w.At(at) {
	case game.Chest:
		return true
	case game.Coin:
		return b.searched >= botChests
	}
	for _, l := range w.Loot {
		if l.At == at {
			return b.searched >= botChests
		}
	}
	return false
}
