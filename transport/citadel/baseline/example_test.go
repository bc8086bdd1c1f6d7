package baseline_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
)

// A sender and a receiver over a path that loses one state and repeats an old acknowledgement.
func Example() {
	var ids baseline.IDs[uint64]
	var sent baseline.Tracker[uint64]
	var received baseline.Window[uint64]

	for range 4 {
		id, err := ids.Next()
		if err == nil {
			err = sent.Issue(id)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if id != 2 { // lost
			received.Add(id)
		}
	}

	late := received
	fmt.Println(sent.Ack(received))
	fmt.Println(sent.Ack(late))
	fmt.Println("outstanding:", sent.Len())
	// Output:
	// 4 true
	// 0 false
	// outstanding: 0
}

// What a receiver sends back is two numbers.
func ExampleWindow() {
	var w baseline.Window[uint32]
	for _, id := range []uint32{1, 2, 4, 7} {
		w.Add(id)
	}
	latest, history := w.Wire()
	fmt.Printf("%d %06b\n", latest, history)

	back, err := baseline.FromWire(latest, history)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range back.All() {
		fmt.Print(id, " ")
	}
	fmt.Println(back.Contains(3))
	// Output:
	// 7 110100
	// 7 4 2 1 false
}

// A full tracker says so, and its sender starts again with a full state.
func ExampleTracker_Issue() {
	t := baseline.NewTracker[uint32](2)
	for id := uint32(1); id <= 3; id++ {
		fmt.Println(t.Issue(id))
	}
	t.Reset()
	fmt.Println(t.Issue(3), t.Len())
	// Output:
	// <nil>
	// <nil>
	// baseline: too many ids outstanding
	// <nil> 1
}
