package interest_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
)

func Example() {
	grid := interest.NewGrid[uint32](100)
	for id := range uint32(5) {
		grid.Move(id, [3]float32{float32(id) * 50})
	}

	var view interest.View[uint32]
	radius := interest.Radius{Enter: 100, Leave: 125}
	var entered, exited []uint32
	for _, x := range []float32{0, 20, 50, 130} {
		entered, exited = view.Update(grid, [3]float32{x}, radius, entered[:0], exited[:0])
		fmt.Println(x, "in", entered, "out", exited, "all", view.IDs())
	}
	// Output:
	// 0 in [0 1 2] out [] all [0 1 2]
	// 20 in [] out [] all [0 1 2]
	// 50 in [3] out [] all [0 1 2 3]
	// 130 in [4] out [0] all [1 2 3 4]
}

func ExampleGrid_Candidates() {
	grid := interest.NewGrid[uint64](10)
	grid.Move(7, [3]float32{1, 1})
	grid.Move(3, [3]float32{-9, 19})
	grid.Move(5, [3]float32{21, 1})
	fmt.Println(grid.Candidates(nil, [3]float32{9, 9}))
	grid.Move(5, [3]float32{19, 1})
	fmt.Println(grid.Candidates(nil, [3]float32{9, 9}))
	// Output:
	// [3 7]
	// [3 5 7]
}
