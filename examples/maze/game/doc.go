// Package game is the Maze: what a world consists of, what players may do in it, and what a step of time
// does. It is the part of a game that every peer runs in exactly the same way, so it knows no clock, no
// network and no randomness of its own.
//
// Players collect coins in a maze with doors and spikes, search chests, and can drop loot. The first to
// reach the goal wins the round, or the richest once the coins are gone; then a new maze is dug.
//
// Where to look:
//
//   - world.go: the state, as plain data
//   - maze.go: a new maze from a seed
//   - rules.go: what moving, searching and dropping do to the state
//   - commands.go: what travels over the wire
//   - handlers.go: who may do what, and which rule a command runs
//   - simulation.go: time, saving and loading
//   - render.go: the picture
//
// The three kinds of handlers divide the work as follows. Validators run on the authority and keep
// cheaters out. Mutators run on the authority as well and fill in what a player must not choose: amounts,
// ids, seeds. Executors run on every peer, again and again when history is corrected, and therefore look at
// nothing but the command and the world.
//
// A [World] belongs to one goroutine, the one that runs its session.
package game
