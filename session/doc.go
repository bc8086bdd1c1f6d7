// Package session runs deterministic command sessions: one authority and its clients, who agree about every
// step of a simulation because they execute the same commands at the same steps.
//
// # The loop
//
// A [Host] is one peer's side. It is created with a model that owns the simulation, told what to do with each
// command type, and then driven by the application's clock:
//
//	model, err := rollback.New(world, rollback.Config{Start: start.Step})
//	host, err := session.NewHost(session.Config{Start: start, Mode: netcode.Client, Registry: reg, Model: model})
//	move, err := session.Handle(host, types.Move, session.Handlers[Move]{Validate: …, Execute: …})
//	client, err := session.NewClient(host, transport)
//	client.Join(conn)
//
//	for step := range clock {                   // each 1/60 s, say
//		for _, m := range received {        // 1. take in what has arrived
//			client.Receive(m.conn, m.frame)
//		}
//		move.Send(Move{Dir: North}, step)   // 2. issue what the player wants
//		err := host.Tick(step)              // 3. advance, executing again what has changed
//		for _, e := range host.Events() { } // 4. act on what is certain
//	}
//
// The authority's loop is the same with a [Server] in the place of the client, and a
// [Server.BroadcastStep] after each tick. A game without a network uses a host in local mode and neither.
//
// Nothing here starts a goroutine, reads a clock or touches a socket: bytes and steps go in, frames leave
// through [Transport.Send], and everything happens inside the call that causes it. Nothing is safe for
// concurrent use.
//
// # What becomes of a command
//
// [Commands.Send] encodes the payload and gives it the author's next sequence. On a client it goes to the
// authority as a proposal; if its type is predicted it is also executed right away, under an order that is
// only a guess. The authority checks it: the common validators, the type's own, the model's window. What
// passes gets the next order of the session, is changed by its mutator, recorded, put into the authority's
// model and told to everybody. A refusal is recorded and told to the proposer alone.
//
// When the outcome arrives, the client replaces its guess. If payload, step and place were right, nothing is
// executed again. If not, the model goes back to that step at the next [Host.Tick] and plays forward. So
// executors run more than once; a side effect that must happen once belongs to the [Confirmed] event.
//
// # Order
//
// Commands of one step execute by their order, authoritative ones before predicted ones that guess the same,
// then by author and sequence. The order is total and does not depend on when a frame arrived.
//
// # Joining and resuming
//
// [Client.Join] asks the authority for what is missing. If its journal can list everything that changed
// since the client was last ready, it replays that; otherwise it sends a snapshot, which is the oldest state
// of its window, and the commands after it. What the client issued and got no answer for is sent again byte
// for byte; the authority answers a repeated proposal with what it has recorded, so a command is executed
// once however often it is sent.
//
// A client that cannot follow (a correction reaches behind its window, it was away for too long, its clock
// ran ahead of the authority) joins again by snapshot without being asked, and says so by a [Resyncing]
// event.
//
// # Errors
//
// Programming mistakes and refusals of own commands are returned errors. What peers send never panics and
// never fails the session: [Server.Receive] and [Client.Receive] return a result and a reason that may be
// logged or ignored. Failures of the application's own code are contained: a failing validator, mutator or
// codec refuses its command without a trace, a failing executor or tick puts the simulation back to the last
// good step and stops the host ([netcode.FaultError], [Host.Fault]) until a snapshot is restored.
package session
