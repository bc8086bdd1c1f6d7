package server

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// These tests are about faults of the reference runtime and of other implementations, one each.

func newWorld(t testing.TB, config Config) *World {
	w, err := New(config)
	require.NoError(t, err)
	return w
}

func join(t testing.TB, w *World, participant uint64) *Client {
	c, err := w.Join(participant, nil)
	require.NoError(t, err)
	return c
}

func spawn(t testing.TB, w *World, o Object) uint16 {
	gen, err := w.Spawn(o)
	require.NoError(t, err)
	return gen
}

func build(t testing.TB, c *Client) []byte {
	body, err := c.AppendSnapshot(nil)
	require.NoError(t, err)
	return body
}

// moving is an object that every snapshot has something to say of.
func moving(id uint32) Object {
	return Object{ID: id, Role: tsync.ServerSimulated, State: tsync.State{Velocity: [3]float32{60, 0, 0}}, ReplicateVelocity: true}
}

// still is an object that does nothing.
func still(id uint32) Object { return Object{ID: id, Role: tsync.ServerSimulated} }

func TestAckSilenceEndsInAFull(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	step := func(ack bool) bool {
		w.Tick()
		changed := s.apply(build(t, c))
		if ack {
			require.NoError(t, c.Ack(s.ack()))
		}
		return changed
	}
	require.True(t, step(true))
	for i := range 300 {
		require.True(t, step(false), "snapshot %d of the silence", i)
	}
	require.Greater(t, s.fulls, 200, "the base must have been given up")
	fulls := s.fulls
	for range 10 {
		require.True(t, step(true))
	}
	require.LessOrEqual(t, s.fulls, fulls+1, "after the silence there are deltas again")
	require.Zero(t, s.missing)
}

func TestAcksThatAreAlwaysLateDoNotMakeEverythingFull(t *testing.T) {
	const delay = 4 * 60 // steps: 80 snapshots at the full rate, more than anybody keeps
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	var acks [][]byte
	sent := 0
	for step := range 6000 {
		w.Tick()
		if c.Due() {
			require.True(t, s.apply(build(t, c)))
			sent++
			if step > 1000 {
				require.NotZero(t, s.snap.Base, "step %d", step)
			}
		}
		acks = append(acks, s.ack())
		if step >= delay {
			require.NoError(t, c.Ack(acks[step-delay]))
		}
	}
	require.Greater(t, sent, 500)
	require.Zero(t, s.missing)
}

func TestHistoryShorterThanWhatIsInFlight(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	var acks [][]byte
	for i := range 200 {
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		acks = append(acks, s.ack())
		if i >= 40 { // more than an acknowledgement names
			require.NoError(t, c.Ack(acks[i-40]))
			require.Equal(t, uint32(i-39), c.states.base)
		}
	}
	require.Less(t, s.fulls, 50)
}

func TestAnySendRateWorks(t *testing.T) {
	for _, rate := range []uint8{1, 2, 3, 20, 59, 60} {
		h := tsync.DefaultHello()
		h.SendRate = rate
		w := newWorld(t, Config{Hello: h})
		spawn(t, w, moving(1))
		c, s := join(t, w, 1), newScreen(t, w)
		for range 600 {
			w.Tick()
			if c.Due() {
				require.True(t, s.apply(build(t, c)))
				require.Equal(t, rate, s.snap.SendRate)
				require.NoError(t, c.Ack(s.ack()))
			}
		}
		require.InDelta(t, 10*int(rate), s.applied, 1, "rate %d", rate)
	}
	for _, rates := range [][2]uint8{{0, 60}, {20, 0}, {61, 60}} {
		h := tsync.DefaultHello()
		h.SendRate, h.SimRate = rates[0], rates[1]
		_, err := New(Config{Hello: h})
		require.ErrorIs(t, err, ErrConfig)
	}
}

