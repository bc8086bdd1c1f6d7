package rewind_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// FuzzNearest takes a shot as a peer can send it, and three targets of any numbers: a hit is of one of them, forward, at
// a place that is a number, and the same with the targets in another order unless two are as near.
func FuzzNearest(f *testing.F) {
	pack := func(numbers ...float32) (b []byte) {
		for _, n := range numbers {
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(n))
		}
		return b
	}
	f.Add(pack(0, 0, 0, 1, 0, 0, 100, 0, 0, 0, 0, 0, 50, 200, 0, 0, 0, 0, 30, 50))
	f.Add(pack(0, 0, 0, 1, 0, 0, -100, 0, 0, 0, 0, 0, -50, 1e30, 0, 0, 0, 0, 1e30, 1e20))
	f.Add(pack(nan, inf, -inf, 1, nan, 0, 100, 0, 0, 0, 0, 0, 50))
	f.Fuzz(func(t *testing.T, b []byte) {
		next := func() (n float32) {
			if len(b) >= 4 {
				n = math.Float32frombits(binary.BigEndian.Uint32(b))
				b = b[4:]
			}
			return n
		}
		three := func() [3]float32 { return [3]float32{next(), next(), next()} }
		shot := rewind.Shot{Origin: three(), Direction: three()}
		var targets [3]rewind.Target
		for i := range targets {
			targets[i] = rewind.Target{Object: uint32(i), Center: three(), Half: three(), Radius: next()}
		}
		hit, ok := rewind.Nearest(shot, targets[:])
		targets[0], targets[2] = targets[2], targets[0]
		turned, again := rewind.Nearest(shot, targets[:])
		require.Equal(t, ok, again)
		require.Equal(t, hit.Distance, turned.Distance)
		if !ok {
			require.Zero(t, hit)
			return
		}
		require.Less(t, hit.Object, uint32(3))
		require.GreaterOrEqual(t, hit.Distance, 0.0)
		require.False(t, math.IsInf(hit.Distance, 0))
		for _, p := range hit.Point {
			require.False(t, math.IsNaN(float64(p)))
		}
	})
}
