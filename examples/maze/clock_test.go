package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestPacer(t *testing.T) {
	now := time.Unix(1000, 0)
	var p pacer
	p.start(-1, now)
	require.Equal(t, netcode.Step(-1), p.due(-1, now))
	require.Equal(t, netcode.Step(0), p.due(-1, now.Add(stepTime)))
	require.Equal(t, netcode.Step(59), p.due(40, now.Add(60*stepTime)))
	require.Equal(t, netcode.Step(70), p.due(70, now.Add(60*stepTime)), "never backward")

	// An hour asleep is not an hour to be made up for.
	now = now.Add(time.Hour)
	require.Equal(t, netcode.Step(70+maxBehind), p.due(70, now))
	require.Equal(t, netcode.Step(70+maxBehind), p.due(70+maxBehind, now))
	require.Equal(t, netcode.Step(71+maxBehind), p.due(70+maxBehind, now.Add(stepTime)))
}

// network is an authority and the way to it and back, in simulated time.
type network struct {
	rng    *rand.Rand
	delay  time.Duration // one way
	jitter time.Duration // added, at most
	paused func(step netcode.Step) time.Duration

	start   time.Time
	arrived time.Time // of the last message to the client: the stream keeps the order
	queue   []message
	left    []int64 // steps that each command had left
}

// message is an announcement, or an outcome if it answers.
type message struct {
	at      time.Time
	step    netcode.Step
	answers bool
}

func (n *network) oneWay() time.Duration {
	return n.delay + time.Duration(n.rng.Int64N(int64(n.jitter)+1))
}

// completed returns the authority's step at a time.
func (n *network) completed(at time.Time) netcode.Step {
	return netcode.Step(at.Sub(n.start)/stepTime) - 1
}

func (n *network) toClient(sent time.Time, m message) {
	m.at = sent.Add(n.oneWay())
	if m.at.Before(n.arrived) {
		m.at = n.arrived
	}
	n.arrived = m.at
	n.queue = append(n.queue, m)
}

// run lets a client live for some seconds and returns the steps it completed in each frame.
func (n *network) run(c *clock, seconds int) []netcode.Step {
	now := n.start.Add(10 * time.Second)
	step := n.completed(now)
	announced := step
	c.reached(step, now)
	var advances []netcode.Step
	for range seconds * 200 { // a frame is 5 ms
		now = now.Add(5 * time.Millisecond)
		for announced < n.completed(now) {
			announced++
			n.toClient(n.start.Add(time.Duration(announced+1)*stepTime), message{step: announced})
		}
		for len(n.queue) > 0 && !n.queue[0].at.After(now) {
			m := n.queue[0]
			n.queue = n.queue[1:]
			if m.answers {
				c.answered(m.step)
			} else {
				c.reached(m.step, now)
			}
		}
		to := c.target(step, now)
		for step < to {
			step++
			if step%6 == 0 { // a command
				arrival := now.Add(n.oneWay())
				n.left = append(n.left, int64(step-n.completed(arrival)-1))
				// Announcements that leave before the outcome must be in the queue before it.
				for announced < n.completed(arrival) {
					announced++
					n.toClient(n.start.Add(time.Duration(announced+1)*stepTime), message{step: announced})
				}
				n.toClient(arrival, message{step: step, answers: true})
			}
		}
		advances = append(advances, to)
	}
	return advances
}

func TestClockRunsJustFarEnoughAhead(t *testing.T) {
	for _, c := range []struct {
		name          string
		delay, jitter time.Duration
	}{
		{"same machine", 0, 0},
		{"good", 10 * time.Millisecond, 2 * time.Millisecond},
		{"demo", 40 * time.Millisecond, 10 * time.Millisecond},
		{"far", 120 * time.Millisecond, 30 * time.Millisecond},
		{"terrible", 200 * time.Millisecond, 100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &network{
				rng: rand.New(rand.NewPCG(1, 2)), delay: c.delay, jitter: c.jitter, start: time.Unix(5000, 0),
			}
			var clock clock
			steps := n.run(&clock, 30)
			require.True(t, slices.IsSorted(steps), "never backward")

			// After the first third it has settled: nearly all commands come in time, and not much too early.
			settled := slices.Clone(n.left[len(n.left)/3:])
			slices.Sort(settled)
			require.GreaterOrEqual(t, settled[len(settled)/10], int64(0), "%v", settled)
			require.LessOrEqual(t, settled[len(settled)*9/10], int64(wanted+2+2*c.jitter/stepTime), "%v", settled)

			// And it runs smoothly, at the authority's pace.
			third := len(steps) / 3
			for i := third; i < len(steps); i++ {
				require.LessOrEqual(t, steps[i]-steps[i-1], netcode.Step(2))
			}
			pace := float64(steps[len(steps)-1]-steps[third]) / (20 * 60)
			require.InDelta(t, 1, pace, 0.02)
		})
	}
}

func TestClockCatchesUpWithoutJumping(t *testing.T) {
	now := time.Unix(5000, 0)
	var c clock
	c.reached(1000, now)
	step := netcode.Step(1000)
	for range 3 {
		to := c.target(step, now)
		require.LessOrEqual(t, to-step, netcode.Step(maxHurry))
		require.Greater(t, to, step)
		step = to
		if step >= 1000+firstLead {
			break
		}
	}
	require.Equal(t, netcode.Step(1000+firstLead), c.target(step, now))
}

func TestClockDoesNotRunAwayFromASilentAuthority(t *testing.T) {
	now := time.Unix(5000, 0)
	var c clock
	c.reached(0, now)
	step := netcode.Step(0)
	for range 1000 {
		now = now.Add(stepTime)
		step = c.target(step, now)
	}
	require.Equal(t, netcode.Step(maxLead), step)

	c.stop()
	c.answered(step) // an outcome that comes with a synchronisation says nothing about time
	require.Equal(t, step, c.target(step, now.Add(time.Hour)))
}

func TestClockFollowsASlowAuthority(t *testing.T) {
	now := time.Unix(5000, 0)
	var c clock
	c.reached(0, now)
	step := netcode.Step(0)
	for n := range netcode.Step(600) { // half as fast as it should be
		now = now.Add(2 * stepTime)
		c.reached(n, now)
		step = c.target(step, now)
	}
	require.Less(t, step, netcode.Step(600+maxLead))
	require.Greater(t, step, netcode.Step(600))
}

func TestClockAtNegativeSteps(t *testing.T) {
	now := time.Unix(5000, 0)
	var c clock
	c.reached(-500, now)
	require.Equal(t, netcode.Step(-500+maxHurry), c.target(-500, now))
}
