package game

import (
	"cmp"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Durations, in steps.
const (
	ActEvery   = 6   // a player acts at most once in so many steps
	downTime   = 120 // how long a player that lost all health lies down
	safeTime   = 60  // how long spikes spare a player that they have just hurt
	spikeCycle = 120 // spikes are up for one half of it and down for the other
	pauseTime  = 300 // between two rounds
)

// Amounts of gold.
const (
	// HopedGold is what a player predicts to find in a chest: more than there ever is. The authority decides
	// how much it is, so every search is corrected. That is what an optimistic prediction looks like.
	HopedGold = 20

	maxPieces = 4 // into how many pieces dropped gold falls apart
)

// acting returns the player of an author if it may act now, or nil. It is where an executor decides whether
// its command still makes sense: the world at the command's step may not be the one that the author saw.
func (s *State) acting(author netcode.AuthorID) *Player {
	p := s.Player(author)
	if p == nil || s.Over || p.Health == 0 || p.Wait > 0 {
		return nil
	}
	return p
}

// CanAct reports whether a command of the author would do anything in the next step.
func (s *State) CanAct(author netcode.AuthorID) bool { return s.acting(author) != nil }

// join lets an author in, if there is room and it is not in already.
func (s *State) join(author netcode.AuthorID, name Name) {
	if len(s.Players) == MaxPlayers || s.Player(author) != nil {
		return
	}
	s.Players = append(s.Players, Player{Author: author, Name: name})
	s.stand(len(s.Players) - 1)
}

// stand puts a player on its feet, at home.
func (s *State) stand(i int) {
	p := &s.Players[i]
	p.At, p.Health, p.Safe, p.Down = s.Homes[i], MaxHealth, safeTime, 0
}

func (s *State) move(author netcode.AuthorID, dir Dir) {
	p := s.acting(author)
	if p == nil {
		return
	}
	to := p.At.Step(dir)
	if !s.At(to).Walkable() {
		return
	}
	p.At, p.Wait = to, ActEvery
	s.pickUp(p)
}

// pickUp gives a player what lies where it has just arrived.
func (s *State) pickUp(p *Player) {
	if s.At(p.At) == Coin {
		s.set(p.At, Floor)
		p.Score++
	}
	s.Loot = slices.DeleteFunc(s.Loot, func(l Loot) bool {
		if l.At != p.At {
			return false
		}
		p.Score += uint32(l.Gold)
		return true
	})
}

// toggle opens or closes a door next to the player. A door does not close on anybody.
func (s *State) toggle(author netcode.AuthorID, door Pos) {
	p := s.acting(author)
	if p == nil || p.At.Distance(door) > 1 {
		return
	}
	switch s.At(door) {
	case ClosedDoor:
		s.set(door, OpenDoor)
	case OpenDoor:
		if s.occupied(door) {
			return
		}
		s.set(door, ClosedDoor)
	default:
		return
	}
	p.Wait = ActEvery
}

func (s *State) occupied(at Pos) bool {
	return slices.ContainsFunc(s.Players, func(p Player) bool { return p.At == at })
}

// search empties a chest under or next to the player.
func (s *State) search(author netcode.AuthorID, chest Pos, gold uint16) {
	p := s.acting(author)
	if p == nil || p.At.Distance(chest) > 1 || s.At(chest) != Chest {
		return
	}
	s.set(chest, EmptyChest)
	p.Score += uint32(gold)
	p.Wait = ActEvery
}

// drop scatters some of a player's gold around it. The pieces get the ids from first on, and seed decides
// where they roll.
func (s *State) drop(author netcode.AuthorID, gold uint16, first, seed uint64) {
	p := s.acting(author)
	if p == nil {
		return
	}
	p.Wait = ActEvery
	d := newDice(seed)
	left := uint16(min(uint32(gold), p.Score))
	for i := range pieces(gold) {
		if left == 0 || len(s.Loot) == MaxLoot {
			return
		}
		part := max(left/uint16(pieces(gold)-i), 1)
		if !s.place(Loot{ID: first + uint64(i), At: s.roll(p.At, &d), Gold: part}) {
			return
		}
		left -= part
		p.Score -= uint32(part)
	}
}

// pieces returns into how many pieces some gold falls apart.
func pieces(gold uint16) uint32 { return min(uint32(gold), maxPieces) }

// roll takes a few steps from a square in random directions and returns where they end.
func (s *State) roll(at Pos, d *dice) Pos {
	for range 4 {
		if next := at.Step(North + Dir(d.below(4))); s.At(next).Walkable() {
			at = next
		}
	}
	return at
}

// place puts a piece of loot at its place in the list. Ids are unique, except in a session whose allocator
// was set back by hand; then the first piece stays.
func (s *State) place(l Loot) bool {
	i, taken := slices.BinarySearchFunc(s.Loot, l.ID, func(l Loot, id uint64) int { return cmp.Compare(l.ID, id) })
	if taken {
		return false
	}
	s.Loot = slices.Insert(s.Loot, i, l)
	return true
}

// pass lets one step of time pass for a player.
func (s *State) pass(i int) {
	p := &s.Players[i]
	p.Wait = lower(p.Wait)
	p.Safe = lower(p.Safe)
	if p.Health == 0 {
		if p.Down = lower(p.Down); p.Down == 0 {
			s.stand(i)
		}
		return
	}
	if s.At(p.At) == Spikes && SpikesUp(s.Step) && p.Safe == 0 {
		hurt(p)
	}
}

func lower(counter uint8) uint8 { return counter - min(counter, 1) }

// hurt takes one health. A player that has none left loses a quarter of its gold and lies down.
func hurt(p *Player) {
	p.Health--
	p.Safe = safeTime
	if p.Health == 0 {
		p.Down = downTime
		p.Score -= p.Score / 4
	}
}

// judge ends the round when somebody has reached the goal or no coin is left. Whoever joined first wins a
// tie.
func (s *State) judge() {
	if len(s.Players) == 0 {
		return
	}
	best := 0
	for i := range s.Players {
		if s.Players[i].Score > s.Players[best].Score {
			best = i
		}
	}
	winner := &s.Players[best]
	if winner.Score < s.Goal && slices.Contains(s.Tiles, Coin) {
		return
	}
	winner.Wins++
	s.Over, s.Winner, s.Pause = true, winner.Author, pauseTime
}

// nextRound digs a new maze and sends everybody home with nothing but the rounds they have won.
func (s *State) nextRound() {
	s.Round++
	s.Over, s.Winner, s.Pause = false, 0, 0
	s.Loot = s.Loot[:0]
	s.dig()
	for i := range s.Players {
		p := &s.Players[i]
		p.Score, p.Wait = 0, 0
		s.stand(i)
	}
}