func TestVelocityReplicationSwitched(t *testing.T) {
	w := newWorld(t, Config{})
	// Against a wall: it has a velocity but does not move, so that nothing else is sent.
	spawn(t, w, Object{ID: 7, Role: tsync.OwnerPredicted, State: tsync.State{Velocity: [3]float32{191, 0, 0}}})
	spawn(t, w, still(6))
	c, s := join(t, w, 1), newScreen(t, w)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	require.False(t, s.now()[7].ReplicateVelocity)

	require.NoError(t, w.SetReplicateVelocity(7, true))
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	require.Equal(t, tsync.StateFields, s.snap.Updates[0].Fields, "a change of the fields sends a full")
	var state tsync.State
	codes := s.now()[7].Codes
	w.Codec().Dequantize(&codes, tsync.StateFields, &state)
	require.Equal(t, float32(191), state.Velocity[0])

	require.NoError(t, w.SetReplicateVelocity(7, false))
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	require.Equal(t, []uint32{7}, s.snap.Removed, "the old velocity is forgotten")
	require.Len(t, s.snap.Updates, 1)
	require.Equal(t, frameOf(w, c), s.now())
	require.False(t, s.now()[7].ReplicateVelocity)

	w.Tick()
	require.Empty(t, build(t, c), "once is enough")
	require.ErrorIs(t, w.SetReplicateVelocity(8, true), ErrObject)
}

func TestGenerationsAndEpochsOnlyGrow(t *testing.T) {
	w := newWorld(t, Config{})
	require.Equal(t, uint16(0), spawn(t, w, still(1)))
	epoch, err := w.AssignOwner(1, 5)
	require.NoError(t, err)
	require.Equal(t, uint16(1), spawn(t, w, still(1)), "over a live one")
	require.True(t, w.Despawn(1))
	require.False(t, w.Despawn(1))
	require.Equal(t, uint16(2), spawn(t, w, still(1)), "after its death")
	o, ok := w.Object(1)
	require.True(t, ok)
	require.Greater(t, o.OwnershipEpoch, epoch)
	require.NoError(t, w.Teleport(1, tsync.State{}))
	o, _ = w.Object(1)
	require.Equal(t, uint16(3), o.Gen)

	again := still(1)
	again.Gen = 2
	require.Equal(t, uint16(4), spawn(t, w, again), "not the generation that was asked for: that has been")
	again.Gen = 9
	require.Equal(t, uint16(9), spawn(t, w, again))
	again.Gen = math.MaxUint16
	require.Equal(t, uint16(math.MaxUint16), spawn(t, w, again))
	require.Equal(t, uint16(0), spawn(t, w, still(1)), "sixteen bits")
	require.Equal(t, uint16(1), spawn(t, w, still(1)))
}

func TestForgottenIDsStartAboveWhatWasForgotten(t *testing.T) {
	w := newWorld(t, Config{Tombstones: 2})
	for range 10 {
		spawn(t, w, still(1)) // generation 9
	}
	_, err := w.AssignOwner(1, 5)
	require.NoError(t, err)
	o, _ := w.Object(1)
	for id := uint32(1); id <= 3; id++ {
		if id != 1 {
			spawn(t, w, still(id))
		}
		w.Despawn(id)
	}
	require.Len(t, w.places, 2, "the first is forgotten")
	require.Equal(t, uint16(10), spawn(t, w, still(1)))
	again, _ := w.Object(1)
	require.Greater(t, again.OwnershipEpoch, o.OwnershipEpoch)
	require.Equal(t, uint16(1), spawn(t, w, still(2)), "not forgotten")
	require.Equal(t, uint16(10), spawn(t, w, still(99)), "never known")

	// The end of a life that was not the last makes nobody forget.
	w = newWorld(t, Config{Tombstones: 2})
	for _, id := range []uint32{1, 1, 2} {
		spawn(t, w, still(id))
		w.Despawn(id)
	}
	require.Contains(t, w.places, uint32(1))

	for id := range uint32(10_000) {
		spawn(t, w, still(1000+id))
		w.Tick()
		w.Despawn(1000 + id)
	}
	require.LessOrEqual(t, len(w.objects), 8, "places are used again")
	w.Tick()
	require.LessOrEqual(t, w.graves.len(), 2)
}

