//go:build !js

package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

// Movers move by their velocity, within what snapshots can say, and face where they go.
func TestMoversMove(t *testing.T) {
	h := offer(20)
	for name, m := range map[string]mover{
		"eight": newMover(0), "stops": newMover(1), "last": newMover(maxMovers - 1), "duck": newDuck(0), "last duck": newDuck(7),
	} {
		const dt = 1e-3
		fast := 0.0
		for at := 0.0; at < 30; at += 0.1007 { // never where a duck turns round
			a, b, c := m.at(at-dt), m.at(at), m.at(at+dt)
			for axis := range 3 {
				require.GreaterOrEqual(t, b.Position[axis], h.Position.Min[axis], name)
				require.LessOrEqual(t, b.Position[axis], h.Position.Max[axis], name)
				slope := float64(c.Position[axis]-a.Position[axis]) / (2 * dt)
				require.InDelta(t, slope, b.Velocity[axis], 1, "%s at %v", name, at)
			}
			fast = max(fast, math.Hypot(float64(b.Velocity[0]), float64(b.Velocity[1])))
		}
		require.Greater(t, fast, 200.0, name)
		require.Less(t, fast, float64(h.Velocity.Max[0]), name)
	}
	require.Zero(t, newMover(1).at(stopEvery-0.1).Velocity)
}

// At the end of a step everything is where it should be at that time.
func TestTick(t *testing.T) {
	for _, gallery := range []bool{false, true} {
		f, err := newField(rules{movers: 5, players: 2, sendRate: 20, gallery: gallery})
		require.NoError(t, err)
		for range 200 {
			f.tick()
			for i, m := range f.movers {
				o, ok := f.world.Object(firstMover + uint32(i))
				require.True(t, ok)
				want := m.at(float64(f.world.Now()) * stepTime)
				require.InDelta(t, 0, distance(want.Position, o.State.Position), 0.01)
			}
		}
	}
}

func TestSpawnPoints(t *testing.T) {
	box := limits().World
	for _, spawn := range []func(uint32) tsync.State{spawnPoint, row} {
		for a := uint32(1); a <= rangeShooters; a++ {
			at := spawn(a).Position
			for axis := range at {
				require.GreaterOrEqual(t, at[axis], box.Min[axis])
				require.LessOrEqual(t, at[axis], box.Max[axis])
			}
			for b := uint32(1); b < a; b++ {
				require.Greater(t, distance(at, spawn(b).Position), float64(2*bodySize), "%d and %d", a, b)
			}
		}
	}
}

// A bot aims at what it sees, and knows what it should hit.
func TestBotAims(t *testing.T) {
	b := newBot(1, 0)
	me := tsync.State{}
	poses := []client.Pose{
		{Object: 1}, // itself
		{Object: firstMover, State: tsync.State{Position: [3]float32{1000, 0, 0}}},
		{Object: firstMover + 1, State: tsync.State{Position: [3]float32{2 * botSight, 0, 0}}}, // too far
	}
	shots, hits := 0, 0
	for step := range 200 * botReload {
		in := b.want(1, &me, poses)
		require.LessOrEqual(t, math.Hypot(float64(in.Move[0]), float64(in.Move[1])), float64(topSpeed))
		if !in.Fire {
			continue
		}
		b.pushed(uint32(step+1), &in)
		shots++
		require.Positive(t, in.Direction[0])
		if b.aimed != 0 {
			require.EqualValues(t, firstMover, b.aimed)
			hits++
		}
		b.resolved(tsync.Rewind{InputSeq: uint32(step + 1), Hit: b.aimed != 0, Object: b.aimed})
		b.resolved(tsync.Rewind{InputSeq: uint32(step + 1), Hit: true}) // told twice
	}
	require.Equal(t, shots, b.shots)
	require.InDelta(t, 200, shots, 3)
	require.InDelta(t, shots*(botMisses-1)/botMisses, hits, float64(shots)/10)
	require.Equal(t, hits, b.seen)
	require.Equal(t, []int{hits, hits, shots}, []int{b.hits, b.agreed, b.answered})
	require.Empty(t, b.waiting)

	b.rests = true
	for range 10 * botReload {
		require.False(t, b.want(1, &me, poses).Fire)
	}
}

func TestTruth(t *testing.T) {
	f, err := newField(rules{movers: 1, players: 1, sendRate: 20})
	require.NoError(t, err)
	truth := newTruth(rules{movers: 1, players: 1})
	_, ok := truth.at(firstMover, 1)
	require.False(t, ok)
	for range 10 {
		f.tick()
		truth.note(0, f.world)
	}
	a, ok := truth.at(firstMover, 3)
	require.True(t, ok)
	b, _ := truth.at(firstMover, 4)
	middle, _ := truth.at(firstMover, 3.5)
	require.InDelta(t, distance(a, b)/2, distance(a, middle), 1e-3)
	require.InDelta(t, 0, distance(a, f.movers[0].at(3*stepTime).Position), 0.01)
	for _, tick := range []float64{-1, 0, 0.5, 10, 11} {
		_, ok = truth.at(firstMover, tick)
		require.False(t, ok, "%v", tick)
	}
	_, ok = truth.at(1, 3) // nobody has joined
	require.False(t, ok)
	_, ok = truth.at(77, 3)
	require.False(t, ok)
}

func TestQuantile(t *testing.T) {
	require.Zero(t, distances(nil).quantile(0.5))
	d := distances{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	require.Equal(t, []float64{1, 6, 10, 10}, []float64{d.quantile(0), d.quantile(0.5), d.quantile(0.99), d.quantile(1)})
}

// A field without a network: where the first mover is after a second.
func Example() {
	f, err := newField(rules{movers: 1, players: 4, sendRate: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range simRate {
		f.tick()
	}
	o, _ := f.world.Object(firstMover)
	fmt.Printf("x %.0f cm, y %.0f cm, %.0f cm/s\n", o.State.Position[0], o.State.Position[1],
		math.Hypot(float64(o.State.Velocity[0]), float64(o.State.Velocity[1])))

	// Output: x -1242 cm, y -1254 cm, 222 cm/s
}
