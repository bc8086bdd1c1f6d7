package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// TestStepsDoNotAllocate runs all that a server does in a step, objects that come and go included.
func TestStepsDoNotAllocate(t *testing.T) {
	c := newCrowd(t, 8, 1024, server.Config{Tombstones: 64})
	owner := c.clients[0]
	const own, guest = 5000, 5001
	_, err := c.world.Spawn(server.Object{
		ID: own, Role: tsync.OwnerPredicted, Owner: owner.Participant(), Shape: rewind.Shape{Radius: 50},
	})
	require.NoError(t, err)
	in := tsync.Input{Frames: make([]tsync.InputFrame, 4)}
	seq := uint32(0)
	var body []byte
	step := func() {
		// Every input is sent again three times, and fires.
		seq++
		for i := range in.Frames {
			in.Frames[i] = tsync.InputFrame{
				Seq: seq - min(uint32(i), seq), Object: own, DT: 1. / 60, Move: [3]float32{100, 0, 0}, Payload: body[:min(len(body), 8)],
				Fire: true, Direction: [3]float32{1, 0, 0},
			}
		}
		body = tsync.AppendInput(body[:0], &in)
		if err := owner.Input(body); err != nil {
			t.Fatal(err)
		}
		if seq%2 == 0 {
			if _, err := c.world.Spawn(server.Object{ID: guest, Shape: rewind.Shape{Radius: 50}}); err != nil {
				t.Fatal(err)
			}
		} else {
			c.world.Despawn(guest)
		}
		c.step(t)
		for _, client := range c.clients {
			client.Roles()
			client.Rewinds()
			client.Observe(congestion.Path{RTT: 30, Sent: uint64(seq)}, 1./60)
		}
	}
	for range 500 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(200, step))
	require.EqualValues(t, seq, owner.Stats().Inputs)
}
