package netcode_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// A mutator works on a fork; only an accepted command commits what it took.
func ExamplePreparation() {
	prep := netcode.NewPreparation(netcode.Start{Seed: 42}.PreparationState())

	refused := prep.Fork()
	refused.NextSeed()
	if _, err := refused.ReserveIDs(100); err != nil {
		fmt.Println(err)
	}
	// The command was refused: the fork is forgotten.

	accepted := prep.Fork()
	first, err := accepted.ReserveIDs(3)
	if err != nil {
		fmt.Println(err)
	}
	seed := accepted.NextSeed()
	prep = accepted // The command was accepted.

	fmt.Printf("ids %d to %d, seed %#x\n", first, first+2, seed)
	fmt.Println("next id", prep.State().NextID)
	// Output:
	// ids 1 to 3, seed 0xbdd732262feb6e95
	// next id 4
}

func ExampleStep_Add() {
	next, ok := netcode.Step(-1).Add(1)
	fmt.Println(next, ok)

	same, ok := netcode.MaxStep.Add(1)
	fmt.Println(same == netcode.MaxStep, ok)
	// Output:
	// 0 true
	// true false
}

func ExampleStep_Sub() {
	fmt.Println(netcode.Step(12).Sub(10), netcode.Step(10).Sub(12))
	// Output: 2 -2
}

// The commands of one step run in an order that every peer agrees on, whatever the network did to them.
func ExampleEntry_CompareExecution() {
	entry := func(author netcode.AuthorID, seq netcode.Sequence, order netcode.Order, predicted bool) netcode.Entry {
		key := netcode.Key{Session: 1, Author: author, Sequence: seq}
		return netcode.Entry{Header: netcode.Header{Key: key, Step: 9, Order: order}, Predicted: predicted}
	}
	arrived := []netcode.Entry{entry(7, 2, 5, true), entry(3, 1, 6, false), entry(8, 4, 5, false)}
	slices.SortFunc(arrived, func(a, b netcode.Entry) int { return a.CompareExecution(&b) })
	for _, e := range arrived {
		fmt.Println(e.Header.Order, e.Header.Key)
	}
	// Output:
	// 5 8/4
	// 5 7/2
	// 6 3/1
}

func ExampleCursor_Covers() {
	seen := netcode.Cursor{Step: 100, Order: 40}
	fmt.Println(seen.Covers(netcode.Header{Step: 99, Order: 12}))
	fmt.Println(seen.Covers(netcode.Header{Step: 99, Order: 41}))
	// Output:
	// true
	// false
}

func ExampleFaultError() {
	err := fmt.Errorf("advance: %w", &netcode.FaultError{Step: 8, Doing: "tick", Cause: errors.New("maze without an exit")})
	fmt.Println(errors.Is(err, netcode.ErrFaulted))
	fmt.Println(err)
	// Output:
	// true
	// advance: netcode: tick step 8: maze without an exit
}