func TestPlaceOfAForgottenObjectIsNotMixedUp(t *testing.T) {
	w := newWorld(t, Config{Tombstones: 1})
	c, s := join(t, w, 1), newScreen(t, w)
	see := func() {
		w.Tick()
		if body := build(t, c); len(body) > 0 {
			require.True(t, s.apply(body))
			require.NoError(t, c.Ack(s.ack()))
		}
		require.Equal(t, frameOf(w, c), s.now())
		require.Equal(t, w.Len(), len(s.now()))
		require.Equal(t, w.Len(), w.grid.Len())
	}
	spawn(t, w, moving(1))
	spawn(t, w, moving(2))
	see()
	// All within a step: 1 dies and is forgotten, 3 gets its place, 1 comes back elsewhere.
	w.Despawn(1)
	w.Despawn(2)
	spawn(t, w, moving(3))
	spawn(t, w, moving(1))
	see()
	w.Despawn(3)
	see()
	// The same with object 0, whose former place is empty then.
	spawn(t, w, still(0))
	spawn(t, w, still(10))
	spawn(t, w, still(11))
	see()
	for _, id := range []uint32{0, 10, 11} {
		w.Despawn(id)
	}
	before := w.places[11]
	spawn(t, w, still(0))
	require.NotEqual(t, before, w.places[0])
	see()
	require.Contains(t, s.now(), uint32(0))
}

func TestRespawnForgetsTheEarlierLife(t *testing.T) {
	w := newWorld(t, Config{})
	c := join(t, w, 5)
	ball := Object{
		ID: 1, Role: tsync.OwnerPredicted, Owner: 5, State: tsync.State{Position: [3]float32{1000, 0, 0}},
		Shape: rewind.Shape{Radius: 50},
	}
	spawn(t, w, ball)
	for range 10 {
		w.Tick()
	}
	input := func(epoch uint32, seqs ...uint32) {
		in := tsync.Input{}
		for _, seq := range seqs {
			in.Frames = append(in.Frames, tsync.InputFrame{Seq: seq, Object: 1, OwnershipEpoch: epoch, Move: [3]float32{1, 0, 0}, DT: 0.01})
		}
		require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
	}
	input(0, 1, 2, 4, 5)
	o, _ := w.Object(1)
	require.Equal(t, uint32(2), o.InputSeq)
	w.objects[0].allowance.Spend(1, 1)

	ball.State.Position = [3]float32{-1000, 0, 0}
	spawn(t, w, ball)
	p := w.find(1)
	require.Zero(t, p.InputSeq)
	require.Zero(t, p.queue.Pending())
	require.Zero(t, p.history.Len())
	input(0, 1)
	require.Zero(t, p.InputSeq, "of the earlier life's owner")
	require.EqualValues(t, 1, c.Stats().Refused)
	input(p.OwnershipEpoch, 1)
	require.EqualValues(t, 1, w.find(1).InputSeq, "the first input of the new life counts")
	require.NotEqual(t, ball.State.Position, w.find(1).State.Position, "and has time to move it")
}

func TestTeleportIsNewsWithoutAPast(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.ServerSimulated, Shape: rewind.Shape{Radius: 50}})
	c, s := join(t, w, 5), newScreen(t, w)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	require.NoError(t, w.Teleport(1, tsync.State{Position: [3]float32{500, 0, 0}}))
	require.Zero(t, w.find(1).history.Len())
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Equal(t, uint16(1), s.now()[1].Gen)
	require.Equal(t, frameOf(w, c), s.now())
	require.ErrorIs(t, w.Teleport(2, tsync.State{}), ErrObject)
	require.ErrorIs(t, w.Teleport(1, tsync.State{Position: [3]float32{nan}}), ErrNotFinite)
	require.Equal(t, uint16(1), w.find(1).Gen)
}

