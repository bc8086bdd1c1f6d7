package client_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// packet is a frame on its way.
type packet struct {
	due  int // tick
	kind wire.Kind
	body []byte
}

// line is one direction of a connection: datagrams are lost, late, doubled and out of order, the rest is not.
type line struct {
	r        *rand.Rand
	loss     float64
	datagram []packet
	stream   []packet
	lost     int
}

func (l *line) send(now int, kind wire.Kind, body []byte) {
	body = append([]byte(nil), body...)
	if info, _ := kind.Info(); info.Delivery == wire.Reliable {
		l.stream = append(l.stream, packet{now + 3, kind, body})
		return
	}
	if l.r.Float64() < l.loss {
		l.lost++
		return
	}
	l.datagram = append(l.datagram, packet{now + 2 + l.r.IntN(6), kind, body})
	if l.r.IntN(20) == 0 {
		l.datagram = append(l.datagram, packet{now + 2 + l.r.IntN(12), kind, body})
	}
}

func (l *line) receive(now int, take func(wire.Kind, []byte)) {
	for len(l.stream) > 0 && l.stream[0].due <= now {
		take(l.stream[0].kind, l.stream[0].body)
		l.stream = l.stream[1:]
	}
	rest := l.datagram[:0]
	for _, p := range l.datagram {
		if p.due <= now {
			take(p.kind, p.body)
		} else {
			rest = append(rest, p)
		}
	}
	l.datagram = rest
}

// link is a client, its server's side of it, and what is between.
type link struct {
	*client.Client
	t        *testing.T
	codec    *tsync.Codec
	peer     *server.Client
	up, down line
	sent     map[uint32][]server.Latched // by snapshot: what the client has once it applied it
	checked  int
}

// fromServer takes a frame and compares what it makes with what the server believes it makes.
func (l *link) fromServer(kind wire.Kind, body []byte) {
	before := l.Stats().View.Applied
	_, err := l.Receive(kind, body)
	require.NoError(l.t, err)
	if l.Stats().View.Applied == before {
		return
	}
	l.checked++
	want := l.sent[l.View().Ack().ID]
	require.Equal(l.t, len(want), l.View().Len())
	n := 0
	for o := range l.View().Objects() {
		w := &want[n]
		n++
		require.Equal(l.t, w.ID, o.ID)
		require.Equal(l.t, w.Gen, o.Gen)
		fields := full
		if w.ReplicateVelocity {
			fields = whole
		}
		var state tsync.State
		l.codec.Dequantize(&w.Codes, fields, &state)
		require.Equal(l.t, state, o.State)
	}
}

func (l *link) fromClient(world *server.World) func(wire.Kind, []byte) {
	return func(kind wire.Kind, body []byte) {
		var err error
		switch kind {
		case wire.KindTsyncHello:
			l.peer, err = world.Join(l.up.r.Uint64()|1, body)
			l.down.send(0, kind, l.peer.AppendHello(nil))
		case wire.KindTsyncV2Hello:
			var answer []byte
			answer, err = l.peer.Upgrade(nil, body)
			l.down.send(0, kind, answer)
		case wire.KindTsyncInput:
			err = l.peer.Input(body)
		case wire.KindTsyncV2Input:
			err = l.peer.InputV2(body)
		case wire.KindTsyncAck:
			err = l.peer.Ack(body)
		}
		require.NoError(l.t, err)
	}
}

// fromWorld sends what the server has to say.
func (l *link) fromWorld(now int) {
	if l.peer == nil {
		return
	}
	if l.peer.Due() {
		body, err := l.peer.AppendSnapshot(nil)
		require.NoError(l.t, err)
		if len(body) > 0 {
			plain := body
			if l.peer.SnapshotKind() == wire.KindTsyncV2Snapshot {
				plain = body[tsync.ClockBytes:]
			}
			h, err := tsync.ParseSnapshotHeader(plain)
			require.NoError(l.t, err)
			for known := range l.peer.Known(h.ID) {
				l.sent[h.ID] = append(l.sent[h.ID], known)
			}
			l.down.send(now, l.peer.SnapshotKind(), body)
		}
	}
	for _, r := range l.peer.Roles() {
		l.down.send(now, wire.KindTsyncRole, tsync.AppendRole(nil, r))
	}
	for _, r := range l.peer.Rewinds() {
		l.down.send(now, wire.KindTsyncRewind, tsync.AppendRewind(nil, r))
	}
}

