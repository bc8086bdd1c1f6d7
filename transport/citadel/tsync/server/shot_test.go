package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// TestShotsHitWhatTheShooterSaw has a target cross the line of fire at 600 cm/s. The shooter fires along x = 0, which the
// target has left by then.
func TestShotsHitWhatTheShooterSaw(t *testing.T) {
	for _, tc := range []struct {
		name    string
		rtt     float64 // milliseconds
		rewound bool
	}{
		{"near", 20, true}, {"far", 150, true}, {"too far", 221, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, Config{})
			spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5, Shape: rewind.Shape{Radius: 50}})
			spawn(t, w, Object{
				ID: 2, Role: tsync.ServerSimulated, Shape: rewind.Shape{Radius: 30},
				State: tsync.State{Position: [3]float32{-300, 1000, 0}, Velocity: [3]float32{600, 0, 0}},
			})
			c := join(t, w, 5)
			path := congestion.Path{RTT: tc.rtt, MinRTT: tc.rtt}
			var shot Shot
			w.config.OnShot = func(_ *Client, s Shot) { shot = s }
			seq := uint32(0)
			fire := func() {
				seq++
				o, _ := w.Object(1)
				require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
					Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Direction: [3]float32{0, 1, 0},
				}}})))
			}
			for range 120 {
				w.Tick()
				build(t, c)
				require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: c.ids.Last})))
				c.Observe(path, 1./60)
				// What the client sees: the target as it was so many steps ago.
				lag := c.Lag()
				seen, ok := w.Object(2)
				require.True(t, ok)
				x := seen.State.Position[0] - 10*float32(lag.OneWay+lag.Interpolation+lag.Uplink)
				if !tc.rewound {
					x = seen.State.Position[0]
				}
				fire()
				require.Equal(t, tc.rewound, shot.Rewound)
				if w.Now() > 40 { // there is a past
					require.Equal(t, x > -29 && x < 29, shot.Result.Hit, "step %d, x %v", w.Now(), x)
				}
				if shot.Result.Hit {
					require.EqualValues(t, 2, shot.Result.Object, "and not the shooter itself")
				}
			}
			var hits []tsync.Rewind
			for _, r := range c.Rewinds() {
				if r.Hit {
					hits = append(hits, r)
				}
			}
			require.NotEmpty(t, hits)
			require.InDelta(t, 970, hits[len(hits)/2].HitPoint[1], 1)
		})
	}
}

func TestOnlyObjectsWithAShapeAreHit(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	spawn(t, w, Object{ID: 2, Role: tsync.StaticReplicated, State: tsync.State{Position: [3]float32{100, 0, 0}}})
	spawn(t, w, Object{
		ID: 3, Role: tsync.StaticReplicated, State: tsync.State{Position: [3]float32{500, 0, 90}},
		Shape: rewind.Shape{Radius: 30, HalfLength: 70},
	})
	c := join(t, w, 5)
	w.Tick()
	o, _ := w.Object(1)
	fire := func(seq uint32, z float32) tsync.Rewind {
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
			Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true,
			Origin: [3]float32{0, 0, z}, Direction: [3]float32{1, 0, 0},
		}}})))
		return c.Rewinds()[0]
	}
	hit := fire(1, 30)
	require.True(t, hit.Hit)
	require.EqualValues(t, 3, hit.Object)
	require.InDelta(t, 470, hit.HitPoint[0], 0.01)
	require.False(t, fire(2, -20).Hit)
	w.Despawn(3)
	require.False(t, fire(3, 30).Hit)
}

