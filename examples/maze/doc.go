// Command maze is a small game over Ariadne, made to be copied: a server and predicted clients over QUIC,
// WebSocket or WebTransport.
//
//	go run ./examples/maze demo     a server and four bots over a bad network, with a table at the end
//	go run ./examples/maze local    play by yourself, without a network
//	go run ./examples/maze serve    a server that others can join
//	go run ./examples/maze join     a player
//	go run ./examples/maze bots     several players that play by themselves
//
// Every command explains itself with -h. With -transport ws or wt they talk over WebSocket or WebTransport;
// serve -transport all offers everything at once.
//
// A client can be compiled for browsers (GOOS=js GOARCH=wasm go build). There it has no files and no sockets but
// WebSocket and WebTransport, so that it can only join a server that allows the page, and has to be told where:
//
//	maze serve -transport all -page localhost:8080
//	maze.wasm join -auto -addr 127.0.0.1:7353 -pin ...
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
//   - transport.go, gate.go: the one place that knows QUIC from WebSocket, on a client and on a server
//   - native.go, native_js.go: what depends on where the program runs
//   - join.go, local.go, demo.go: the other commands; slowtcp.go is part of the demo's network
//   - screen.go, table.go, report.go: what is printed
package main
