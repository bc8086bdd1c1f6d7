package protocol_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// A receiver looks at the kind, parses into a frame that it keeps, and copies the payload if it keeps that.
func Example() {
	sent := protocol.Proposal{
		Header: netcode.Header{
			Key:  netcode.Key{Session: 1, Author: 7, Sequence: 42},
			Type: 0x4D415A4500000003,
			Step: 100,
		},
		Payload: []byte{1, 2, 3},
	}
	buf := make([]byte, 0, 256) // reused for every frame
	frame := sent.Append(buf)
	fmt.Println("sent", sent.Size(), "bytes")

	var proposal protocol.Proposal
	kind, err := protocol.PeekKind(frame)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch kind {
	case protocol.KindProposal:
		if err := proposal.Parse(frame); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("received", kind, proposal.Header.Key, "for step", proposal.Header.Step, proposal.Payload)
	}
	// Output:
	// sent 44 bytes
	// received proposal 7/42 for step 100 [1 2 3]
}

func ExampleFrameError() {
	var status protocol.SyncStatus
	frame := (&protocol.SyncStatus{Session: 1, Protocol: 2}).Append(nil)
	frame[1] = 9
	err := status.Parse(frame)
	fmt.Println(err)

	fe, ok := errors.AsType[*protocol.FrameError](err)
	fmt.Println(ok, fe.Kind, fe.Offset, errors.Is(err, protocol.ErrValue))
	// Output:
	// protocol: undefined value (9): sync_status, byte 1
	// true sync_status 1 true
}

// Extensions are in use once both sides have offered them.
func ExampleOffer() {
	mine := protocol.Offer{Session: 1, Extensions: protocol.ExtResume}
	var theirs protocol.Offer
	// A newer peer may offer what this one has never heard of.
	received := protocol.Offer{Session: 1, Extensions: protocol.ExtResume | 1<<9}
	if err := theirs.Parse(received.Append(nil)); err != nil {
		fmt.Println(err)
		return
	}
	inUse := mine.Extensions & theirs.Extensions
	fmt.Println(inUse.Has(protocol.ExtResume), inUse == protocol.ExtResume)
	// Output:
	// true true
}
