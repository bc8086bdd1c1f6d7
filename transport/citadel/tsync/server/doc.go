// Package server is the authoritative half of Citadel's transform sync: it moves a world of objects in fixed steps and
// says, for each client and snapshot, how what that client sees differs from what it has. Ticks and bytes go in, bytes
// and events come out; connections, clocks and goroutines are the caller's.
//
// # The loop
//
// A [World] has objects and clients. For what arrives there are [World.Join] and [World.Leave], [Client.Input],
// [Client.Ack] and, for version 2, [Client.Upgrade] and [Client.InputV2]. The game changes objects by their ids, with
// [World.Spawn], [World.SetState] and so on. Then, [tsync.Hello].SimRate times a second:
//
//	w.Tick()
//	for _, c := range w.Clients() {
//		if c.Due() {
//			buf, err = c.AppendSnapshot(buf[:0])
//			if len(buf) > 0 { send a datagram of kind c.SnapshotKind() }
//		}
//		for _, r := range c.Roles() { send kind 11, reliably and in order }
//		for _, r := range c.Rewinds() { send kind 12, reliably }
//		now and then: c.Observe(what the connection says of its path, seconds since the last time)
//	}
//
// # Frames and snapshots
//
// [World.Tick] moves what has a velocity and no predicting owner, and freezes everything in a frame, with each object
// quantised once. Snapshots are taken from the frame, so that it does not matter what happens to objects meanwhile, and
// clients may be served on several goroutines.
//
// A snapshot is a difference. The server keeps, for each client, what it knows after each of the last [Config.Ring]
// snapshots, in codes. The base of the next one is the newest that the client has acknowledged and that both still have.
// Against it, objects that are not in view any more are removed, those that are new or another generation are told in
// full, and of the others the fields whose codes differ. What was told and is lost is told again, because the base has not
// moved. The last input that counted goes to the owner of an object, in every snapshot, and to nobody else.
//
// If the base is so old that the client may have let go of it, the snapshot has none: it is complete, as the first one.
// And if acknowledgements take so long that this could become the rule, [Client.Due] asks for fewer snapshots.
//
// What is in view is decided by package interest. Objects coming and going, and changes of owners, are events that
// [Client.Roles] returns.
//
// # Too much to say
//
// A snapshot has at most [Config.Budget] updates and [Config.MaxPayload] bytes, kind and clock included. What does not
// fit waits for a later one; nothing is ever split. First come full updates, then those whose priority, added up since they
// were last told, is greatest, then lower ids. An object that found no room [Config.MaxWait] times in a row goes ahead of
// all. Removals take at most half of the room as long as there are updates.
//
// The format wants every snapshot to repeat whatever differs from its base. So while room is short, what one snapshot told
// is not in the next, and a client that applies both steps back to the base in these objects, until an acknowledgement has
// moved it. Where that is visible, give the budget more room, or the clients a smaller radius: a negative Budget leaves
// only the ceiling of bytes, which is some 60 moving objects.
//
// # Owners
//
// An object that is [tsync.OwnerPredicted] is moved by the inputs of its owner, by package motion: each once, in order,
// when all before it have come. Inputs of anybody else, or of an earlier ownership epoch, are refused; their speed and
// duration are limited, and together they may not last longer than time itself ([Config.Allowance]). A shot is resolved
// when its input counts, against the world as the client saw it then, by package rewind, with the lag that the server has
// measured itself. It has to begin near its object ([Config.MuzzleReach]); what lies between there and the object, such
// as a wall, is the game's business, as is how often a weapon fires, as long as it is not more often than
// [Config.ShotRate].
//
// Generations of an id and its ownership epochs only grow, whatever happens to it. Positions and velocities that are not
// finite do not get in.
//
// # Defaults and limits
//
// 20 snapshots and 60 steps a second, 16 updates and 1,200 bytes, 64 states, cells of 50 m and a view of 10 km. What comes
// in has to be in the 3 by 3 cells around the viewer too, which is 50 to 100 m away at most: for a view that is farther
// than that, make [Config.CellSize] as large. See the constants. Objects may have any id, 0 included;
// snapshot ids end after 2^32-1, and generations on the wire wrap after 2^16. An axis has at most 32 bits. Clients keep 64
// snapshots: a larger Ring is for clients that keep more.
//
// A client takes some 100 bytes for each object in its view, and 40 for each object in each state that is on its way,
// which is as many as there are snapshots in a round trip. An object takes some 300, and with a shape 3 kB of history.
// What is not asked for does not pile up: [Client.Rewinds] keeps a second's worth, [Client.Roles] two for an object.
//
// # Where the reference is wrong
//
// The public Citadel reference differs in what follows. [Config.Reference] makes the server do the same, for the
// conformance run; nothing else needs it.
//
//   - When all acknowledgements are lost for long, it goes on naming a base that the client has let go.
//   - It compares states before quantisation, so that a change that does not alter a code is sent, and takes a velocity for
//     sent that was not replicated. Here, switching [World.SetReplicateVelocity] on sends a full update; switching it off
//     sends a removal and a full update in one snapshot, after which the client has no velocity.
//   - The generation of an id begins anew after its death, and its ownership epoch with every life.
//   - An acknowledgement of a snapshot that was never sent counts as the newest one that was observed.
//   - If something was told and undone before it was acknowledged, there is nothing to say on top of the base, and it says
//     nothing: the client goes on showing what was undone. Here it gets a snapshot without updates.
//
// Other faults of it are repaired in ways that no trace shows: queues of input, histories and accumulated priorities end
// with the life of an object or when it leaves the view, the time of inputs is limited, and priorities, limits and
// configurations are checked.
//
// # Cost
//
// On one of two virtual CPUs of an AMD EPYC, Go 1.26, the least of several runs on a shared machine:
//
//	go test -run '^$' -bench . -benchtime 500x -count 5 ./transport/citadel/tsync/server
//
//	0.67 ms  a step of 4,096 moving objects in which 64 clients get a snapshot of 256 each, as many as fit: 80 of them
//	0.54 ms  the same, with a budget of 16
//	0.15 ms  of it for moving, quantising and sorting the 4,096 into the grid
//
// None of it allocates. With the default hello, an object takes
//
//	25.9 bytes  in full, with a velocity: 207 bits
//	18.8 bytes  in full, without
//	14.8 bytes  if only its position has changed, 21.9 with its velocity
//	 4   bytes  to be removed
//
// behind the 17 bytes of a snapshot. In the benchmark, where positions change, it is 15.0 with everything, and 15.8 with a
// budget of 16.
package server
