// Package rewind puts a world back to what a player saw when it fired, and finds what the shot hit: lag compensation.
//
// # The model
//
// A player aims at objects as its screen shows them, which is in the past: by the time that a snapshot takes to arrive,
// and by the time that the client holds it back to have two between which to interpolate. A server that wants to favour
// the shooter keeps a [Buffer] of the recent states of every object that can be hit, and for a shot
//
//	tick, _ := limits.Target(now, lag)
//	targets = targets[:0]
//	for each object that can be hit, but not the shooter's {
//		if object.history.Sample(tick, &state) {
//			targets = append(targets, shape.At(object.id, &state))
//		}
//	}
//	hit, ok := rewind.Nearest(rewind.Shot{Origin: f.Origin, Direction: f.Direction}, targets)
//
// How far back is the server's business alone: [Limits.Target] takes what the server has measured and configured
// ([Lag]), never what a client says, and keeps it within [Limits]. Beyond a certain round-trip time there is no
// compensation at all, so that the others are not shot behind corners by somebody with a bad connection.
//
// Objects are spheres or capsules. The nearest one along the ray is hit; one that contains the origin is hit at
// distance 0. Nothing is hit backwards.
//
// That each shot is resolved once, in the order of its input, is what motion.Queue is for.
//
// # Defaults and limits
//
// A second of history, nothing above a round-trip time of 220 ms, spheres of 50 cm. A buffer takes 48 bytes to a tick.
// Ticks have 64 bits here, so that they neither wrap nor have a value that means none; as float64 they are exact up to
// 2^53. Nothing allocates but [MakeBuffer].
//
// # What the reference does
//
// The public Citadel reference knows spheres alone, and tests them in float32: at 1 km a hit is off by 18 cm. Here it is
// float64 by the distance of closest approach, which is right to a hair at any distance that a world has. With
// [Shot].Reference the spheres are tested as there, to the bit. The vectors of hits, and nothing else, need it, for that
// one row: hit distances. Verdicts on near objects are the same either way.
//
// # Cost
//
// The least of six runs on one of two virtual CPUs of an AMD EPYC, Go 1.26.8, of
//
//	go test -run '^$' -bench . -benchtime 20ms -count 6 ./transport/citadel/tsync/rewind
//
//	 2.3 µs  record 256 objects                                    BenchmarkRecord256
//	17.5 µs  rewind 256 objects and test their spheres             BenchmarkShootSpheres256
//	33.4 µs  the same with capsules that stand as their objects do BenchmarkShootCapsules256
//
// None of these allocates.
package rewind
