package game

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

// Refusals by validators. They stay with the authority: a player only learns that its command was refused.
var (
	ErrNotPlaying = errors.New("game: author has not joined")
	ErrPlaying    = errors.New("game: author has joined already")
	ErrFull       = errors.New("game: no room for another player")
	ErrBadName    = errors.New("game: not a name")
	ErrRoundOver  = errors.New("game: the round is over")
	ErrDown       = errors.New("game: player lies down")
	ErrTooSoon    = errors.New("game: player has acted a moment ago")
	ErrTooFar     = errors.New("game: out of reach")
	ErrBadMove    = errors.New("game: not a direction")
	ErrNoDoor     = errors.New("game: no door there")
	ErrNoChest    = errors.New("game: no chest there")
	ErrNoGold     = errors.New("game: nothing to drop")
)

// Commands issue the game's commands through one host.
type Commands struct {
	Join       *session.Commands[Join]
	Move       *session.Commands[Move]
	ToggleDoor *session.Commands[ToggleDoor]
	Search     *session.Commands[Search]
	DropLoot   *session.Commands[DropLoot]
}

// Handle lets the commands of a host act on w, which must be the world of the host's model.
func Handle(h *session.Host, t CommandTypes, w *World) (Commands, error) {
	var c Commands
	var errs [5]error
	c.Join, errs[0] = session.Handle(h, t.Join, w.joining())
	c.Move, errs[1] = session.Handle(h, t.Move, w.moving())
	c.ToggleDoor, errs[2] = session.Handle(h, t.ToggleDoor, w.toggling())
	c.Search, errs[3] = session.Handle(h, t.Search, w.searching())
	c.DropLoot, errs[4] = session.Handle(h, t.DropLoot, w.dropping())
	return c, errors.Join(errs[:]...)
}

func (w *World) joining() session.Handlers[Join] {
	return session.Handlers[Join]{
		Validate: func(c netcode.Command[Join], _ netcode.Step) error {
			switch {
			case !c.Payload.Name.valid():
				return ErrBadName
			case w.Player(c.Header.Key.Author) != nil:
				return ErrPlaying
			case len(w.Players) == MaxPlayers:
				return ErrFull
			}
			return nil
		},
		Execute: func(c netcode.Command[Join]) { w.join(c.Header.Key.Author, c.Payload.Name) },
	}
}

func (w *World) moving() session.Handlers[Move] {
	return session.Handlers[Move]{
		Validate: func(c netcode.Command[Move], at netcode.Step) error {
			if !c.Payload.Dir.Valid() {
				return ErrBadMove
			}
			return w.mayAct(c.Header, at)
		},
		Execute: func(c netcode.Command[Move]) { w.move(c.Header.Key.Author, c.Payload.Dir) },
	}
}

func (w *World) toggling() session.Handlers[ToggleDoor] {
	return session.Handlers[ToggleDoor]{
		Validate: func(c netcode.Command[ToggleDoor], at netcode.Step) error {
			if t := w.At(c.Payload.Door); t != ClosedDoor && t != OpenDoor {
				return ErrNoDoor
			}
			return w.mayReach(c.Header, c.Payload.Door, at)
		},
		Execute: func(c netcode.Command[ToggleDoor]) { w.toggle(c.Header.Key.Author, c.Payload.Door) },
	}
}

func (w *World) searching() session.Handlers[Search] {
	return session.Handlers[Search]{
		Validate: func(c netcode.Command[Search], at netcode.Step) error {
			if t := w.At(c.Payload.Chest); t != Chest && t != EmptyChest {
				return ErrNoChest
			}
			return w.mayReach(c.Header, c.Payload.Chest, at)
		},
		// Whatever amount the player has written is replaced, so there is nothing to check about it.
		Mutate: func(c *netcode.Command[Search], prep *netcode.Preparation) error {
			c.Payload.Gold = uint16(1 + prep.NextSeed()%(HopedGold-1))
			return nil
		},
		Execute: func(c netcode.Command[Search]) {
			w.search(c.Header.Key.Author, c.Payload.Chest, c.Payload.Gold)
		},
	}
}

func (w *World) dropping() session.Handlers[DropLoot] {
	return session.Handlers[DropLoot]{
		Validate: func(c netcode.Command[DropLoot], at netcode.Step) error {
			if c.Payload.Gold == 0 {
				return ErrNoGold
			}
			return w.mayAct(c.Header, at)
		},
		Mutate: func(c *netcode.Command[DropLoot], prep *netcode.Preparation) (err error) {
			c.Payload.Seed = prep.NextSeed()
			c.Payload.First, err = prep.ReserveIDs(pieces(c.Payload.Gold))
			return err
		},
		Execute: func(c netcode.Command[DropLoot]) {
			w.drop(c.Header.Key.Author, c.Payload.Gold, c.Payload.First, c.Payload.Seed)
		},
	}
}

// mayAct refuses commands that cannot possibly do anything when their step comes. The author is the one
// whose connection brought the command, so nobody can act for somebody else.
//
// A validator sees the world as it is now, and a command is usually for a step that lies ahead, with other
// commands in between. So it must let pass whatever could still become possible; what does not is dropped
// by the executor.
func (w *World) mayAct(h netcode.Header, at netcode.Step) error {
	p := w.Player(h.Key.Author)
	ahead := h.Step.Sub(at) - 1 // steps that pass before the command runs
	switch {
	case p == nil && ahead > 0:
		return nil // its joining may be one of the commands in between
	case p == nil:
		return ErrNotPlaying
	case ahead < 0:
		return nil // it is late: the world was another one then
	case w.Over && int64(w.Pause) > ahead:
		return ErrRoundOver
	case p.Health == 0 && int64(p.Down) > ahead:
		return ErrDown
	case int64(p.Wait) > ahead:
		return ErrTooSoon
	}
	return nil
}

// mayReach is mayAct for commands about a square, with room for the moves that fit between now and then.
func (w *World) mayReach(h netcode.Header, target Pos, at netcode.Step) error {
	if err := w.mayAct(h, at); err != nil {
		return err
	}
	p := w.Player(h.Key.Author)
	if p == nil {
		return nil
	}
	apart := h.Step.Sub(at)
	moves := max(apart, -apart)/ActEvery + 1
	if int64(p.At.Distance(target)) > moves+1 {
		return ErrTooFar
	}
	return nil
}
