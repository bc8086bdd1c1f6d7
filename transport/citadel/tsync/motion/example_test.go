package motion_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// A player drives north. Its second datagram overtakes the first one.
func Example() {
	limits := motion.DefaultLimits()
	allowance := motion.Allowance{Most: motion.DefaultMost}
	var queue motion.Queue[tsync.InputFrame]
	var car tsync.State

	north := [3]float32{0, 5000, 0} // faster than anybody may be
	for _, bundle := range [][]tsync.InputFrame{
		{{Seq: 2, DT: 0.05, Move: north}},
		{{Seq: 1, DT: 0.05, Move: north}, {Seq: 2, DT: 0.05, Move: north}},
	} {
		allowance.Pass(1.0 / 60)
		for i := range bundle {
			motion.OfferFrame(&queue, &bundle[i])
		}
		for {
			_, f := queue.Next()
			if f == nil {
				break
			}
			motion.Integrate(&car, f.Move, allowance.Spend(f.DT, limits.MaxDT), &limits)
		}
		fmt.Printf("acknowledged %d, %d waiting, at %v cm\n", queue.Acked(), queue.Pending(), car.Position[1])
	}
	// Output:
	// acknowledged 0, 1 waiting, at 0 cm
	// acknowledged 2, 0 waiting, at 200 cm
}
