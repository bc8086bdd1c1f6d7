package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// TestBytesOfAnObject measures what the package documentation says, without the header of a snapshot.
func TestBytesOfAnObject(t *testing.T) {
	const objects = 40
	for _, tc := range []struct {
		name          string
		object        Object
		change        func(s *tsync.State)
		full, changed float64
	}{
		{"still", Object{}, nil, 18.75, 0},
		{"moving", Object{}, func(s *tsync.State) { s.Position[0] += 10 }, 18.75, 14.75},
		{"turning", Object{}, func(s *tsync.State) { s.Rotation = [4]float32{0, 0, 1, 1} }, 18.75, 10.5},
		{"with velocity", Object{ReplicateVelocity: true}, func(s *tsync.State) { s.Position[0] += 10 }, 25.875, 14.75},
		{"accelerating", Object{ReplicateVelocity: true}, func(s *tsync.State) {
			s.Position[0] += 10
			s.Velocity[0] += 100
		}, 25.875, 21.875},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, Config{Budget: -1})
			for id := range uint32(objects) {
				tc.object.ID, tc.object.Role = id, tsync.StaticReplicated
				spawn(t, w, tc.object)
			}
			c, s := join(t, w, 1), newScreen(t, w)
			measure := func() float64 {
				w.Tick()
				body := build(t, c)
				if len(body) == 0 {
					return 0
				}
				require.True(t, s.apply(body))
				require.NoError(t, c.Ack(s.ack()))
				return float64(len(body)-tsync.SnapshotHeaderBytes) / objects
			}
			require.InDelta(t, tc.full, measure(), 1./objects)
			if tc.change != nil {
				for id := range uint32(objects) {
					o, _ := w.Object(id)
					tc.change(&o.State)
					require.NoError(t, w.SetState(id, o.State))
				}
			}
			require.InDelta(t, tc.changed, measure(), 1./objects)
			for id := range uint32(objects) {
				w.Despawn(id)
			}
			require.InDelta(t, 4, measure(), 0)
		})
	}
}
