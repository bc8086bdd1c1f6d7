package motion_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// FuzzInput feeds bodies of inputs, each with a length of two bytes in front, to an owner's queue, allowance and
// movement. Whatever a peer sends, inputs count once and in order, and the object stays a number, in the world and below
// the speed limit.
func FuzzInput(f *testing.F) {
	add := func(bundles ...[]tsync.InputFrame) {
		var stream []byte
		for _, frames := range bundles {
			body := tsync.AppendInput(nil, &tsync.Input{Frames: frames})
			stream = binary.BigEndian.AppendUint16(stream, uint16(len(body)))
			stream = append(stream, body...)
		}
		f.Add(stream)
	}
	east := [3]float32{500, 0, 0}
	add([]tsync.InputFrame{{Seq: 1, DT: 0.1, Move: east}}, []tsync.InputFrame{{Seq: 1}, {Seq: 2, DT: 0.1, Move: east}})
	add([]tsync.InputFrame{{Seq: 256}, {Seq: 257}, {Seq: 0}, {Seq: math.MaxUint32}, {Seq: 1, Payload: []byte("x")}})
	add([]tsync.InputFrame{{Seq: 1, DT: nan, Move: [3]float32{inf, nan, -inf}, Fire: true}})
	f.Fuzz(func(t *testing.T, stream []byte) {
		limits := motion.DefaultLimits()
		allowance := motion.Allowance{Most: 0.5}
		var queue motion.Queue[tsync.InputFrame]
		var in tsync.Input
		var s tsync.State
		applied := uint32(0)
		for len(stream) >= 2 {
			n := min(int(binary.BigEndian.Uint16(stream)), len(stream)-2)
			body := stream[2 : 2+n]
			stream = stream[2+n:]
			if tsync.ParseInput(body, &in) != nil {
				continue
			}
			for i := range in.Frames {
				motion.OfferFrame(&queue, &in.Frames[i])
			}
			require.LessOrEqual(t, queue.Pending(), motion.MaxAhead)
			for {
				seq, f := queue.Next()
				if f == nil {
					break
				}
				applied++
				require.Equal(t, applied, seq)
				require.Equal(t, seq, f.Seq)
				motion.Integrate(&s, f.Move, allowance.Spend(f.DT, limits.MaxDT), &limits)
				require.True(t, motion.Finite(&s))
			}
			require.Equal(t, applied, queue.Acked())
		}
		distance := 0.0
		for _, p := range s.Position {
			distance += float64(p) * float64(p)
		}
		require.LessOrEqual(t, math.Sqrt(distance), 0.5*2000*1.001, "farther than the allowance lasts")
	})
}