func TestForgedAcksMoveNothing(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c := join(t, w, 1)
	for range 5 {
		w.Tick()
		build(t, c)
	}
	for _, a := range []tsync.Ack{{ID: 0}, {ID: 6}, {ID: 1_000_969}, {ID: math.MaxUint32}, {ID: 100, History: math.MaxUint32}} {
		require.NoError(t, c.Ack(tsync.AppendAck(nil, a)))
		require.Zero(t, c.states.base, "%+v", a)
		require.Zero(t, c.newestAck)
	}
	require.ErrorIs(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{History: 1})), ErrNotAck)
	require.Error(t, c.Ack([]byte{1}))
	require.EqualValues(t, 2, c.Stats().Malformed)
	require.EqualValues(t, 5, c.Stats().AcksIgnored)

	require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: 3})))
	require.Equal(t, uint32(3), c.states.base)
	for _, a := range []tsync.Ack{{ID: 3}, {ID: 2}, {ID: 1}, {ID: 9}} {
		require.NoError(t, c.Ack(tsync.AppendAck(nil, a)))
		require.Equal(t, uint32(3), c.states.base, "%+v", a)
	}
	require.Equal(t, uint32(3), c.newestAck)
	require.EqualValues(t, 9, c.Stats().AcksIgnored)
	// A forged newest one with true ones before it: they count.
	require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: 6, History: 0b11})))
	require.Equal(t, uint32(5), c.states.base)

	other := join(t, w, 2)
	require.NoError(t, other.Ack(tsync.AppendAck(nil, tsync.Ack{ID: 3})))
	require.Zero(t, other.states.base, "another connection's id")
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

func TestNonFiniteNumbersDoNotGetIn(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5, State: tsync.State{Position: [3]float32{1, 2, 3}}})
	for _, v := range []float32{nan, inf, -inf} {
		for _, s := range []tsync.State{
			{Position: [3]float32{0, v, 0}}, {Velocity: [3]float32{v, 0, 0}}, {Rotation: [4]float32{0, 0, v, 1}},
		} {
			require.ErrorIs(t, w.SetState(1, s), ErrNotFinite)
			_, err := w.Spawn(Object{ID: 1, State: s})
			require.ErrorIs(t, err, ErrNotFinite)
		}
		require.ErrorIs(t, w.SetPriority(1, v), ErrNotFinite)
		for _, o := range []Object{{Priority: v}, {Shape: rewind.Shape{Radius: v}}, {Shape: rewind.Shape{HalfLength: v}}} {
			_, err := w.Spawn(o)
			require.ErrorIs(t, err, ErrNotFinite)
		}
		c := &Client{world: w, participant: 5, tokens: 10}
		require.ErrorIs(t, c.Look([3]float32{v, 0, 0}), ErrNotFinite)
		require.ErrorIs(t, c.SetRadius(interest.Radius{Enter: v, Leave: 1}), ErrConfig)
	}
	o, _ := w.Object(1)
	require.Equal(t, uint16(0), o.Gen)
	require.Equal(t, [3]float32{1, 2, 3}, o.State.Position)

	// An input with one counts, so that those after it can, but has no effect.
	c := join(t, w, 5)
	o, _ = w.Object(1)
	frames := []tsync.InputFrame{
		{DT: nan, Move: [3]float32{100, 0, 0}},
		{DT: inf, Move: [3]float32{100, 0, 0}},
		{DT: 0.1, Move: [3]float32{0, nan, 0}},
		{DT: 0.1, Move: [3]float32{-inf, 0, 0}},
		{DT: 0.1, Fire: true, Origin: [3]float32{nan, 0, 0}, Direction: [3]float32{1, 0, 0}},
	}
	for i := range frames {
		frames[i].Seq, frames[i].Object, frames[i].OwnershipEpoch = uint32(i+1), 1, o.OwnershipEpoch
	}
	require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: frames})))
	after, _ := w.Object(1)
	require.EqualValues(t, len(frames), after.InputSeq)
	require.Equal(t, o.State.Position, after.State.Position)
	require.EqualValues(t, len(frames), c.Stats().NotFinite)
	w.Tick()
	require.NotEmpty(t, build(t, c))
}

func TestDriftStaysFinite(t *testing.T) {
	w := newWorld(t, Config{})
	const most = math.MaxFloat32
	spawn(t, w, Object{ID: 1, Role: tsync.ServerSimulated, State: tsync.State{
		Position: [3]float32{most, -most, 0}, Velocity: [3]float32{most, -most, most},
	}})
	c, s := join(t, w, 1), newScreen(t, w)
	require.NoError(t, c.SetRadius(interest.Radius{Enter: most, Leave: most}))
	for range 200 {
		w.Tick()
		build(t, c)
	}
	o, _ := w.Object(1)
	require.True(t, motion.Finite(&o.State))
	_ = s
}

