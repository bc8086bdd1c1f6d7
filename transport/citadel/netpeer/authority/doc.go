// Package authority is what a server does with the changes that clients propose: it checks them, applies what is
// allowed, and tells the others in bunches of its own. It trusts nobody. It builds on package replica, whose sender
// it uses.
//
// # In a game
//
// The server has this in place of the sender of package replica, which see for classes, objects and the receivers of
// clients:
//
//	s := authority.NewServer(authority.Config{})
//	err := s.Register(ScoreClass())
//	e, err := s.Spawn(authority.Spec{Object: 300, Class: ScoreClassID, Match: match, Owner: player})
//
//	s.Join(player, match, false) // when a player comes
//	err = s.Bootstrap(player, emit)
//
//	err = s.Ack(player, body) // for every wire.KindRepAck
//
//	err = s.Validate(player, now, body, &proposal) // for every wire.KindRepDelta; see Receive for both in one
//	if err == nil {
//		err = s.Apply(&proposal, emit)
//	}
//	for _, c := range proposal.Changes() { // none after an error of Validate
//		fields.Add(c.Field)
//	}
//	score.ReadReplica(e.State(), fields) // the object follows what its owner has changed
//
//	score.SetHealth(80) // with every tick
//	err = e.Capture(&score)
//	s.Sender().Advance()
//	err = s.Update(player, emit)
//
// The client that owns the object has an author besides its receiver:
//
//	r.Own(300, true)
//	author := replica.NewAuthor(ScoreClass(), 300, last)
//	author.Reset(r.State(300)) // what the server has already; again on a new connection
//
//	mine.SetSteer(0.5)
//	body, err := author.Propose(nil, &mine) // to be sent as wire.KindRepDelta, in order
//
// # Proposals
//
// A client proposes with the same bunches with which a server replicates: a full one first, so that the server knows
// which version of the class it is of, and then differences. [Server.Validate] checks a bunch, cheap checks first and
// values last; [Server.Apply] checks once more what may have changed since, writes the values, and sends each peer
// for which the object is relevant the difference to what that peer has acknowledged. [Server.Receive] does both. The
// bytes of a client never reach another: values are decoded, clamped to their bounds and encoded again, under the
// server's own tokens.
//
// A full proposal is not a reset: fields and elements that it does not have stay. A proposal is applied as a whole,
// except for values that the [Config] vetoes; then the others are applied, and the sender gets a full bunch with the
// true values of those that were not, see [replica.Receiver.Own].
//
// # Rejections
//
// A rejected proposal has no effect, except that it was charged for. The client gets no answer, and so cannot tell
// one reason from another, except by timing: a check that comes later takes longer. The operator gets a [Reason] with
// every rejection and their counts from [Server.Stats].
//
// # Allowances
//
// [Limits] bound what an identity may cost over all its objects, in bunches, bytes, fields and elements. An allowance
// is a second's worth and refills within a second. A rebroadcast is charged to who caused it, and ends when it has
// cost a second's worth; who owes is rejected until that is paid. Allowances and used tokens belong to the identity,
// the [replica.PeerID], and joining again changes neither. Allowances of an identity that has left are forgotten when
// they are full again, and tokens with the object, or when 256 other identities have written it.
//
// A peer that does not acknowledge gets full bunches, and whoever proposes something pays for them. A server should
// disconnect who has acknowledged nothing for long, which [replica.Sender.Baseline] tells.
//
// A proposal that changes a collection costs time in proportion to all its elements, and one of more than
// [replica.Config].MaxItems is rebroadcast in full: what clients own should be small.
//
// # Versions
//
// A class may be registered with older versions of itself, of which it is an extension by appended fields. Each
// proposal is read with its own version. What the server sends is always of the current one.
//
// # Differences to the reference
//
// With [Config].Reference a server does what the format's reference implementation does in the points that package
// replica lists and in these, without it what is right:
//
//   - joining again refills the allowances and forgets which tokens were used;
//   - a number may be beyond its bounds by (max - min) / values_per_unit, instead of by one quantum, which is
//     1 / values_per_unit.
//
// In two more points there is only the right way, because no trace needs the other: a proposal that was validated
// before an object was despawned does not apply to the next object with its id, since every object has a generation
// that no other has; and the elements that an object has when it is spawned are in the first full bunch.
//
// Of the 40 traces in authority.json six need Reference: four because a connection joins again, two because a full
// bunch is acknowledged after the next one was sent. The conformance test runs all with it, and without it those in
// which neither happens.
//
// # Cost
//
// On a 2 vCPU AMD EPYC VM with Go 1.26.8, the least of several runs of go test -bench . : a proposal of three fields
// is encoded, checked and applied in 256 ns if nobody else is there, and in 11.3 us with 63 peers, to all of whom it
// goes and who all acknowledge it. One for somebody else's object is rejected in 32 ns, and one with a value out of
// bounds in 68 ns. None of it allocates.
//
// Time is what the caller says, in milliseconds. Nothing here is safe for concurrent use.
package authority
