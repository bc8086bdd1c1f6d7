// Package motion is the kinematic movement that a transform sync server and its clients share: what an owner's input
// does to an object, within which limits, and in which order inputs count.
//
// # The model
//
// An owner drives its object with inputs that are numbered one by one. An input wants a velocity for a number of
// seconds. [Integrate] grants both within [Limits] and moves the object; there is no acceleration, no collision and no
// turning. All of it is arithmetic in float32 with every operation rounded, so that all machines agree to the bit.
//
// Inputs come in datagrams that are lost, late, doubled and out of order, and each bundle repeats earlier inputs. A
// [Queue] brings them back into line: every sequence number is let through once, in order, without a gap. What was let
// through last is what the owner is told as its acknowledgement.
//
//	for i := range in.Frames {
//		motion.OfferFrame(&queue, &in.Frames[i])
//	}
//	for {
//		seq, f := queue.Next()
//		if f == nil {
//			break
//		}
//		motion.Integrate(&object.State, f.Move, allowance.Spend(f.DT, limits.MaxDT), &limits)
//		object.LastInputSeq = seq
//	}
//
// An owner who says that each of its inputs took [Limits].MaxDT, and sends many, would be faster than time. An
// [Allowance] grants it the seconds that have passed and not more.
//
// # Defaults and limits
//
// 2,000 cm/s, 0.1 s to an input, 5.24 km by 5.24 km by 655 m around the origin; a queue looks 256 inputs ahead and never
// holds more; an allowance saves up a second. A queue of [tsync.InputFrame] that never saw a gap has room for 8 of
// them, one that saw the worst for 256. Nothing here allocates once it has grown as far as it will.
//
// # What the reference does
//
// The numbers of Integrate and of Queue are those of the public Citadel reference, also where they are odd: a velocity
// so large that its square overflows becomes zero instead of being limited, and a position that is not finite becomes
// the lower bound. The second cannot happen to an object whose state went through [Sanitise]. The reference has no
// Allowance; one whose Most is zero grants everything.
//
// # Cost
//
// The least of eight runs on one of two virtual CPUs of an AMD EPYC, Go 1.26.8, of
//
//	go test -run '^$' -bench . -benchtime 20ms -count 8 ./transport/citadel/tsync/motion
//
//	13.7 ns  grant and apply an input                                     BenchmarkIntegrate
//	 5.7 ns  take and let through an input that comes in order            BenchmarkQueueInOrder
//	  31 ns  an input's share of bundles of 8, back to front, half lost   BenchmarkQueueBundles
//
// None of these allocates.
package motion