func TestChangesBelowTheQuantumAreNotSent(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, still(1))
	c, s := join(t, w, 1), newScreen(t, w)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.NoError(t, c.Ack(s.ack()))
	require.NoError(t, w.SetState(1, tsync.State{Position: [3]float32{0.01, -0.01, 0.02}, Rotation: [4]float32{0, 0, 0, 2}}))
	w.Tick()
	require.Empty(t, build(t, c))
	require.NoError(t, w.SetState(1, tsync.State{Position: [3]float32{0.2, 0, 0}}))
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Equal(t, tsync.FieldPosition, s.snap.Updates[0].Fields)
	require.NoError(t, w.SetState(1, tsync.State{}))
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Empty(t, s.snap.Updates, "back to what the base has")
}

func TestShotAtAKilometre(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	spawn(t, w, Object{
		ID: 2, Role: tsync.StaticReplicated, State: tsync.State{Position: [3]float32{100_000, 40, 0}},
		Shape: rewind.Shape{Radius: 50},
	})
	var got Shot
	w.config.OnShot = func(_ *Client, s Shot) { got = s }
	c := join(t, w, 5)
	w.Tick()
	o, _ := w.Object(1)
	require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
		Seq: 1, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Direction: [3]float32{1, 0, 0},
	}}})))
	require.True(t, got.Result.Hit)
	require.InDelta(t, 100_000-30, got.Hit.Distance, 1e-6) // 30, 40, 50
}

func TestNothingGrowsForAPeerThatNeverAcks(t *testing.T) {
	w := newWorld(t, Config{})
	const objects = 40
	for id := range uint32(objects) {
		spawn(t, w, moving(id))
	}
	c := join(t, w, 1)
	for i := range 1000 {
		if i%10 == 0 {
			require.NoError(t, c.Look([3]float32{float32(i%20) * 50_000, 0, 0})) // in and out of view
		}
		w.Tick()
		build(t, c)
		c.Roles()
	}
	require.LessOrEqual(t, len(c.states.kept), DefaultRing)
	require.LessOrEqual(t, len(c.states.kept)+len(c.states.spare), DefaultRing+1)
	require.LessOrEqual(t, len(c.tracks), objects)
	require.NoError(t, c.Look([3]float32{1e9, 0, 0}))
	build(t, c)
	require.Empty(t, c.tracks, "accumulators of what is out of view are gone")
}

func TestWeightsAreBounded(t *testing.T) {
	w := newWorld(t, Config{Budget: 1})
	heavy := moving(1)
	heavy.Priority = math.MaxFloat32
	for heavy.ID < 5 {
		spawn(t, w, heavy)
		heavy.ID++
	}
	light := moving(5)
	light.Priority = -1
	spawn(t, w, light)
	c := join(t, w, 1)
	for range 10 {
		w.Tick()
		build(t, c)
		for _, tr := range c.tracks {
			require.LessOrEqual(t, tr.weight, float32(mostWeight))
			require.GreaterOrEqual(t, tr.weight, float32(0))
		}
	}
}

