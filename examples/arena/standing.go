package main

import (
	"cmp"
	"fmt"
	"slices"
)

// standing is all that there is to see of a fighter, for comparing what a server and clients have.
type standing struct {
	object       uint32
	name         string
	emote        Emote
	health       uint8
	hits, deaths uint16
	score        uint16
}

// String returns the numbers of the standing in short: health, hits, deaths and score.
func (r standing) String() string {
	return fmt.Sprintf("%d/%d/%d/%d", r.health, r.hits, r.deaths, r.score)
}

// standings returns a standing for each line on a board, by ascending object. Where there is no fighter it is empty.
func standings(board *ScoreboardReplica, find func(object uint32) *FighterReplica) []standing {
	var list []standing
	for _, l := range board.Lines().All() {
		r := standing{object: l.object(), score: l.score()}
		if f := find(r.object); f != nil {
			r.name, r.emote, r.health, r.hits, r.deaths = f.Name(), f.Emote(), f.Health(), f.Hits(), f.Deaths()
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b standing) int { return cmp.Compare(a.object, b.object) })
	return list
}

// standings returns what the server has.
func (d *duel) standings() []standing {
	return standings(&d.board, func(object uint32) *FighterReplica {
		if f := d.fighters[object]; f != nil {
			return &f.FighterReplica
		}
		return nil
	})
}

// standings returns what the client has.
func (s *scores) standings() []standing {
	return standings(&s.board, func(object uint32) *FighterReplica { return s.fighters[object] })
}
