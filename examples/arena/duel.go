package main

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// duel is what shots do to those who play: the server's rules of health and score. It changes replicated structs, and
// knows nothing of replication.
type duel struct {
	fighters map[uint32]*fighter // by object
	board    ScoreboardReplica
}

// fighter is a player in a duel.
type fighter struct {
	FighterReplica
	line netpeer.ElementID // on the board
	up   uint64            // the step at which it gets up, if it is down
}

const (
	damage   = 25          // of a shot that hits
	downTime = 2 * simRate // steps that a fighter stays down
)

func newDuel() *duel { return &duel{fighters: make(map[uint32]*fighter)} }

// enter lets a player in, with a name until it says another one.
func (d *duel) enter(object uint32) *fighter {
	f := new(fighter)
	f.SetName(fmt.Sprint("player ", object))
	f.SetHealth(fullHealth)
	f.line = d.board.Lines().Add(line(object, 0))
	d.fighters[object] = f
	return f
}

// leave takes a player out.
func (d *duel) leave(object uint32) {
	if f := d.fighters[object]; f != nil {
		d.board.Lines().Remove(f.line)
		delete(d.fighters, object)
	}
}

// hit is called for a shot that was found to hit something, a player or not. Who is down neither hits nor is hit.
func (d *duel) hit(shooter, target uint32, now uint64) {
	by := d.fighters[shooter]
	if by == nil || by.down() {
		return
	}
	by.SetHits(oneMore(by.Hits()))
	victim := d.fighters[target]
	if victim == nil || victim.down() {
		return
	}
	victim.SetHealth(victim.Health() - min(damage, victim.Health()))
	if !victim.down() {
		return
	}
	victim.SetDeaths(oneMore(victim.Deaths()))
	victim.up = now + downTime
	score, _ := d.board.Lines().At(by.line)
	d.board.Lines().Set(by.line, line(shooter, oneMore(score.score())))
}

// tick lets those get up who have been down for long enough. They do so where they are.
func (d *duel) tick(now uint64) {
	for _, f := range d.fighters {
		if f.down() && now >= f.up {
			f.SetHealth(fullHealth)
		}
	}
}

// down reports whether a fighter has been brought down.
func (r *FighterReplica) down() bool { return r.Health() == 0 }

func oneMore(n uint16) uint16 { return n + min(1, maxScore-n) }