func TestUnusableConfigurationsAreRefused(t *testing.T) {
	bad := map[string]func(c *Config){
		"cell":              func(c *Config) { c.CellSize = nan },
		"negative cell":     func(c *Config) { c.CellSize = -1 },
		"radius":            func(c *Config) { c.Radius = interest.Radius{Enter: 1, Leave: nan} },
		"negative radius":   func(c *Config) { c.Radius = interest.Radius{Enter: -1, Leave: 1} },
		"infinite radius":   func(c *Config) { c.Radius = interest.Radius{Enter: 1, Leave: inf} },
		"budget":            func(c *Config) { c.Budget = 1 << 20 },
		"ring":              func(c *Config) { c.Ring = 63 },
		"payload":           func(c *Config) { c.MaxPayload = 60 },
		"wait":              func(c *Config) { c.MaxWait = -1 },
		"speed":             func(c *Config) { c.Limits = motion.Limits{MaxSpeed: nan} },
		"negative speed":    func(c *Config) { c.Limits = motion.Limits{MaxSpeed: -1} },
		"world inside out":  func(c *Config) { c.Limits = motion.DefaultLimits(); c.Limits.World.Min[0] = nan },
		"allowance":         func(c *Config) { c.Allowance = math.NaN() },
		"infinite time":     func(c *Config) { c.Allowance = math.Inf(1) },
		"negative time":     func(c *Config) { c.Allowance = -1 },
		"rewind":            func(c *Config) { c.Rewind.MaxUnlag = math.NaN() },
		"congestion":        func(c *Config) { c.Congestion.GoodRate = 3 },
		"input rate":        func(c *Config) { c.InputRate = -1 },
		"input payload":     func(c *Config) { c.MaxInputPayload = 65_536 },
		"reach":             func(c *Config) { c.MuzzleReach = nan },
		"shot rate":         func(c *Config) { c.ShotRate = -1 },
		"infinite reach":    func(c *Config) { c.MuzzleReach = inf },
		"objects":           func(c *Config) { c.MaxObjects = -1 },
		"tombstones":        func(c *Config) { c.Tombstones = -1 },
		"slots":             func(c *Config) { c.PlayerSlots = -1 },
		"movers":            func(c *Config) { c.DemoMovers = -1 },
		"position bounds":   func(c *Config) { c.Hello.Position.Max[1] = nan },
		"velocity per unit": func(c *Config) { c.Hello.Velocity.PerUnit = 0 },
		"quaternion mode":   func(c *Config) { c.Hello.Quat = 11 },
		"wide axis":         func(c *Config) { c.Hello.Position.PerUnit = 1 << 20 },
	}
	for name, spoil := range bad {
		t.Run(name, func(t *testing.T) {
			c := Config{Hello: tsync.DefaultHello()}
			spoil(&c)
			_, err := New(c)
			require.ErrorIs(t, err, ErrConfig)
		})
	}
}

func TestTwoSnapshotsOfOneFrame(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	tick := s.snap.Tick
	require.True(t, s.apply(build(t, c)))
	require.Equal(t, tick, s.snap.Tick)
	require.Equal(t, uint32(2), s.snap.ID)
	require.NoError(t, c.Ack(s.ack()))
	require.NoError(t, c.Ack(s.ack()), "the same one twice")
	require.Empty(t, build(t, c))
}

func TestLeavingAndComingBackWhileAllIsLost(t *testing.T) {
	for _, acked := range []bool{false, true} {
		w := newWorld(t, Config{Radius: interest.Radius{Enter: 1000, Leave: 1000}})
		spawn(t, w, still(1))
		spawn(t, w, moving(2))
		c, s := join(t, w, 1), newScreen(t, w)
		w.Tick()
		first := build(t, c)
		require.True(t, s.apply(first))
		if acked {
			require.NoError(t, c.Ack(s.ack()))
		}
		put := func(x float32, arrives bool) {
			require.NoError(t, w.SetState(1, tsync.State{Position: [3]float32{x, 0, 0}}))
			w.Tick()
			body := build(t, c)
			require.NotEmpty(t, body)
			if arrives {
				require.True(t, s.apply(body))
			}
		}
		put(5000, false)
		put(5000, false)
		put(100, false)
		put(100, true)
		require.Contains(t, s.now(), uint32(1))
		require.Equal(t, frameOf(w, c), s.now())
	}
}

// TestWhatIsNotTrueAnyMoreIsTakenBack has an object do something and undo it before the client has acknowledged
// anything, so that there is nothing to say on top of the base.
func TestWhatIsNotTrueAnyMoreIsTakenBack(t *testing.T) {
	for name, base := range map[string]bool{"with a base": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Config{Radius: interest.Radius{Enter: 1000, Leave: 1000}})
			c, s := join(t, w, 1), newScreen(t, w)
			if base {
				spawn(t, w, still(1))
				w.Tick()
				require.True(t, s.apply(build(t, c)))
				require.NoError(t, c.Ack(s.ack()))
			}
			spawn(t, w, still(2))
			w.Tick()
			require.True(t, s.apply(build(t, c)))
			require.Contains(t, s.now(), uint32(2))
			w.Despawn(2)
			w.Tick()
			require.NotEmpty(t, build(t, c)) // which is lost
			w.Tick()
			require.True(t, s.apply(build(t, c)))
			require.Equal(t, frameOf(w, c), s.now())
			require.NotContains(t, s.now(), uint32(2))
			require.NoError(t, c.Ack(s.ack()))
			require.Empty(t, build(t, c))
		})
	}
}

