// Package rooms keeps the rooms of a Citadel server: who is in which, what the level is called, and which actors
// everybody sees.
//
// [Rooms] is a state machine of the server's game loop, and [Client] its counterpart on a player's. Neither starts a
// goroutine or takes a lock; both are given each event of the inbox:
//
//	inbox.Drain(func(e citadel.Event) {
//		if rooms.Receive(e) { // or client.Receive(e)
//			return
//		}
//		// the game's own events
//	})
//
// # Rooms
//
// A client asks for a room by parameters, which by convention are its name: the room that has them is joined, or else
// created. Or it asks by id, for a room that exists. Config.Create chooses the map and the mode of a new room, and
// Config.Admit decides about each new member. Whoever is admitted is told the map and the mode, loads the level, and says
// so; the id must be that of the room it is in. Whoever is not is told the reason, which is one of the fixed ones here
// unless the server's own functions give another by [Deny], and stays where it was.
//
// A connection is in one room at a time. A member that asks for another room moves: only when the other room has
// admitted it does it leave the first one. Asking for the own room again is answered again and changes nothing.
//
// Membership ends with a request of the member, with [Rooms.Remove], with [Rooms.Close], and at once when the connection
// has closed. A member is told of each but the last. A room ends with its last member, unless its settings say that it is
// to stay. No id, neither of a room nor of an actor, is ever used again.
//
// # Positions
//
// A position that a member reports is passed on to the others in the room, unreliably, with the sender's id in front
// (that of its connection), and not to the sender. It may be any bytes.
//
// # Actors
//
// A member announces an actor; it gets an id and appears: to its owner first, then to the others. With its first actor
// a member begins to see those of others, and it is told of all that there are in one batch. A member that has
// announced nothing sees nothing, because it could not tell its own actor from others; [Rooms.Observe] lets spectators
// see. When somebody leaves, the others are told that its actors are gone, and it is told so of all actors.
//
// Owners report where their actors are. Such a state is applied only if it is the owner's, if the server does not move
// actors of this kind itself (Config.Predicted), and after [Sanitise]. Applied means that newcomers find the actor there,
// and that Hooks.Moved is called. It is not passed on: the protocol does that with transform snapshots, which are another
// package's business.
//
// # Bounds
//
// Config bounds the rooms, the members of each, the actors of each member and room, the size of parameters and
// positions, and how often a client may do what makes the server talk to others. With the defaults, a client that floods
// its room costs each other member 4 arrivals and departures of actors and 120 positions a second, whatever it does; and
// what it is told itself fills only its own outbound queue. All that a client can make the server keep is one entry of
// about 200 bytes, its room and its actors, and nothing is left of it when its connection has closed.
//
// Leaving costs a member that sees n actors n envelopes, so a room holds at most 8192.
//
// # Figures
//
// Of the processors, on two virtual CPUs of an AMD EPYC with much else to do, Go 1.26.8, the lowest of ten runs of
//
//	go test -run xxx -bench . -benchtime 0.05s -count 10 ./transport/citadel/rooms
//
// Relaying a position to one other member takes 0.10 µs, to 49 of them 0.32 µs, with connections that do nothing. With
// 49 real ones on loopback it is 9 µs, which includes what the kernel and the receivers do. Applying a state among 50
// actors takes 0.16 µs. A newcomer to a room of 50 who lets an actor appear and leaves takes 2.8 µs. None of these
// allocates, but for three allocations in QUIC.
package rooms
