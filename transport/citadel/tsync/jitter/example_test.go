package jitter_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/jitter"
)

// At 20 snapshots a second, a clean link gets by with 75 ms, and a lost snapshot costs 25 ms for a while.
func Example() {
	var b jitter.Buffer
	fmt.Printf("%.0f ms\n", 1000*b.Delay(20))
	for range 100 {
		b.Note(1)
	}
	fmt.Printf("%.0f ms\n", 1000*b.Delay(20))
	b.Note(2)
	fmt.Printf("%.0f ms\n", 1000*b.Delay(20))
	// Output:
	// 125 ms
	// 75 ms
	// 100 ms
}
