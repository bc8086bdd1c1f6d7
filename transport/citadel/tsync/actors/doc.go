// Package actors lets clients bring their own objects into a transform sync world: networked actors.
//
// # The model
//
// A client announces an actor of some archetype, a presence. The server chooses an object id, spawns the object in the
// [server.World] and says so: to the owner first, who recognises its own actor by that, then to everybody else who sees
// actors. With its first actor a client begins to see those of others, and is told of all that there are in one batch.
// One that has announced nothing sees nothing, because it could not tell its own actor from others; [Actors.Observe]
// lets spectators see. When a client leaves, its actors go with it. Where they are meanwhile, snapshots of the world
// tell, like for any object.
//
// Who moves an actor is the server's choice for each [Archetype], and never the client's:
//
//   - relayed, by default: the owner reports where it is, and the world takes its word, once the transform is sanitised.
//     That is as trustworthy as the client.
//   - predicted: the owner sends inputs, which the world checks and applies, and a reported transform is refused. The
//     world tells the owner its role; as [server.Client.Roles] is asked after Presence, that comes after the spawn.
//
// The package turns bodies into changes of the world and into bodies for others, which it hands to [Config].Send:
//
//	switch e.Kind {
//	case wire.KindNAPresence:
//		err = a.Presence(client.Participant(), e.Body)
//	case wire.KindNAState:
//		err = a.State(client.Participant(), e.Body)
//	}
//	for _, role := range client.Roles() { ... }
//
// A server that has rooms lets package rooms do the talking, which has the same rules for each room, and needs this
// package only where there is one world for all.
//
// # Defaults and limits
//
// 4 actors to a client and 1,024 altogether, at most 8,192, as a client who leaves costs everybody a despawn for each of
// its actors. No object id is used twice. A client cannot take an actor back, so that its spawns are bounded as long as
// it is there; that it does not leave and come back all the time is for whoever lets it in.
//
// Errors say why something was refused, and [Stats] counts it; nothing has changed then. A state that is refused, and one
// that is applied, allocates nothing; it takes 49 ns (BenchmarkState, on one of two virtual CPUs of an AMD EPYC, Go
// 1.26.8).
package actors
