package server

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// FuzzClient gives a world whatever a client may send, in whatever order. A script is a list of a byte that says what,
// one that says how long, and the bytes themselves.
func FuzzClient(f *testing.F) {
	f.Fuzz(runScript)
}

const (
	fuzzInput = iota
	fuzzInputV2
	fuzzAck
	fuzzUpgrade
	fuzzTick
	fuzzForged // an input that is well formed, from a few numbers
	fuzzJoin
	fuzzLeave
	fuzzKinds
)

func runScript(t *testing.T, script []byte) {
	var next uint32
	w := newWorld(t, Config{Epoch: 7, OnInput: func(_ *Client, f *tsync.InputFrame) {
		if f.Object == 1 {
			next++
			require.Equal(t, next, f.Seq, "every input once and in order")
		}
	}})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	other := tsync.State{Position: [3]float32{1, 2, 3}, Rotation: identity}
	spawn(t, w, Object{ID: 2, Role: tsync.OwnerPredicted, Owner: 6, State: other})
	c := join(t, w, 5)
	for len(script) >= 2 {
		kind, n := script[0]%fuzzKinds, min(int(script[1]), len(script)-2)
		body := script[2 : 2+n]
		script = script[2+n:]
		switch kind {
		case fuzzInput:
			_ = c.Input(body)
		case fuzzInputV2:
			_ = c.InputV2(body)
		case fuzzAck:
			_ = c.Ack(body)
		case fuzzUpgrade:
			_, _ = c.Upgrade(nil, body)
		case fuzzTick:
			w.Tick()
			snapshot, err := c.AppendSnapshot(nil)
			require.NoError(t, err)
			require.LessOrEqual(t, len(snapshot), tsync.MaxSnapshotBytes)
		case fuzzForged:
			_ = c.Input(forge(body))
		case fuzzJoin:
			if again, err := w.Join(5, body); err == nil {
				c, next = again, 0
			}
		case fuzzLeave:
			w.Leave(c)
		}
		c.Roles()
		c.Rewinds()
		requireSound(t, w, c)
		untouched, _ := w.Object(2)
		require.Equal(t, other, untouched.State)
	}
}

// forge makes the body of an input of a few bytes.
func forge(b []byte) []byte {
	b = append(b[:len(b):len(b)], make([]byte, 8)...)
	in := tsync.Input{Acked: uint32(b[0]), Frames: []tsync.InputFrame{{
		Seq: uint32(b[1]), Object: uint32(b[2] % 4), OwnershipEpoch: uint32(b[3] % 4),
		DT:   math.Float32frombits(binary.BigEndian.Uint32(b[4:])),
		Move: [3]float32{math.Float32frombits(binary.LittleEndian.Uint32(b[4:])), 100, 0},
		Fire: b[3]&16 != 0, Direction: [3]float32{1, 0, 0},
	}}}
	return tsync.AppendInput(nil, &in)
}

// requireSound checks what holds whatever a client has sent.
func requireSound(t *testing.T, w *World, c *Client) {
	require.LessOrEqual(t, c.states.base, c.ids.Last)
	require.LessOrEqual(t, c.newestAck, c.ids.Last)
	require.LessOrEqual(t, len(c.states.kept), DefaultRing)
	if base := c.states.base; base != 0 {
		require.Equal(t, base, c.states.kept[0].id)
	}
	p := w.find(1)
	require.True(t, motion.Finite(&p.State))
	require.LessOrEqual(t, p.queue.Pending(), motion.MaxAhead)
	for i, v := range p.State.Position {
		require.LessOrEqual(t, v, w.config.Limits.World.Max[i])
		require.GreaterOrEqual(t, v, w.config.Limits.World.Min[i])
	}
	x, y := float64(p.State.Position[0]), float64(p.State.Position[1])
	most := float64(motion.DefaultMaxSpeed) * (float64(w.tick)/60 + motion.DefaultMost)
	require.LessOrEqual(t, math.Hypot(x, y), most*1.001+1)
}
