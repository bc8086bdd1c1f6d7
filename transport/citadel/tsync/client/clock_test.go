package client_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

// stream delivers the snapshots of an object to a view and its clock.
type stream struct {
	*feed
	clock client.RenderClock
	id    uint32
}

func (s *stream) deliver(tick uint32) {
	s.id++
	s.must(tsync.Snapshot{Tick: tick, ID: s.id, Updates: []tsync.Update{s.update(1, 0, whole, moving(float32(tick), 60))}})
	s.clock.Sync(s.view)
}

// A minute of 144 frames a second, with snapshots that come up to 60 ms late and some not at all.
func TestRenderClockIsEven(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := stream{feed: defaultFeed(t)}
		const frame = 1.0 / 144
		type packet struct {
			at   float64
			tick uint32
		}
		var on []packet
		sent, last, lastShown := uint32(0), math.Inf(-1), math.Inf(-1)
		beyond := 0
		for now := 0.0; now < 60; now += frame {
			for ; float64(sent)/60 <= now; sent += 3 {
				if r.IntN(50) == 0 {
					s.id++ // lost
					continue
				}
				on = append(on, packet{float64(sent)/60 + 0.03 + 0.06*r.Float64()*r.Float64(), sent})
			}
			for len(on) > 0 && on[0].at <= now {
				s.deliver(on[0].tick)
				on = on[1:]
			}
			tick, ok := s.clock.Advance(s.view, frame)
			if !ok {
				continue
			}
			if last > math.Inf(-1) {
				step := tick - last
				require.GreaterOrEqual(t, step, 0.9*frame*60-1e-9, "at %.3f s", now)
				require.LessOrEqual(t, step, 1.1*frame*60+1e-9, "at %.3f s", now)
			}
			last = tick
			x := s.x(1, tick)
			require.GreaterOrEqual(t, float64(x), lastShown, "what moves forward is shown to move forward")
			lastShown = float64(x)
			if newest, _ := s.view.NewestTick(); tick > float64(newest) {
				beyond++
			}
			if now > 5 {
				behind := now*60 - tick
				require.Greater(t, behind, 2.0, "at %.3f s", now)
				require.Less(t, behind, 16.0, "at %.3f s", now)
			}
		}
		require.Less(t, beyond, 144*60*3/100, "few frames are guesses")
	}
}

func TestRenderClockSlews(t *testing.T) {
	s := stream{feed: defaultFeed(t)}
	for tick := uint32(0); tick < 600; tick += 3 {
		s.deliver(tick)
		s.clock.Advance(s.view, 0.05)
	}
	// The delay goes up at once; the clock only slows down, and gets there.
	before, _ := s.clock.Tick()
	s.id += 3
	for tick := uint32(600); tick < 1200; tick += 3 {
		s.deliver(tick)
		after, ok := s.clock.Advance(s.view, 0.05)
		require.True(t, ok)
		require.Greater(t, after, before)
		before = after
	}
	target, _ := s.view.RenderTick()
	require.InDelta(t, target+3, before, 0.5)
}

func TestRenderClockAfterSilence(t *testing.T) {
	s := stream{feed: defaultFeed(t)}
	tick, ok := s.clock.Advance(s.view, 1)
	require.False(t, ok)
	require.Zero(t, tick)
	_, ok = s.clock.Tick()
	require.False(t, ok)

	s.deliver(100)
	tick, ok = s.clock.Advance(s.view, 0)
	require.True(t, ok)
	require.Equal(t, 92.5, tick)
	for _, nonsense := range []float64{-1, math.NaN(), math.Inf(-1)} {
		same, ok := s.clock.Advance(s.view, nonsense)
		require.True(t, ok)
		require.Equal(t, tick, same)
	}

	// Nothing comes: it waits where nothing moves any more.
	for range 100 {
		tick, _ = s.clock.Advance(s.view, 0.1)
	}
	require.Equal(t, 115.0, tick)
	tick, _ = s.clock.Advance(s.view, math.Inf(1))
	require.Equal(t, 115.0, tick)

	// A little comes late: no step back. Much has passed: a leap.
	s.deliver(103)
	tick, _ = s.clock.Advance(s.view, 0.01)
	require.GreaterOrEqual(t, tick, 115.0)
	s.deliver(1000)
	tick, _ = s.clock.Advance(s.view, 0)
	require.Greater(t, tick, 992.0)

	// Nothing is left to show, and then something is.
	s.id++
	s.must(tsync.Snapshot{Tick: 1003, ID: s.id})
	s.clock.Sync(s.view)
	_, ok = s.clock.Advance(s.view, 1)
	require.False(t, ok)
	s.deliver(1006)
	tick, ok = s.clock.Advance(s.view, 0)
	require.True(t, ok)
	require.InDelta(t, 998.5, tick, 0.3)
}

// A server whose ticks go back, and that shows something else from then on, does not turn time around.
func TestRenderClockDoesNotGoBack(t *testing.T) {
	s := stream{feed: defaultFeed(t)}
	s.deliver(100)
	before, ok := s.clock.Advance(s.view, 0.1)
	require.True(t, ok)
	s.id++
	s.must(tsync.Snapshot{Tick: 50, ID: s.id, Updates: []tsync.Update{s.update(2, 0, full, at(0))}})
	s.clock.Sync(s.view)
	for range 10 {
		after, ok := s.clock.Advance(s.view, 0.01)
		require.True(t, ok)
		require.GreaterOrEqual(t, after, before)
		before = after
	}
}