// Clients of this package at a server of package server, over networks of all sorts: what they reconstruct is what the
// server believes, to the bit; what they predict is what the server does, and needs no correction; every input counts.
func TestClientAndServer(t *testing.T) {
	for _, loss := range []float64{0, 0.1, 0.3} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("loss %v, seed %d", loss, seed), func(t *testing.T) { play(t, loss, seed) })
		}
	}
}

func play(t *testing.T, loss float64, seed uint64) {
	const players, objects, ticks, drain = 3, 60, 1500, 300
	r := rand.New(rand.NewPCG(seed, 11))
	limits := motion.DefaultLimits()
	world, err := server.New(server.Config{Epoch: 77, PlayerSlots: players, Limits: limits})
	require.NoError(t, err)
	spawn := func(id uint32) {
		_, err := world.Spawn(server.Object{ID: id, Role: tsync.ServerSimulated, State: randomState(r), ReplicateVelocity: r.IntN(2) == 0})
		require.NoError(t, err)
	}
	for id := range uint32(objects) {
		spawn(100 + id)
	}
	links := make([]*link, players)
	for i := range links {
		c, err := client.New(client.Config{Predictor: client.PredictorConfig{Limits: &limits}, Version2: i == 1})
		require.NoError(t, err)
		links[i] = &link{
			Client: c, t: t, codec: world.Codec(), sent: map[uint32][]server.Latched{},
			up: line{r: r, loss: loss}, down: line{r: r, loss: loss},
		}
	}

	var poses []client.Pose
	teleports := 0
	for now := range ticks + drain {
		for _, l := range links {
			l.down.receive(now, l.fromServer)
			if now < ticks {
				for _, object := range l.AppendOwned(nil) {
					in := client.Input{Move: randomState(r).Velocity, DT: 1.0 / 60, Fire: r.IntN(30) == 0, Direction: [3]float32{1, 0, 0}}
					for i := range in.Move {
						in.Move[i] *= 20 // at times faster than allowed
					}
					if _, _, ok := l.Predicted(object); ok {
						_, err := l.Push(object, &in)
						require.NoError(t, err)
					}
				}
			}
			l.Advance(1.0 / 60)
			poses = l.AppendPoses(poses[:0])
			for _, f := range l.Flush() {
				l.up.send(now, f.Kind, f.Body)
			}
			l.up.receive(now, l.fromClient(world))
		}
		if now < ticks && r.IntN(20) == 0 {
			id := 100 + r.Uint32N(objects)
			switch r.IntN(4) {
			case 0:
				world.Despawn(id)
			case 1:
				spawn(id)
			case 2:
				_ = world.SetReplicateVelocity(id, r.IntN(2) == 0)
			case 3:
				if world.Teleport(1+r.Uint32N(players), at(r.Float32()*10000)) == nil {
					teleports++
				}
			}
		}
		world.Tick()
		for _, l := range links {
			l.fromWorld(now)
		}
	}

	for i, l := range links {
		s := l.Stats()
		t.Logf("player %d: %+v, lost %d down, %d up", i, s, l.down.lost, l.up.lost)
		object, ok := l.peer.Slot()
		require.True(t, ok)
		require.Zero(t, l.Pending(object), "every input counted")
		o, ok := world.Object(object)
		require.True(t, ok)
		state, shown, ok := l.Predicted(object)
		require.True(t, ok)
		for axis := range state.Position {
			require.InDelta(t, o.State.Position[axis], state.Position[axis], 0.07, "half a quantum")
			require.InDelta(t, o.State.Position[axis], shown.Position[axis], 0.07)
		}
		require.Greater(t, l.checked, ticks/3*int(100-100*loss)/150)
		require.Greater(t, s.Reconciled, uint64(50))
		require.Zero(t, s.UnknownAcks)
		require.Zero(t, s.View.Skipped)
		require.Equal(t, loss > 0, l.down.lost > 0 && l.up.lost > 0)
		require.Zero(t, s.Corrections, "largest %v", s.LargestCorrection)
	}
	require.NotZero(t, teleports)
	require.NotEmpty(t, poses)
}
