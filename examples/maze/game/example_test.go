package game_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
)

// A maze is a function of its settings: the same on every machine.
func Example() {
	w, err := game.New(game.Settings{
		Seed: 7, Columns: 12, Rows: 4, Coins: 8, Spikes: 3, Doors: 4, Chests: 4, Goal: 50,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", w.AppendPicture(nil, 0))

	state, err := w.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("state", game.Hash(state))
	// Output:
	// #########################
	// #^#    ^     .    #    .#
	// # # ######### ### ##### #
	// #  ^+  $    # #      $  #
	// ##### ##### # ##### ###+#
	// #$          #.  # + + # #
	// # ####### # ### # # ### #
	// #    .  #  .   .#$#.   .#
	// #########################
	// state 9f0e6c604ee6b9dc
}
