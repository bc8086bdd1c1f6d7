package tsync_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// A server tells a client what moved since the snapshot that the client acknowledged.
func Example() {
	hello := tsync.DefaultHello()
	codec, err := tsync.NewCodec(hello)
	if err != nil {
		fmt.Println(err)
		return
	}

	// Once a step, whoever is watching:
	var before, now tsync.Codes
	state := tsync.State{Position: [3]float32{100, 0, 0}, Rotation: [4]float32{0, 0, 0, 1}}
	_ = codec.Quantize(&state, tsync.StateFields, &before) // nothing is NaN
	state.Position[0] += 2.5
	_ = codec.Quantize(&state, tsync.StateFields, &now)

	// For a client that has snapshot 41:
	body, err := codec.AppendSnapshot(nil, &tsync.Snapshot{
		Tick: 900, ID: 43, Base: 41, SendRate: hello.SendRate,
		Updates: []tsync.Update{{Object: 7, Gen: 1, Fields: now.Changed(&before), Codes: now}},
	})
	fmt.Printf("%x %v\n", body, err)

	// The client looks at the header first, then takes the update over what it has.
	header, err := tsync.ParseSnapshotHeader(body)
	fmt.Println(header.ID, header.Base, err)
	var snapshot tsync.Snapshot
	if err := codec.ParseSnapshot(body, &snapshot); err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range snapshot.Updates {
		known := before
		known.Merge(&u.Codes, u.Fields)
		codec.Dequantize(&known, tsync.StateFields, &state)
		fmt.Println(u.Object, state.Position)
	}
	// Output:
	// 000003840000002b000000291400000001000000070001440066880000100000 <nil>
	// 43 41 <nil>
	// 7 [102.5 0 0]
}

// A server with more to say than fits a datagram stops in time.
func ExampleSnapshotWriter() {
	codec, _ := tsync.NewCodec(tsync.DefaultHello())
	var w tsync.SnapshotWriter
	w.Begin(codec, nil, tsync.SnapshotHeader{Tick: 900, ID: 43, SendRate: 20})
	_ = w.Remove(3)
	for object := range uint32(100) {
		u := tsync.Update{Object: object, Fields: tsync.StateFields}
		if !w.Fits(u.Fields, tsync.MaxSnapshotBytes) {
			break
		}
		if err := w.Add(&u); err != nil {
			fmt.Println(err)
			return
		}
	}
	updates := w.Updates()
	fmt.Println(updates, "updates,", len(w.Bytes()), "bytes")
	// Output:
	// 45 updates, 1186 bytes
}

func ExampleAppendInput() {
	body := tsync.AppendInput(nil, &tsync.Input{Acked: 41, LastSeen: 43, Frames: []tsync.InputFrame{
		{Seq: 12, SimTick: 905, DT: 1.0 / 60, Object: 7, OwnershipEpoch: 1, Move: [3]float32{300, 0, 0}, Payload: []byte("j")},
		{Seq: 13, SimTick: 906, DT: 1.0 / 60, Object: 7, OwnershipEpoch: 1, Move: [3]float32{300, 0, 0}},
	}})
	var in tsync.Input
	if err := tsync.ParseInput(body, &in); err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range in.Frames {
		fmt.Printf("%d: %v %q\n", f.Seq, f.Move, f.Payload)
	}
	fmt.Println(tsync.ParseInput(body[:20], &in), len(in.Frames))
	// Output:
	// 12: [300 0 0] "j"
	// 13: [300 0 0] ""
	// tsync: input: wire: body ends early 0
}

func ExampleParseHello() {
	hello, err := tsync.ParseHello(tsync.AppendHello(nil, tsync.DefaultHello()))
	fmt.Println(hello.Quat, hello.SendRate, hello.SimRate, err)
	_, err = tsync.ParseHello(nil) // a client's opt-in, for which a server does not need this
	fmt.Println(err)
	// Output:
	// 10 20 60 <nil>
	// tsync: hello of 0 bytes: wire: body ends early
}
