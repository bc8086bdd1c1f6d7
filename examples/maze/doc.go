// Command maze is a small game over Ariadne, made to be copied: a server and predicted clients over QUIC.
//
//	go run ./examples/maze demo     a server and four bots over a bad network, with a table at the end
//	go run ./examples/maze local    play by yourself, without a network
//	go run ./examples/maze serve    a server that others can join
//	go run ./examples/maze join     a player
//	go run ./examples/maze bots     several players that play by themselves
//
// Every command explains itself with -h.
//
// The game itself is package game, which a game of your own replaces. What is here connects it to the world:
//
//   - main.go: the subcommands, and the loop that all of them run
//   - peer.go: one participant's parts, put together
//   - server.go: the authority, and the command serve
//   - client.go: a player that connects, predicts and comes back
//   - clock.go: which step it is, for an authority and for a client
//   - mind.go: what a player can do; bot.go and keys.go are a bot and a human
//   - ticket.go: how a client finds and trusts the server
//   - join.go, local.go, demo.go: the other commands
//   - screen.go, table.go, report.go: what is printed
package main
