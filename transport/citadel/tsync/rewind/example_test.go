package rewind_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// A runner crosses the line of fire. The shooter hits what it sees, which is not where the runner is by now.
func Example() {
	runner := rewind.MakeBuffer(60)
	for tick := range uint64(60) {
		runner.Record(tick, &tsync.State{Position: [3]float32{1000, 20*float32(tick) - 800, 0}, Rotation: [4]float32{0, 0, 0, 1}})
	}
	limits := rewind.DefaultLimits(60)
	body := rewind.Shape{Radius: 34, HalfLength: 54}
	shot := rewind.Shot{Direction: [3]float32{1, 0, 0}}

	for _, lag := range []rewind.Lag{
		{OneWay: 3, Interpolation: 13, Uplink: 3, RTT: 100},
		{OneWay: 9, Interpolation: 13, Uplink: 9, RTT: 300},
	} {
		tick, compensated := limits.Target(59, lag)
		var seen tsync.State
		runner.Sample(tick, &seen)
		hit, ok := rewind.Nearest(shot, []rewind.Target{body.At(7, &seen)})
		fmt.Println("at tick", tick, "compensated:", compensated, "hit:", ok, "at", hit.Distance)
	}
	// Output:
	// at tick 40 compensated: true hit: true at 966
	// at tick 59 compensated: false hit: false at 0
}
