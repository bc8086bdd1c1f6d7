package server

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestManyObjectsComeAndGoWithinTheCeiling(t *testing.T) {
	const objects = 1200
	w := newWorld(t, Config{Budget: -1})
	for id := range uint32(objects) {
		spawn(t, w, still(id))
	}
	c, s := join(t, w, 1), newScreen(t, w)
	see := func() bool {
		w.Tick()
		body := build(t, c)
		if len(body) == 0 {
			return false
		}
		require.True(t, s.apply(body)) // which checks the size
		require.NoError(t, c.Ack(s.ack()))
		require.Equal(t, knownBy(c, s.last), s.now())
		return true
	}
	snapshots := 0
	for ; see(); snapshots++ {
	}
	require.Equal(t, frameOf(w, c), s.now())
	require.Len(t, s.now(), objects)
	require.InDelta(t, objects*150/8/1181, snapshots, 2)

	// All but ten in the middle go at once, while those have something to say in every step.
	for id := range uint32(objects) {
		if id/10 != 60 {
			w.Despawn(id)
			continue
		}
		require.NoError(t, w.SetState(id, tsync.State{Velocity: [3]float32{60, 0, 0}}))
	}
	for range 20 {
		require.True(t, see())
		require.Len(t, s.snap.Updates, 10, "those who go do not keep the others from moving")
	}
	require.Equal(t, frameOf(w, c), s.now())
	require.Len(t, s.now(), 10)
	require.EqualValues(t, objects-10, c.Stats().Removals)
}

func TestCeilingWithAClock(t *testing.T) {
	w := newWorld(t, Config{Budget: -1, Epoch: 77})
	for id := range uint32(200) {
		spawn(t, w, moving(id))
	}
	c := join(t, w, 1)
	require.Equal(t, wire.KindTsyncSnapshot, c.SnapshotKind())
	answer, err := c.Upgrade(nil, tsync.AppendManifest(nil, tsync.DefaultManifest()))
	require.NoError(t, err)
	require.Equal(t, tsync.AppendManifest(nil, tsync.DefaultManifest()), answer)
	require.Equal(t, wire.KindTsyncV2Snapshot, c.SnapshotKind())
	w.Tick()
	prefix := []byte("prefix")
	body, err := c.AppendSnapshot(prefix)
	require.NoError(t, err)
	body = body[len(prefix):]
	require.LessOrEqual(t, len(body), tsync.MaxSnapshotBytes)
	require.Greater(t, len(body), tsync.MaxSnapshotBytes-30)
	var snap tsync.SnapshotV2
	require.NoError(t, w.Codec().ParseSnapshotV2(body, &snap))
	require.Equal(t, tsync.Clock{Epoch: 77, Tick: 1, Rate: 60}, snap.Clock)

	_, err = c.Upgrade(nil, []byte{3, 3})
	require.ErrorIs(t, err, wire.ErrVersion)
	w = newWorld(t, Config{})
	_, err = join(t, w, 1).Upgrade(nil, answer)
	require.ErrorIs(t, err, ErrVersion2)
}

// turns counts how often each of some objects is told of while there is room for a few, all acknowledged at once.
func turns(t *testing.T, config Config, steps int, objects []Object) []int {
	w := newWorld(t, config)
	for _, o := range objects {
		spawn(t, w, o)
	}
	c, s := join(t, w, 1), newScreen(t, w)
	counts := make([]int, len(objects))
	for range steps {
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.NoError(t, c.Ack(s.ack()))
		require.LessOrEqual(t, len(s.snap.Updates), config.Budget)
		for _, u := range s.snap.Updates {
			counts[u.Object]++
		}
	}
	return counts
}

func TestPriorityDividesTheRoom(t *testing.T) {
	objects := make([]Object, 12)
	for i := range objects {
		objects[i] = moving(uint32(i))
		if i < 4 {
			objects[i].Priority = 5
		}
	}
	counts := turns(t, Config{Budget: 3}, 1200, objects)
	for i, n := range counts {
		if i < 4 {
			require.InDelta(t, 5*counts[11], n, float64(n)/3, "%v", counts)
		} else {
			require.InDelta(t, counts[11], n, 10, "%v", counts)
		}
	}
}

func TestNothingStarves(t *testing.T) {
	objects := make([]Object, 300)
	for i := range objects {
		objects[i] = moving(uint32(i))
		objects[i].Priority = -1
		if i%2 == 0 {
			objects[i].Priority = 1000
		}
	}
	for i, n := range turns(t, Config{Budget: 2, MaxWait: 50}, 1000, objects) {
		require.GreaterOrEqual(t, n, 3, "object %d", i)
	}
}