func TestIDsNearTheirEnd(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c, s := join(t, w, 1), newScreen(t, w)
	c.ids.Last = math.MaxUint32 - 100
	c.newestAck = c.ids.Last
	for range 100 {
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.NoError(t, c.Ack(s.ack()))
	}
	require.Equal(t, uint32(math.MaxUint32), s.last)
	w.Tick()
	body, err := c.AppendSnapshot(nil)
	require.ErrorIs(t, err, baseline.ErrExhausted)
	require.Empty(t, body)
}

func TestNobodyIsFasterThanTime(t *testing.T) {
	for name, f := range map[string]tsync.InputFrame{
		"forged dt":       {DT: 1e9, Move: [3]float32{2000, 0, 0}},
		"most dt":         {DT: 0.1, Move: [3]float32{2000, 0, 0}},
		"forged velocity": {DT: 0.01, Move: [3]float32{1e15, 0, 0}},
		"honest dt":       {DT: 1. / 60, Move: [3]float32{1e6, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Config{})
			spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
			c := join(t, w, 5)
			o, _ := w.Object(1)
			f.Object, f.OwnershipEpoch = 1, o.OwnershipEpoch
			const seconds = 5
			for range seconds * 60 {
				in := tsync.Input{}
				for range 20 {
					f.Seq++
					in.Frames = append(in.Frames, f)
				}
				require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
				w.Tick()
				o, _ = w.Object(1)
				f.Seq = o.InputSeq // what was refused comes again
			}
			o, _ = w.Object(1)
			most := float32((seconds + motion.DefaultMost) * 2000)
			require.LessOrEqual(t, o.State.Position[0], most*1.001)
			require.Greater(t, o.State.Position[0], most/3)
			require.LessOrEqual(t, c.Stats().Inputs, uint64(DefaultInputRate*60*(seconds+1)))
			require.NotZero(t, c.Stats().RateLimited)
		})
	}
}

func TestShotsOfInputsThatAreSentAgain(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	c := join(t, w, 5)
	var shots []uint32
	w.config.OnShot = func(_ *Client, s Shot) { shots = append(shots, s.Frame.Seq) }
	o, _ := w.Object(1)
	fire := func(seqs ...uint32) {
		in := tsync.Input{}
		for _, seq := range seqs {
			in.Frames = append(in.Frames, tsync.InputFrame{
				Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Direction: [3]float32{1, 0, 0},
			})
		}
		require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
	}
	fire(2, 3)
	require.Empty(t, shots, "not before the first")
	fire(1, 2, 3)
	fire(1, 2, 3)
	fire(3, 2, 4)
	require.Equal(t, []uint32{1, 2, 3, 4}, shots)
	rewinds := c.Rewinds()
	require.Len(t, rewinds, 4)
	for i, r := range rewinds {
		require.EqualValues(t, i+1, r.InputSeq)
	}
	require.Empty(t, c.Rewinds())
}

// TestForgottenWithinAStep has objects die and be forgotten that are still in the frame, for which a new client asks.
func TestForgottenWithinAStep(t *testing.T) {
	for _, reused := range []bool{false, true} {
		w := newWorld(t, Config{Tombstones: 1})
		for id := range uint32(4) {
			spawn(t, w, moving(id))
		}
		w.Tick()
		for id := range uint32(4) {
			w.Despawn(id)
		}
		if reused {
			spawn(t, w, moving(70))
			spawn(t, w, moving(71))
		}
		c, s := join(t, w, 1), newScreen(t, w)
		require.True(t, s.apply(build(t, c)))
		require.Len(t, s.now(), 4, "the frame stands still")
		require.NoError(t, c.Ack(s.ack()))
		w.Tick()
		require.True(t, s.apply(build(t, c)))
		require.Len(t, s.now(), w.Len())
		require.LessOrEqual(t, len(w.places), w.Len()+1, "and then they are forgotten")
	}
}
