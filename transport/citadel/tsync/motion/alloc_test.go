package motion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// TestNothingAllocates takes bundles of 8 frames, every other of which is lost, once the queue has grown.
func TestNothingAllocates(t *testing.T) {
	drive := newDriver()
	drive.rounds(100)
	require.Zero(t, testing.AllocsPerRun(200, func() { drive.rounds(4) }))
	require.NotZero(t, drive.queue.Acked())
}

// driver is an owner and its server.
type driver struct {
	queue   motion.Queue[tsync.InputFrame]
	state   tsync.State
	limits  motion.Limits
	bundle  [8]tsync.InputFrame
	payload [16]byte
	seq     uint32
	round   int
}

func newDriver() *driver { return &driver{limits: motion.DefaultLimits()} }

func (d *driver) rounds(n int) {
	for range n {
		d.seq++
		copy(d.bundle[:], d.bundle[1:])
		d.bundle[7] = tsync.InputFrame{Seq: d.seq, DT: 1.0 / 60, Move: [3]float32{100, 200, 0}, Payload: d.payload[:]}
		if d.round++; d.round%2 == 0 {
			continue
		}
		for i := range d.bundle {
			motion.OfferFrame(&d.queue, &d.bundle[len(d.bundle)-1-i])
		}
		for {
			_, f := d.queue.Next()
			if f == nil {
				break
			}
			motion.Integrate(&d.state, f.Move, f.DT, &d.limits)
		}
	}
}

func BenchmarkQueueBundles(b *testing.B) {
	b.ReportAllocs()
	d := newDriver()
	for b.Loop() {
		d.rounds(1)
	}
}

func BenchmarkQueueInOrder(b *testing.B) {
	b.ReportAllocs()
	var q motion.Queue[tsync.InputFrame]
	var f tsync.InputFrame
	for b.Loop() {
		f.Seq++
		motion.OfferFrame(&q, &f)
		q.Next()
	}
}

func BenchmarkIntegrate(b *testing.B) {
	b.ReportAllocs()
	l := motion.DefaultLimits()
	var s tsync.State
	for b.Loop() {
		motion.Integrate(&s, [3]float32{3000, -20, 1}, 1.0/60, &l)
	}
}
