// Package replica keeps objects of clients equal to those of a server: what a game changes on one side appears on the
// other, and only what has changed is sent. It is the layer above package netpeer, which knows how bunches are
// encoded; which proposals of clients a server accepts is for package authority.
//
// # In a game
//
// Mark a struct, and run netcmdgen:
//
//	//netcode:replicated class=1 version=1
//	type Score struct {
//		Health uint8 `rep:"uint,max=100"`
//	}
//
// The server has a sender, and for every object the ScoreReplica that was generated, whose setters mark what changes:
//
//	s := replica.NewSender(replica.Config{})
//	e, err := s.Spawn(300, ScoreClass(), match, owner)
//	s.Join(player, match)
//
//	score.SetHealth(80) // with every tick
//	err = e.Capture(&score)
//	s.Advance()
//	err = s.Send(player, func(_ uint32, body []byte) error { return send(player, wire.KindRepDelta, body) })
//
//	_, err = s.Ack(player, body) // for every wire.KindRepAck
//
// The client has a receiver:
//
//	r := replica.NewReceiver(0, ReplicatedClasses()...)
//
//	u, err := r.Apply(body) // for every wire.KindRepDelta; an error is no reason to end the connection
//	score.ReadReplica(u.State, u.Changed)
//
//	ack, err := r.AppendAcks(nil) // with every tick; to be sent as wire.KindRepAck if there is something in it
//
// Bodies may be lost and may overtake each other. Without generated code, the fields of a [State] are set and read by
// their numbers, as in the example. A server whose clients write too uses package authority instead of the sender.
//
// # Classes, states and objects
//
// A [Class] is a property table with a codec for each property. A [State] is the values of an object of a class, as
// codes. A game writes states field by field, or has netcmdgen write the methods of [Object] for its structs and
// calls [Entity.Capture]; either way what has the code that is there already is no change.
//
// # Sender
//
// A [Sender] has objects, each in a group and at a place, and receivers, each in a group and looking from a place.
// [Sender.Relevant] finds out, by package interest, which objects a receiver is to know; [Sender.Send] makes the
// bunches of a tick for one receiver:
//
//   - a bunch is the difference to the state that the receiver has last acknowledged, not to the one sent last, so
//     that what was lost is in the next one too;
//   - it is a full one if there is no such state: for a receiver that is new, or for which the object was not relevant
//     for a while, or sees other fields than before; after [Sender.ForceFull]; after 64 states or 120 ticks without
//     an acknowledgement; and always for an object with a collection of more than 4,096 elements. A full bunch has
//     all fields that were ever set, and every collection, also those that are empty or hidden;
//   - what is on its way and has not changed since is sent again after 8 ticks, and then after twice as long each
//     time;
//   - every bunch has a token of its own. Tokens ascend over all objects and receivers and are never used again.
//
// States are kept once, for all receivers that got them or have acknowledged them, and so are the packed values of a
// difference, for all receivers that have the same baseline and see the same fields.
//
// # Who sees what
//
// The condition of a property says which receivers get it. The owner of an object is also who moves it, and all
// others simulate it; properties with an initial condition are in full bunches only; those that the application
// decides about are hidden until [Sender.Admit] says otherwise; and schema.Never is never sent. The role of an
// [Observer] or [Owner] follows from the owner of the object; that of a [Peer] is for rebroadcasts.
//
// # Receiver
//
// A [Receiver] applies a bunch as a whole or not at all. A difference to a state that it does not have is rejected, is
// not acknowledged, and leaves nothing behind; the wire has no way to ask for a full bunch, which comes when the
// sender misses the acknowledgement. Bunches that are not newer than the state are ignored, so that they may arrive
// in any order or not at all. A full bunch must be of a schema that both sides know, by the identity in it and by
// the table of schemas, if one came. [Receiver.AppendAcks] acknowledges what was applied, with the history of the
// 32 tokens before the latest.
//
// Nothing on the wire says that an object is gone or no longer relevant: an application that learns it calls
// [Receiver.Forget].
//
// An [Author] writes what a client proposes.
//
// # Differences to the reference
//
// With [Config.Reference] a sender does what the format's reference implementation does in these points, without it
// what is right:
//
//   - the reference forgets full bunches that are pending when it sends another one, so that a receiver whose
//     acknowledgements take longer than a tick gets full bunches for ever. Here up to 64 of them stay acknowledgeable;
//   - it compares the numbers that values were made from, and sends a code again. Here codes are compared;
//   - it compares elements by their keys, and loses a value that changed under the same key. Here what would be sent
//     is compared;
//   - it keeps tokens that were never acknowledged without a limit. Here tokens count as long as their states are
//     kept, of which there are at most 128 to an object and receiver.
//
// Of the 66 traces in replicator.json 45 touch one of these points. The conformance test runs all of them with
// Reference, and without it up to where one of the points is touched.
//
// # Limits and memory
//
// A receiver keeps at most 129 states of an object, usually those of a round trip, as many objects as it is told, and
// 256 MiB of states in all unless [Receiver.LimitMemory] says otherwise, whatever a server sends.
// What it decodes is bounded by the caps of package netpeer. A sender keeps the states that are pending or
// acknowledged anywhere, 64 bytes to a field.
//
// Nothing allocates in a steady state in which numbers change. A byte string or a collection that changes is copied
// once, because what was sent is kept.
//
// Nothing here is safe for concurrent use, except classes.
//
// # Figures
//
// A tick of a server with 1,000 objects, all relevant to 64 receivers, of which 50 change, so that 3,200 bunches are
// made, and as many acknowledgements are taken, one tick late. On a 2 vCPU AMD EPYC VM with Go 1.26.8, the least of
// several runs of go test -bench Tick on a machine with other work:
//
//	what changes, in bytes of a bunch              shared    unshared   allocations
//	an integer and a vector                   19   0.73 ms   0.94 ms    none
//	also a number, a string and 8 elements    63   0.93 ms   1.36 ms    150, of 77 kB
//
// Sharing pays by what need not be compared and packed again; the rest is finding what is to be sent, headers, and
// acknowledgements. Allocations are the copies of what was captured, and do not depend on the number of receivers.
//
// The bunch of an integer and a vector has 19 bytes, of which 12 are the header and the mask; its
// fields are 20 bytes in Go. By kind, in bits (go test -bench FieldSize has the bytes of whole bunches):
//
//	                                        changed field    in Go
//	bool                                    1                8
//	integer of 0 to 100                     7                64
//	number of 0 to 10, 8 to the unit        7                32
//	vector of +-1,000, 8 to the unit        42               96
//	quaternion of 10 bits                   32               128
//	16 bytes                                136              128
//	an element with an integer to 1,000     24 + 34          128
//	all seven                               283              584
//
// The element takes three counts and its id, key and value.
package replica
