package client_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// traffic is what a server sends about a crowd: deltas of moving objects against the last snapshot, of which every
// fourth time one leaves and another comes. The client owns object 0.
type traffic struct {
	bodies [][]byte
	acks   []uint32
}

func newTraffic(t testing.TB, codec *tsync.Codec, objects, snapshots int) traffic {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	var tr traffic
	gone := uint32(0)
	for n := range snapshots {
		s := tsync.Snapshot{Tick: uint32(3 * n), ID: uint32(n + 1), Base: uint32(n)}
		if n > 0 && n%4 == 0 {
			s.Removed = []uint32{1 + (gone+1)%uint32(objects-1)}
		}
		for id := range uint32(objects) {
			fields := tsync.FieldPosition | tsync.FieldVelocity
			back := n%4 == 1 && id == 1+gone%uint32(objects-1)
			switch {
			case n == 0 || back && n > 1:
				fields = whole
			case len(s.Removed) > 0 && id == s.Removed[0], r.IntN(4) > 0 && id != 0:
				continue
			}
			u := update(codec, id, 0, fields, randomState(r))
			if id == 0 {
				u.Fields |= tsync.FieldInputSeq
				u.InputSeq = uint32(max(3*n-6, 0))
			}
			s.Updates = append(s.Updates, u)
		}
		if len(s.Removed) > 0 {
			gone++
		}
		tr.bodies = append(tr.bodies, encode(t, codec, s))
	}
	return tr
}

func TestAppliedSnapshotsDoNotAllocate(t *testing.T) {
	const warm, runs = 200, 300
	codec := newCodec(t, tsync.DefaultHello())
	tr := newTraffic(t, codec, 64, warm+runs+1)
	view, err := client.NewView(codec, client.ViewConfig{})
	require.NoError(t, err)
	var poses []client.Pose
	var clock client.RenderClock
	n, moved := 0, 0
	step := func() {
		if err := view.Apply(tr.bodies[n]); err != nil {
			panic(err)
		}
		n++
		clock.Sync(view)
		for range 3 {
			tick, _ := clock.Advance(view, 1.0/60)
			poses = view.AppendPoses(poses[:0], tick)
		}
		for o := range view.Objects() {
			if o.News != 0 {
				moved++
			}
		}
		if _, ok := view.Sample(0, 1); !ok {
			panic("object 0 is not there")
		}
	}
	for range warm {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(runs, step))
	require.EqualValues(t, warm+runs+1, view.Stats().Applied)
	require.Zero(t, view.Stats().Skipped)
	require.NotZero(t, moved)
	require.GreaterOrEqual(t, len(poses), 63)

	require.Zero(t, testing.AllocsPerRun(10, func() {
		if view.Apply(tr.bodies[0]) == nil || view.Apply(tr.bodies[1][:9]) == nil {
			panic("applied")
		}
	}), "nor does what is refused")
}

func TestClientDoesNotAllocate(t *testing.T) {
	const warm, runs = 200, 300
	p := newPlayer(t, client.Config{})
	tr := newTraffic(t, p.codec, 32, warm+runs+1)
	role := mine(1, 0)
	role.Object = 0
	p.receive(wire.KindTsyncRole, tsync.AppendRole(nil, role))
	payload := []byte("jump")
	var poses []client.Pose
	n, sent := 0, 0
	step := func() {
		if _, err := p.Receive(wire.KindTsyncSnapshot, tr.bodies[n]); err != nil {
			panic(err)
		}
		n++
		for range 3 {
			in := client.Input{Move: [3]float32{100, 0, 0}, DT: 1.0 / 60, Payload: payload, Fire: n%5 == 0, Direction: [3]float32{1, 0, 0}}
			if _, err := p.Push(0, &in); err != nil {
				panic(err)
			}
			p.Advance(1.0 / 60)
			poses = p.AppendPoses(poses[:0])
			for _, f := range p.Flush() {
				sent += len(f.Body)
			}
		}
	}
	for range warm {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(runs, step))
	require.NotZero(t, sent)
	require.Less(t, p.Pending(0), 20)
	require.EqualValues(t, warm+runs+1, p.Stats().Reconciled+1, "but for the first, by which it began")
	require.NotZero(t, p.Stats().Corrections)
}
