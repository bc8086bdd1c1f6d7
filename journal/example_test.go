package journal_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// An authority records what it decides, compacts what its snapshots cover, and serves peers that come back.
func Example() {
	j := journal.NewMemory(journal.Config{})
	for step := range netcode.Step(6) {
		h := netcode.Header{
			Key:   netcode.Key{Session: 1, Author: 2, Sequence: netcode.Sequence(step)},
			Type:  7,
			Step:  step,
			Order: netcode.Order(step) + 1,
		}
		r := journal.Record{Header: h, Request: h, Result: netcode.Accepted}
		if err := j.Append(r); err != nil {
			fmt.Println(err)
		}
	}
	j.Cancel(netcode.Key{Session: 1, Author: 2, Sequence: 4})
	fmt.Println("dropped", j.Compact(3, netcode.MaxRevision, 0), "floor", j.Floor(), "revision", j.Revision())

	// A peer that has seen netcode.MaxRevision up to revision 5 gets the rest.
	changes, ok := j.AppendChangesAfter(nil, 5)
	fmt.Println("replay", ok)
	for _, r := range changes {
		fmt.Println(" ", r.Revision, r.Header.Key, r.Result, r.Cancelled)
	}

	// One that has been away for longer needs a snapshot, here that of step 3, and what it does not contain.
	_, ok = j.AppendChangesAfter(nil, 1)
	fmt.Println("replay", ok)
	for _, r := range j.AppendAcceptedAfter(nil, netcode.Cursor{Step: 3, Order: 6}) {
		fmt.Println("  step", r.Header.Step, "order", r.Header.Order)
	}

	// A command whose record is gone is still not new.
	old := netcode.Key{Session: 1, Author: 2, Sequence: 0}
	_, recorded := j.Lookup(old)
	fmt.Println("recorded", recorded, "known", j.Known(old))

	// Output:
	// dropped 3 floor 3 revision 7
	// replay true
	//   6 2/5 accepted false
	//   7 2/4 accepted true
	// replay false
	//   step 5 order 6
	// recorded false known true
}