// TestShotsBeginAtTheirObject has a client claim that its weapon is elsewhere: behind a wall, or beside its victim.
func TestShotsBeginAtTheirObject(t *testing.T) {
	for _, tc := range []struct {
		name   string
		reach  float32
		from   [3]float32
		astray bool
	}{
		{"at the object", 0, [3]float32{5000, 0, 0}, false},
		{"at the default's end", 0, [3]float32{5600, 800, 0}, false},
		{"beyond it", 0, [3]float32{5600, 801, 0}, true},
		{"beside the victim", 0, [3]float32{9000, 0, 0}, true},
		{"where its object was long ago", 0, [3]float32{}, true},
		{"far beyond what squares in float32", 0, [3]float32{-3e38, 0, 0}, true},
		{"nowhere", 0, [3]float32{nan, 0, 0}, true},
		{"within another reach", 2000, [3]float32{7000, 0, 0}, false},
		{"beyond another reach", 2000, [3]float32{7000, 0, 1}, true},
		{"anywhere", -1, [3]float32{0, 0, 0}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var told []Shot
			w := newWorld(t, Config{
				MuzzleReach: tc.reach,
				OnShot:      func(_ *Client, s Shot) { told = append(told, s) },
			})
			spawn(t, w, Object{
				ID: 1, Role: tsync.OwnerPredicted, Owner: 5, State: tsync.State{Position: [3]float32{5000, 0, 0}},
			})
			// A ball around everything: whatever is resolved hits.
			spawn(t, w, Object{ID: 2, Role: tsync.StaticReplicated, Shape: rewind.Shape{Radius: 1e6}})
			c := join(t, w, 5)
			w.Tick()
			o, _ := w.Object(1)
			fire := func() {
				require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
					Seq: 1, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Origin: tc.from, Direction: [3]float32{1, 0, 0},
				}}})))
			}
			fire()
			fire() // sent again
			want := tsync.Rewind{InputSeq: 1, RewindTick: 1}
			if !tc.astray {
				want.Hit, want.Object, want.HitPoint = true, 2, tc.from
			}
			require.Equal(t, []tsync.Rewind{want}, c.Rewinds(), "the client is told, once")
			require.Len(t, told, 1)
			require.Equal(t, tc.astray, told[0].Astray)
			require.Equal(t, want, told[0].Result)
			require.Equal(t, tc.astray, c.Stats().Astray == 1)
			require.EqualValues(t, 1, c.Stats().Inputs, "and the input counts")
		})
	}
}

// TestShotsFollowTheirObject moves an object and its weapon by the same input.
func TestShotsFollowTheirObject(t *testing.T) {
	w := newWorld(t, Config{MuzzleReach: 1})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	c := join(t, w, 5)
	w.Tick()
	o, _ := w.Object(1)
	x := float32(0)
	for seq := uint32(1); seq < 10; seq++ {
		x += 100
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
			Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, DT: 0.1, Move: [3]float32{1000, 0, 0},
			Fire: true, Origin: [3]float32{x, 0, 0}, Direction: [3]float32{1, 0, 0},
		}}})))
		require.Zero(t, c.Stats().Astray)
	}
}

// TestShotsAreBounded lets a client shoot with every input that it may have: what is beyond the rate hits nothing, and
// costs nothing.
func TestShotsAreBounded(t *testing.T) {
	w := newWorld(t, Config{ShotRate: 7, MuzzleReach: -1})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	spawn(t, w, Object{ID: 2, Role: tsync.StaticReplicated, Shape: rewind.Shape{Radius: 1e6}})
	tooFast := uint64(0)
	w.config.OnShot = func(_ *Client, s Shot) {
		require.NotEqual(t, s.TooFast, s.Result.Hit)
		if s.TooFast {
			tooFast++
		}
	}
	c := join(t, w, 5)
	w.Tick()
	o, _ := w.Object(1)
	const inputs = 240
	hits, told := 0, 0
	for seq := uint32(1); seq <= inputs; seq++ {
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
			Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Direction: [3]float32{1, 0, 0},
		}}})))
		for _, r := range c.Rewinds() {
			told++
			if r.Hit {
				hits++
			}
		}
		w.Tick()
	}
	require.Equal(t, inputs, told, "the client is told of all")
	rate := int(w.config.Hello.SimRate)
	require.Equal(t, 7*(rate+inputs-1)/rate, hits, "a second's worth was saved up")
	require.Equal(t, tooFast, c.Stats().TooFast)
	require.Equal(t, told-hits, int(tooFast))
}