func TestFullsDoNotStarveTheRest(t *testing.T) {
	w := newWorld(t, Config{Budget: 2, MaxWait: 20})
	spawn(t, w, moving(1000))
	c, s := join(t, w, 1), newScreen(t, w)
	told := 0
	for i := range uint32(400) {
		// Two new objects in every step, which fill the budget.
		for k := range uint32(2) {
			spawn(t, w, still(2*(i%400)+k))
		}
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.NoError(t, c.Ack(s.ack()))
		for _, u := range s.snap.Updates {
			if u.Object == 1000 {
				told++
			}
		}
	}
	require.Greater(t, told, 15)
}

func TestNewOnesComeFirst(t *testing.T) {
	w := newWorld(t, Config{Budget: 4})
	for id := range uint32(20) {
		spawn(t, w, moving(id))
	}
	c, s := join(t, w, 1), newScreen(t, w)
	for range 50 {
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.NoError(t, c.Ack(s.ack()))
	}
	light := still(500)
	light.Priority = -1
	spawn(t, w, light)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Contains(t, s.now(), uint32(500))
}

func TestInputAcknowledgementIsForTheOwnerAlone(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	owner, other := join(t, w, 5), join(t, w, 6)
	a, b := newScreen(t, w), newScreen(t, w)
	o, _ := w.Object(1)
	w.Tick()
	require.True(t, a.apply(build(t, owner)))
	require.True(t, b.apply(build(t, other)))
	require.NoError(t, owner.Ack(a.ack()))
	require.NoError(t, other.Ack(b.ack()))
	require.Equal(t, map[uint32]uint32{1: 0}, a.inputs, "even when there was none yet")
	require.Empty(t, b.inputs)
	require.NoError(t, owner.Input(tsync.AppendInput(nil, &tsync.Input{Acked: 1, Frames: []tsync.InputFrame{
		{Seq: 1, Object: 1, OwnershipEpoch: o.OwnershipEpoch, DT: 0.01},
	}})))
	w.Tick()
	require.True(t, a.apply(build(t, owner)), "even when nothing else has changed")
	require.Equal(t, tsync.FieldInputSeq, a.snap.Updates[0].Fields)
	require.Equal(t, map[uint32]uint32{1: 1}, a.inputs)
	require.Empty(t, build(t, other))
}

func TestFrameStandsStill(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, still(1))
	c, s := join(t, w, 1), newScreen(t, w)
	require.Empty(t, build(t, c), "there is no frame yet")
	w.Tick()
	require.NoError(t, w.SetState(1, tsync.State{Position: [3]float32{100, 0, 0}}))
	spawn(t, w, still(2))
	require.True(t, s.apply(build(t, c)))
	require.Len(t, s.now(), 1)
	var state tsync.State
	codes := s.now()[1].Codes
	w.Codec().Dequantize(&codes, tsync.StateFields, &state)
	require.Zero(t, state.Position[0], "what happens after a step is in the next frame")
	w.Despawn(1)
	require.NotPanics(t, func() { build(t, c) })
	_, ok := w.Object(1)
	require.False(t, ok)
	_, ok = w.Latched(1)
	require.True(t, ok)
	_, ok = w.Latched(2)
	require.False(t, ok)
	_, ok = w.Latched(3)
	require.False(t, ok)
}

