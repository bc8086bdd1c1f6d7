package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// 256 objects in view, of which a quarter moved since the last snapshot.
func BenchmarkApply(b *testing.B) {
	const snapshots = 64
	codec := newCodec(b, tsync.DefaultHello())
	tr := newTraffic(b, codec, 256, snapshots)
	view, err := client.NewView(codec, client.ViewConfig{})
	require.NoError(b, err)
	b.ReportAllocs()
	b.SetBytes(int64(len(tr.bodies[1])))
	for n := 0; b.Loop(); n++ {
		body := tr.bodies[n%snapshots]
		renumber(body, n, snapshots)
		if err := view.Apply(body); err != nil {
			b.Fatal(err)
		}
	}
}

// renumber makes a snapshot of traffic the n-th that was sent, so that the same ones can be sent again.
func renumber(body []byte, n, snapshots int) {
	base := uint32(n)
	if n%snapshots == 0 {
		base = 0
	}
	for i, v := range []uint32{uint32(3 * n), uint32(n + 1), base} {
		body[4*i], body[4*i+1], body[4*i+2], body[4*i+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
}

// The poses of 256 objects at a tick between two samples: a rendered frame.
func BenchmarkPoses(b *testing.B) {
	codec := newCodec(b, tsync.DefaultHello())
	tr := newTraffic(b, codec, 256, 40)
	view, err := client.NewView(codec, client.ViewConfig{})
	require.NoError(b, err)
	for _, body := range tr.bodies {
		require.NoError(b, view.Apply(body))
	}
	tick, _ := view.RenderTick()
	var poses []client.Pose
	b.ReportAllocs()
	for b.Loop() {
		poses = view.AppendPoses(poses[:0], tick)
	}
	require.Len(b, poses, view.Len())
}

// A correction with 12 inputs on their way, which is 200 ms at 60 a second.
func BenchmarkReconcile(b *testing.B) {
	p := newPredictor(b, client.PredictorConfig{})
	seq := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if seq, err = p.Push([3]float32{100, 50, 0}, 1.0/60); err != nil {
			b.Fatal(err)
		}
		if err := p.Reconcile(at(3), max(seq, 12)-12); err != nil {
			b.Fatal(err)
		}
	}
}

// A bundle of 8 inputs.
func BenchmarkBundle(b *testing.B) {
	s := newSender(b, client.SenderConfig{})
	in := client.Input{Move: [3]float32{100, 50, 0}, DT: 1.0 / 60}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		seq, err := s.Push(&in, 0)
		if err != nil {
			b.Fatal(err)
		}
		buf = s.AppendInput(buf[:0], 1, 1)
		s.Ack(max(seq, 12) - 12)
	}
}

// A rendered frame of a client that only watches 64 objects: time, poses, what is to be sent, and every third time a
// snapshot.
func BenchmarkClientFrame(b *testing.B) {
	const snapshots = 64
	p := newPlayer(b, client.Config{})
	tr := newTraffic(b, p.codec, 64, snapshots)
	var poses []client.Pose
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%3 == 0 {
			body := tr.bodies[n/3%snapshots]
			renumber(body, n/3, snapshots)
			if _, err := p.Receive(wire.KindTsyncSnapshot, body); err != nil {
				b.Fatal(err)
			}
		}
		p.Advance(1.0 / 60)
		poses = p.AppendPoses(poses[:0])
		p.Flush()
	}
}
