package client

// How a [RenderClock] follows its target.
const (
	clockGain = 0.125 // part of a measured error that counts; the rest is taken for jitter
	clockSlew = 0.1   // how much faster or slower than time the clock goes at most
	clockLeap = 0.5   // seconds of error, above which it leaps ahead or waits

	maxFrame = 10.0 // seconds that a frame of the application counts at most
)

// RenderClock turns the time of an application into ticks to show. [View.RenderTick] jumps when a snapshot comes and
// stands still in between; a render clock goes on evenly, a little faster or slower than time until it is where the view
// wants it. It never goes back while there is anything to show.
//
// The zero value is ready. It holds no time of its own: everything comes in by its methods.
type RenderClock struct {
	tick    float64
	behind  float64 // ticks to the target, as far as they are not jitter
	running bool
}

// Sync tells the clock of a snapshot that was just applied to a view.
func (c *RenderClock) Sync(v *View) {
	target, ok := v.RenderTick()
	if !ok {
		*c = RenderClock{}
		return
	}
	if !c.running {
		*c = RenderClock{tick: target, running: true}
		return
	}
	behind := target - c.tick
	switch leap := clockLeap * v.SimRate(); {
	case behind > leap:
		c.tick, c.behind = target, 0
	case behind < -leap:
		c.behind = behind
	default:
		c.behind += float64((behind - c.behind) * clockGain)
	}
}

// Advance lets some seconds pass and returns the tick to show of a view, or false as long as there is nothing to show.
// A time that is negative or NaN counts as none. The clock waits where the newest sample of the view is
// [MaxExtrapolation] old, because nothing moves beyond that.
func (c *RenderClock) Advance(v *View, seconds float64) (tick float64, ok bool) {
	newest, ok := v.NewestTick()
	if !c.running || !ok {
		return 0, false
	}
	if !(seconds > 0) {
		return c.tick, true
	}
	rate := v.SimRate()
	passed := float64(min(seconds, maxFrame) * rate)
	adjust := float64(passed * c.speed(rate))
	end := float64(newest) + float64(MaxExtrapolation*rate)
	c.tick = max(c.tick, min(c.tick+passed+adjust, end))
	// The target moves with time, so that only the adjustment gets closer to it.
	c.behind -= adjust
	return c.tick, true
}

// speed returns how much faster than time the clock is to go: so much that it is there in a second, within bounds.
func (c *RenderClock) speed(rate float64) float64 {
	seconds := c.behind / rate
	if seconds < -clockLeap {
		return -1
	}
	return max(-clockSlew, min(seconds, clockSlew))
}

// Tick returns the tick that [RenderClock.Advance] returned last.
func (c *RenderClock) Tick() (tick float64, ok bool) { return c.tick, c.running }
