package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// Once memory has grown, objects whose numbers change are captured, sent, received and acknowledged without
// allocating, with shared payloads and without.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, unshared := range []bool{false, true} {
		w := newWorld(t, replica.Config{Unshared: unshared}, 2, 3, 4)
		u, got := newUnit(), new(unit)
		u.name = "anna"
		u.bag.Add(5)
		var body, ack []byte
		var failed error
		emit := func(_ uint32, b []byte) error { body = append(body[:0], b...); return nil }
		tick := int16(0)
		trip := func() {
			tick++
			u.setHealth(tick % 100)
			u.setPosition([3]float32{float32(tick % 500), 1, 2})
			if err := w.e.Capture(u); err != nil {
				failed = err
			}
			w.s.Advance()
			for _, p := range []replica.PeerID{2, 3, 4} {
				if err := w.s.Send(p, emit); err != nil {
					failed = err
				}
				update, err := w.r[p].Apply(body)
				if err != nil {
					failed = err
				}
				got.ReadReplica(update.State, update.Changed)
				if p == 4 && tick%3 != 0 {
					continue // has another baseline
				}
				if ack, err = w.r[p].AppendAcks(ack[:0]); err != nil {
					failed = err
				}
				if _, err := w.s.Ack(p, ack); err != nil {
					failed = err
				}
			}
		}
		for range 300 {
			trip()
		}
		require.Zero(t, testing.AllocsPerRun(200, trip))
		require.NoError(t, failed)
		require.Equal(t, u.health, got.health)
		require.Equal(t, u.position, got.position)
	}
}

// Refusing a bunch does not allocate.
func TestRefusingDoesNotAllocate(t *testing.T) {
	r := replica.NewReceiver(0, unitClass)
	_, err := r.Apply(forge(t, netpeerFull(10), health(1)))
	require.NoError(t, err)
	bodies := [][]byte{
		nil, forge(t, netpeerFull(10), health(1)), forge(t, netpeerDelta(12, 11), health(1)),
		forge(t, netpeerDelta(12, 10), health(1))[:7],
	}
	refused := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, b := range bodies {
			if _, err := r.Apply(b); err != nil {
				refused++
			}
		}
	}))
	require.Equal(t, 101*len(bodies), refused)
}
