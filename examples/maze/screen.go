package main

import (
	"fmt"
	"io"
	"time"
)

// screen shows a player's world: as a picture on a terminal, as a line now and then elsewhere.
type screen struct {
	out    io.Writer
	live   bool
	every  time.Duration
	next   time.Time
	last   string // that note has been given
	buffer []byte
}

// newScreen returns a screen. Nothing is drawn, even on a terminal, if nobody looks.
func newScreen(c console, watched bool) *screen {
	s := &screen{out: c.out, live: c.live && watched, every: time.Second}
	if s.live {
		s.every = time.Second / 20
	}
	return s
}

// Terminal sequences: the cursor to the top left, and erase what is below it.
const (
	home  = "\x1b[H"
	erase = "\x1b[J"
)

func (s *screen) show(p *peer, now time.Time) {
	if now.Before(s.next) {
		return
	}
	s.next = now.Add(s.every)
	if s.live {
		s.buffer = append(s.buffer[:0], home+erase...)
		s.buffer = p.world.AppendPicture(s.buffer, p.author)
		s.buffer = append(s.buffer, '\n')
		s.buffer = fmt.Appendf(s.buffer, "%s\n\n%s\n", keysHelp, s.last)
	} else {
		s.buffer = appendStatus(s.buffer[:0], p)
	}
	_, _ = s.out.Write(s.buffer) // a terminal that has gone is no reason to stop
}

// note tells the player something.
func (s *screen) note(text string) {
	if s.live {
		s.last = text
		return
	}
	fmt.Fprintln(s.out, text)
}

func appendStatus(dst []byte, p *peer) []byte {
	dst = fmt.Appendf(dst, "step %d, %d players", p.host.Step(), len(p.world.Players))
	if me := p.world.Player(p.author); me != nil {
		dst = fmt.Appendf(dst, ", %d gold, health %d", me.Score, me.Health)
	}
	return append(dst, '\n')
}
