package congestion_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
)

// A path loses every fifth packet for three seconds.
func Example() {
	controller, _ := congestion.New(congestion.DefaultConfig())
	var meter congestion.Meter
	var path congestion.Path
	for i := range 20 * 15 {
		path.RTT, path.Sent = 60, path.Sent+3
		if i < 60 && i%2 == 0 {
			path.Lost++
		}
		if controller.Observe(meter.Observe(path, 4, 0.05), 0.05) {
			fmt.Printf("after %.1f s: %v, %d Hz, the wait is %v s\n",
				float64(i)/20, controller.Mode(), controller.SendRate(), controller.RecoverWait())
		}
	}
	// Output:
	// after 1.1 s: floor, 10 Hz, the wait is 8 s
	// after 11.4 s: good, 20 Hz, the wait is 8 s
}
