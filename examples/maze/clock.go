package main

import (
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// stepTime is how long a step lasts: 60 steps are a second.
const stepTime = time.Second / 60

// pacer tells an authority, or a game without one, which step it should have completed.
type pacer struct {
	origin time.Time // when step zero was due
}

// maxBehind is how many steps a pacer makes up for. Beyond that, time is lost rather than hurried through.
const maxBehind = 30

// start makes a pacer ask for the steps after step from now on.
func (p *pacer) start(step netcode.Step, now time.Time) {
	p.origin = now.Add(-time.Duration(step) * stepTime)
}

// due returns the step that should be complete by now, given the one that is.
func (p *pacer) due(step netcode.Step, now time.Time) netcode.Step {
	due := netcode.Step(now.Sub(p.origin) / stepTime)
	if due > step+maxBehind {
		due = step + maxBehind
		p.start(due, now)
	}
	return max(due, step)
}

// clock tells a client which step it should have completed. A client runs ahead of what it sees of its
// authority, so far that its commands reach the authority just before their step does.
//
// It follows two observations. The announcements of the authority's steps say where the authority is, as seen
// from here; the network makes some of them late, but none of them early. And each of the client's own
// commands tells, when its outcome comes back, how many steps it had left when it arrived; if those are too
// few, the client has to run further ahead, and if they are more than needed it may fall back.
//
// Time is passed in, so that the clock can be tested without any passing.
type clock struct {
	running bool
	origin  time.Time    // when the authority completed step zero, as seen from here
	latest  netcode.Step // last one announced
	lead    float64      // steps to be ahead of what is seen
}

const (
	firstLead = 8  // steps ahead before there is anything to learn from
	maxLead   = 60 // however bad the network is
	wanted    = 3  // steps that a command should have left when it arrives

	// maxHurry is how many steps at once a client makes up for, so that it catches up visibly, not in a jump.
	maxHurry = 4
)

// stop halts the clock until the authority announces a step again. What it has learnt about the network stays.
func (c *clock) stop() { c.running = false }

func (c *clock) start(step netcode.Step, now time.Time) {
	if c.lead == 0 {
		c.lead = firstLead
	}
	c.running = true
	c.latest = step
	c.origin = origin(step, now)
}

// origin returns when step zero was, if step is now.
func origin(step netcode.Step, now time.Time) time.Time {
	return now.Add(-time.Duration(step) * stepTime)
}

// reached takes in an announcement of the authority.
func (c *clock) reached(step netcode.Step, now time.Time) {
	if !c.running {
		c.start(step, now)
		return
	}
	c.latest = max(c.latest, step)
	late := origin(step, now).Sub(c.origin)
	if late < 0 {
		// Earlier than thought possible: that is how far away the authority really is.
		c.origin = c.origin.Add(late / 4)
	} else {
		// Usually the network's jitter. If it goes on, the authority has slowed down.
		c.origin = c.origin.Add(late / 50)
	}
}

// answered takes in that the outcome of an own command for a step has arrived. The authority's last
// announcement before it says where the authority was when it decided.
func (c *clock) answered(step netcode.Step) {
	if !c.running {
		return
	}
	left := float64(step - c.latest - 1)
	if left < wanted {
		c.lead += min(wanted-left, wanted) / 2
	} else {
		c.lead -= (left - wanted) / 50
	}
	c.lead = min(max(c.lead, 1), maxLead)
}

// target returns the step that should be complete by now, given the one that is.
func (c *clock) target(step netcode.Step, now time.Time) netcode.Step {
	if !c.running {
		return step
	}
	seen := float64(now.Sub(c.origin)) / float64(stepTime)
	ahead := min(netcode.Step(seen+c.lead), c.latest+maxLead)
	return min(max(ahead, step), step+maxHurry)
}
