// Package client is the client half of transform sync: it shows a world that a server tells of in snapshots, a little in
// the past and smoothly, moves the objects of its own player at once, and sends the player's inputs until the server
// has them. Bytes and seconds go in; states to show and frames to send come out. There is no clock and no connection
// here.
//
// A [Client] is all of it, for an application that does not want to care:
//
//	ev, err := c.Receive(kind, body)      // a frame from the server
//	seq, err := c.Push(object, &input)    // an input of the player
//	c.Advance(seconds)                    // a frame of the application
//	poses = c.AppendPoses(poses[:0])      // what to draw
//	for _, f := range c.Flush() { ... }   // what to send, by the delivery of its kind
//
// Its parts can be used alone.
//
// # View
//
// A [View] holds the states that the last 64 snapshots made, because the server sends differences from one of those that
// it knows to have arrived. A snapshot that is not newer than the last one, or differs from a state that is not held,
// is dropped; the next one repairs that. [View.Ack] says what arrived.
//
// Every object has up to 32 samples, one a snapshot. A state at a tick lies on a cubic Hermite curve between two
// samples if both have a velocity and on a straight line otherwise; rotations turn along the shorter arc. After the
// newest sample an object goes straight on for a quarter of a second at most.
//
// The world is shown between 1.5 and 2.5 send intervals behind the newest snapshot: 2.5 in the beginning, 0.02 less with
// every snapshot in order, 0.5 more for each that is missing; never more than 0.4 s, unless 1.5 intervals are more, as with
// the 1 to 3 snapshots a second of a very slow server. A [RenderClock] makes an even flow of that.
//
// An object that begins another life, or one that left the view and comes back, has no past: it appears where it is. So
// does one that a server puts somewhere else within a life, if [ViewConfig.SnapDistance] says from which distance on.
//
// # Prediction
//
// A [Predictor] applies inputs at once, keeps those that the server has not confirmed, and with each confirmation starts
// over from the server's state. With [PredictorConfig.Limits] it moves exactly as a server does that uses package motion.
// What is shown differs from what is predicted by an offset that takes up corrections and gets smaller with every frame:
// 0.95 of it is left up to 25 cm, 0.85 from 100 cm on, and nothing from 500 cm on.
//
// An assignment of an object to the client begins inputs at number 1; a handoff to somebody else or another ownership
// epoch makes pending inputs void. Another life within an epoch is a jump, which is shown at once, and inputs count on
// unless the server says that it forgot them. Of roles that come out of order, those of an earlier life or epoch are
// ignored.
//
// # Inputs
//
// A [Sender] sends each input in several bundles, shots until they are acknowledged, and from time to time the oldest ones
// if the server seems to wait for them. A bundle fits a datagram of 1,200 bytes.
//
// # Hostile servers
//
// Whatever comes, nothing here panics, and what is refused changes nothing but counters. Memory is bounded by
// [ViewConfig.MaxObjects] and [Config.MaxOwned]. Positions and velocities are finite because their codes are; a NaN that
// comes as a float is refused where it enters.
//
// # Differences from the reference client
//
// The public reference keeps the samples and the input acknowledgement of an object for its next life. Here both begin
// anew; [ViewConfig.Reference] restores what it does, which is the only thing that conformance traces of world_view.json
// need, those in which an id has two generations.
//
// It also stops at send rates from 1 to 3, applies a snapshot without an id again and again, ignores everything once
// 32-bit ids wrap, and keeps a NaN in the visual offset. That is right here without a choice, because no trace depends
// on it.
//
// # Cost
//
// Measured on a 2 vCPU AMD EPYC VM with Go 1.26.8, the best of 12 runs on a busy machine:
//
//	go test -run '^$' -bench . -benchtime 2000x -count 12 ./transport/citadel/tsync/client
//
//	 6.6  µs  apply a snapshot with 64 updates to a view of 256 objects    BenchmarkApply
//	18.2  µs  the poses of 256 objects, all of them turning                BenchmarkPoses
//	 5.9  µs  a rendered frame of a client with 64 objects of others       BenchmarkClientFrame
//	 0.08 µs  an input, and a correction with 12 inputs to replay          BenchmarkReconcile
//	 0.14 µs  an input, and a bundle of 8 of them                          BenchmarkBundle
//
// None of these allocates in steady state. A view holds up to 5 KiB for an object: 52 bytes in each of 64 states, and
// 32 samples of 56.
package client
