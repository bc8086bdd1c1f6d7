package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// keysHelp is what a player needs to know.
const keysHelp = `w a s d  move            e  search a chest, open or close a door
x        drop 5 gold     q  quit`

// keys is a human. Keys come one by one from a terminal that plays along, or by the line.
type keys struct {
	typed <-chan rune // closed at the end of the input
	next  rune        // waits until the player can act
}

// keyDrop is how much gold a human drops at once.
const keyDrop = 5

// readKeys starts to read keys. The goroutine that does it ends with the input, or with the program: reading
// from a terminal cannot be interrupted.
func readKeys(in io.Reader) *keys {
	typed := make(chan rune, 64)
	go func() {
		defer close(typed)
		r := bufio.NewReader(in)
		for {
			key, _, err := r.ReadRune()
			if err != nil {
				return
			}
			typed <- key
		}
	}()
	return &keys{typed: typed}
}

// act implements mind.
func (k *keys) act(p *peer, step netcode.Step) error {
	if k.next == 0 {
		select {
		case key, ok := <-k.typed:
			if !ok {
				return errQuit
			}
			k.next = key
		default:
			return nil
		}
	}
	if k.next == 'q' {
		return errQuit
	}
	if !p.world.CanAct(p.author) {
		return nil
	}
	key := k.next
	k.next = 0
	return press(p, key, step)
}

// press does what a key stands for. Keys that mean nothing do nothing.
func press(p *peer, key rune, step netcode.Step) error {
	at := p.world.Player(p.author).At
	switch key {
	case 'w':
		return p.move(game.North, step)
	case 'd':
		return p.move(game.East, step)
	case 's':
		return p.move(game.South, step)
	case 'a':
		return p.move(game.West, step)
	case 'x':
		return p.drop(keyDrop, step)
	case 'e':
		if chest, ok := reach(p.world, at, game.Chest); ok {
			return p.search(chest, step)
		}
		if door, ok := reach(p.world, at, game.ClosedDoor, game.OpenDoor); ok {
			return p.toggle(door, step)
		}
	}
	return nil
}

// keyByKey asks the terminal to pass keys on as they are typed, without showing them, and returns what undoes
// that. Where it is not possible, keys come by the line, which is good enough.
func keyByKey(in io.Reader) (restore func()) {
	terminal, ok := in.(*os.File)
	if !ok || stty(terminal, "cbreak", "-echo") != nil {
		return func() {}
	}
	return func() { _ = stty(terminal, "-cbreak", "echo") }
}

func stty(terminal *os.File, args ...string) error {
	cmd := exec.Command("stty", args...)
	cmd.Stdin = terminal
	return cmd.Run()
}
