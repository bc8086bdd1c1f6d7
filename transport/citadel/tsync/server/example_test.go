package server_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

func Example() {
	world, err := server.New(server.Config{PlayerSlots: 8})
	if err != nil {
		panic(err)
	}
	_, err = world.Spawn(server.Object{
		ID: 100, Role: tsync.ServerSimulated, ReplicateVelocity: true,
		State: tsync.State{Position: [3]float32{0, 500, 0}, Velocity: [3]float32{60, 0, 0}},
	})
	if err != nil {
		panic(err)
	}

	// A client opts in with an empty body of kind 7 and gets an answer of kind 7 and roles of kind 11.
	player, err := world.Join(4711, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("hello of", len(player.AppendHello(nil)), "bytes")
	epoch := uint32(0)
	for _, r := range player.Roles() {
		fmt.Println("object", r.Object, "is", r.Role)
		epoch = r.OwnershipEpoch
	}

	// It runs to the right: one input for each of its steps, each bundle with the one before again.
	run := func(seq uint32) tsync.InputFrame {
		return tsync.InputFrame{Seq: seq, Object: 1, OwnershipEpoch: epoch, DT: 1. / 60, Move: [3]float32{300, 0, 0}}
	}
	var snapshot tsync.Snapshot
	body := make([]byte, 0, tsync.MaxSnapshotBytes)
	for seq := uint32(2); seq <= 61; seq++ {
		in := tsync.Input{Acked: snapshot.ID, LastSeen: snapshot.ID, Frames: []tsync.InputFrame{run(seq - 1), run(seq)}}
		if err := player.Input(tsync.AppendInput(nil, &in)); err != nil {
			panic(err)
		}
		world.Tick()
		if !player.Due() {
			continue
		}
		body, err = player.AppendSnapshot(body[:0])
		if err != nil {
			panic(err)
		}
		if len(body) > 0 { // a datagram of player.SnapshotKind()
			if err := world.Codec().ParseSnapshot(body, &snapshot); err != nil {
				panic(err)
			}
		}
	}
	fmt.Println("snapshot", snapshot.ID, "is based on", snapshot.Base, "and has", len(body), "bytes")
	for _, u := range snapshot.Updates {
		var s tsync.State
		world.Codec().Dequantize(&u.Codes, u.Fields, &s)
		fmt.Printf("object %d at x = %.0f, input %d\n", u.Object, s.Position[0], u.InputSeq)
	}
	// Output:
	// hello of 59 bytes
	// object 1 is owner predicted
	// snapshot 20 is based on 19 and has 51 bytes
	// object 1 at x = 505, input 61
	// object 100 at x = 60, input 0
}