// TestScreensAgreeWithTheServer runs worlds that change in every way, with clients behind a network that loses,
// repeats and reorders, and compares every screen with what the server says it shows; and in the end with the world.
func TestScreensAgreeWithTheServer(t *testing.T) {
	var total Stats
	stale, missing, corrected := 0, 0, 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 6))
		config := Config{
			Budget:   []int{-1, 3, 16}[r.IntN(3)],
			CellSize: 2000, Radius: interest.Radius{Enter: 1500, Leave: 1900},
			Tombstones: 1 + r.IntN(20),
		}
		if r.IntN(3) == 0 {
			config.MaxPayload = leastPayload + r.IntN(200)
		}
		w := newWorld(t, config)
		clients := make([]*Client, 1+r.IntN(4))
		screens := make([]*screen, len(clients))
		inflight := make([][][]byte, len(clients))
		for i := range clients {
			clients[i], screens[i] = join(t, w, uint64(i+1)), newScreen(t, w)
		}
		lossless := false
		loss := r.Float64() * 0.4
		for step := range 400 {
			if step == 320 {
				lossless, loss = true, 0
				for id := range uint32(60) {
					_ = w.SetState(id, randomState(r))
				}
				for i := range w.objects {
					w.objects[i].State.Velocity = [3]float32{}
					w.objects[i].stale = true
				}
			}
			if !lossless {
				changeWorld(t, r, w)
			}
			w.Tick()
			for i, c := range clients {
				if !lossless && r.IntN(4) == 0 {
					require.NoError(t, c.Look(randomState(r).Position))
				}
				body := build(t, c)
				c.Roles()
				if len(body) > 0 && r.Float64() >= loss {
					inflight[i] = append(inflight[i], body)
					if r.IntN(20) == 0 {
						inflight[i] = append(inflight[i], body)
					}
				}
				for len(inflight[i]) > 0 && (lossless || r.IntN(3) > 0) {
					k := 0
					if !lossless && r.IntN(5) == 0 {
						k = r.IntN(len(inflight[i]))
					}
					got := inflight[i][k]
					inflight[i] = slices.Delete(inflight[i], k, k+1)
					if screens[i].apply(got) && len(knownBy(c, screens[i].last)) > 0 {
						require.Equal(t, knownBy(c, screens[i].last), screens[i].now(), "seed %d, step %d", seed, step)
						corrected++
					}
					if lossless || r.Float64() >= loss {
						require.NoError(t, c.Ack(screens[i].ack()))
					}
				}
				require.LessOrEqual(t, len(c.states.kept), DefaultRing)
			}
		}
		for i, c := range clients {
			require.Equal(t, frameOf(w, c), screens[i].now(), "seed %d, client %d", seed, i)
			stale += screens[i].stale
			missing += screens[i].missing
			st := c.Stats()
			total.Snapshots += st.Snapshots
			total.Updates += st.Updates
			total.Deferred += st.Deferred
			total.Removals += st.Removals
			total.SnapshotBytes += st.SnapshotBytes
		}
	}
	t.Logf("%+v, %d compared, %d stale, %d without base", total, corrected, stale, missing)
	require.NotZero(t, total.Deferred)
	require.NotZero(t, total.Removals)
	require.NotZero(t, stale)
	require.NotZero(t, corrected)
	require.Zero(t, missing, "the server names no base that a client may have let go")
}

func randomState(r *rand.Rand) tsync.State {
	at := func() float32 { return r.Float32()*6000 - 3000 }
	return tsync.State{
		Position: [3]float32{at(), at(), 0},
		Rotation: [4]float32{r.Float32(), r.Float32(), 0, 1},
		Velocity: [3]float32{at() / 10, 0, 0},
	}
}

func changeWorld(t *testing.T, r *rand.Rand, w *World) {
	for range r.IntN(6) {
		id := uint32(r.IntN(60))
		switch r.IntN(8) {
		case 0, 1:
			spawn(t, w, Object{
				ID: id, Role: tsync.RoleKind(r.IntN(4)), Owner: uint64(r.IntN(6)), State: randomState(r),
				ReplicateVelocity: r.IntN(2) == 0, Priority: float32(r.IntN(5) - 1),
			})
		case 2:
			w.Despawn(id)
		case 3:
			_ = w.SetState(id, randomState(r))
		case 4:
			_ = w.Teleport(id, randomState(r))
		case 5:
			_ = w.SetReplicateVelocity(id, r.IntN(2) == 0)
		case 6:
			_, _ = w.AssignOwner(id, uint64(r.IntN(6)))
		case 7:
			if o, ok := w.Object(id); ok && len(w.clients) > 0 {
				c := w.clients[r.IntN(len(w.clients))]
				require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
					Seq: o.InputSeq + 1 + uint32(r.IntN(3)), Object: id, OwnershipEpoch: o.OwnershipEpoch,
					DT: 0.05, Move: [3]float32{500, 500, 0},
				}}})))
			}
		}
	}
}

func TestClientsMayBeServedAtTheSameTime(t *testing.T) {
	serve := func(parallel bool) [][]byte {
		w := newWorld(t, Config{})
		for id := range uint32(100) {
			spawn(t, w, moving(id))
		}
		clients := make([]*Client, 8)
		for i := range clients {
			clients[i] = join(t, w, uint64(i+1))
		}
		var bodies [][]byte
		for range 30 {
			w.Tick()
			now := make([][]byte, len(clients))
			var wg sync.WaitGroup
			for i, c := range clients {
				if !parallel {
					now[i], _ = c.AppendSnapshot(nil)
					continue
				}
				wg.Go(func() { now[i], _ = c.AppendSnapshot(nil) })
			}
			wg.Wait()
			bodies = append(bodies, now...)
			for _, c := range clients {
				require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: c.ids.Last})))
			}
		}
		return bodies
	}
	require.Equal(t, serve(false), serve(true))
}

func TestLargerRing(t *testing.T) {
	w := newWorld(t, Config{Ring: 200})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	s.keep = 200
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	for range 199 {
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.Equal(t, uint32(1), s.snap.Base)
	}
	require.Len(t, c.states.kept, 200)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Equal(t, uint32(1), s.snap.Base)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Zero(t, s.snap.Base)
}
