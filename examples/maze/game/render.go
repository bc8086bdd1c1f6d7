package game

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// glyphs are what the tiles look like. Spikes are drawn by hand, because they move.
var glyphs = [tileKinds]byte{
	Wall: '#', Floor: ' ', Coin: '.', ClosedDoor: '+', OpenDoor: '/', Chest: '$', EmptyChest: 'u',
}

// AppendPicture appends the world as lines of text, as the player of author you sees it: itself as @, the
// others by the first letter of their names, dead ones as %. Below the maze is a line per player.
func (s *State) AppendPicture(dst []byte, you netcode.AuthorID) []byte {
	for y := range s.Height() {
		for x := range s.Width() {
			dst = append(dst, s.glyph(Pos{uint8(x), uint8(y)}, you))
		}
		dst = append(dst, '\n')
	}
	for i := range s.Players {
		p := &s.Players[i]
		dst = fmt.Appendf(dst, "%c %-*s %4d gold, health %d, won %d", face(p, you), NameSize, p.Name, p.Score, p.Health, p.Wins)
		if s.Over && p.Author == s.Winner {
			dst = append(dst, " - has won this round!"...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// glyph returns what is on top: players, then loot, then the floor.
func (s *State) glyph(at Pos, you netcode.AuthorID) byte {
	top := byte(0)
	for i := range s.Players {
		if p := &s.Players[i]; p.At == at && (top == 0 || p.Author == you) {
			top = face(p, you)
		}
	}
	if top != 0 {
		return top
	}
	for _, l := range s.Loot {
		if l.At == at {
			return '*'
		}
	}
	t := s.At(at)
	switch {
	case t != Spikes:
		return glyphs[t]
	case SpikesUp(s.Step):
		return '^'
	}
	return '_'
}

func face(p *Player, you netcode.AuthorID) byte {
	switch {
	case p.Health == 0:
		return '%'
	case p.Author == you:
		return '@'
	case p.Name.len() == 0:
		return '?'
	}
	return p.Name[0]
}
