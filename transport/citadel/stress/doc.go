// Package stress holds tests of package citadel on real sockets that take longer, or a machine for themselves: clients
// that mean harm, many connections at once, and many one after the other. There is no code in it to import.
//
//	go test ./transport/citadel/stress                                         # small versions, half a minute
//	go test -short ./transport/citadel/stress                                  # smaller ones, a few seconds
//	ARIADNE_STRESS=full go test -v -timeout 40m ./transport/citadel/stress     # all of it
//
// No test fails because something took long. Times, rates and the use of the processor are reported; they show with
// -v.
//
// # Hostile clients
//
// The attackers are written against quic-go or a bare socket, and live in a process of their own, so that what is
// measured is the server. While they are at it, honest players exchange a message with the server's game loop 60
// times a second, and somebody new comes to play. Nothing that a player or the server sent may be missing or out of
// order, and nobody honest may be disconnected. The server's heap and stacks, measured after garbage collections, stay
// below a bound that each attack derives from the server's configuration. And each attacker must end as it should: with
// the right code, and counted in the right place.
//
// # Load
//
// Many connections in one process, each of which exchanges 20 messages a second with the server: none is lost.
//
// # Soak
//
// Clients come, authenticate, join a room, say something, leave the room and go, many a second: when the last one has
// gone, there is not one goroutine or file descriptor more than at the beginning, and the heap is as small.
package stress
