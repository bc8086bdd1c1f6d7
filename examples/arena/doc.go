// Command arena shows transform sync and property replication at work, and is made to be copied: a server that moves
// everything, and players that predict themselves, see everybody else a little in the past, shoot, and all have the same
// health and scores on their screens.
//
//	go run ./examples/arena demo     a server and four bots over a bad network, four tables and four plots
//	go run ./examples/arena serve    a server that others can join
//	go run ./examples/arena bots     several players that play by themselves
//
// Every command explains itself with -h. With -transport ws or wt they talk over WebSocket or WebTransport; the first
// has no datagrams, so that everything goes reliably.
//
// What a game of its own takes from here:
//
//   - field.go: the game. The bounds that snapshots are encoded within, how movers move and what a shot does
//   - fighter.go: what everybody sees of everybody besides places, as marked structs; netcode_replicated.go is
//     generated from it. duel.go: the rules that change it
//   - ledger.go: how the server replicates that; scores.go: how a client receives it, and says what is its own to say
//   - server.go: the authority and its loop, and the command serve
//   - pacer.go: how time becomes steps, for both
//   - player.go: a client and its loop: what arrives, what is shown, what is wanted
//   - bot.go: what a player wants; a game has a human there
//   - transport.go, gate.go: the one place that knows QUIC from WebSocket, on a client and on a server
//   - native.go, native_js.go: what depends on where the program runs. In a browser it can play, not serve
//
// What connects worlds and clients with connections is package transport/citadel/live. The rest measures:
//
//   - demo.go: the command demo; match.go: a game of so many seconds in one process; firing.go: two of them, for
//     hits by lag; draw.go: how plots come about
//   - screen.go: what a player has seen; truth.go: what really was; report.go: how the two compare
//   - standing.go: what there is to see of a fighter; agreement.go: whether all see the same in the end
//   - package record: what the plots are made from; the program in plots draws them
//
// The program that draws is a module of its own, so that nobody depends on a plotting library who does not want to.
package main
