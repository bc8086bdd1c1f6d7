package server

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// slowdown is by how much snapshots become rarer when too many have not been acknowledged.
const slowdown = 4

// dueParts is how many parts make a snapshot due. In a step there come as many as there are snapshots in a second,
// times slowdown.
func (c *Client) dueParts() int { return slowdown * int(c.world.config.Hello.SimRate) }

// pass is called at the end of every step.
func (c *Client) pass() {
	gain := slowdown * int(c.rate)
	// If half of what both sides keep is on its way, the acknowledgements take so long that the state they name may be
	// gone when they come: every snapshot would be a full one, for good. With fewer on the way they last longer.
	if int(c.inFlight()) > c.world.config.Ring/2 {
		gain = int(c.rate)
	}
	c.phase = min(c.phase+gain, 2*c.dueParts())
	c.tokens = min(c.tokens+c.world.config.InputRate, c.mostTokens())
	c.shots = min(c.shots+c.world.config.ShotRate, c.mostShots())
}

// inFlight returns how many snapshots were sent after the newest one that was acknowledged.
func (c *Client) inFlight() uint32 { return c.ids.Last - min(c.newestAck, c.ids.Last) }

// taken notes that the snapshot that was due was asked for.
func (c *Client) taken() { c.phase = max(c.phase-c.dueParts(), 0) }

// Due reports whether it is time for a snapshot, by the client's send rate. Nothing keeps the caller from sending more
// or less.
func (c *Client) Due() bool { return c.phase >= c.dueParts() }

// SendRate returns how many snapshots a second the client gets at present.
func (c *Client) SendRate() uint8 { return c.rate }

// Congestion returns whether the client gets all or less.
func (c *Client) Congestion() congestion.Mode { return c.congestion.Mode() }

// Observe takes what the connection says of its link, dt seconds after the last time, and adapts rate, budget and the
// rewinding of shots to it. A few times a second is often enough. It reports whether the mode has changed.
func (c *Client) Observe(p congestion.Path, dt float64) (changed bool) {
	changed = c.congestion.Observe(c.meter.Observe(p, c.AckAge(), dt), dt)
	if changed {
		c.obeyCongestion()
	}
	c.lag = c.lagMeter.Lag(p, c.rate, c.world.config.Hello.SimRate, dt)
	return changed
}

func (c *Client) obeyCongestion() {
	c.rate = c.congestion.SendRate()
	c.budget = c.world.config.Budget
	if b := c.congestion.Budget(); b > 0 && (c.budget < 0 || b < c.budget) {
		c.budget = b
	}
}

// Lag returns how far behind the client's screen is, as far as [Client.Observe] knows.
func (c *Client) Lag() rewind.Lag { return c.lag }

// AckAge returns how many steps ago the newest snapshot was sent that the client has acknowledged, or the first
// snapshot if it has not acknowledged any; and 0 while there is none that it has not.
func (c *Client) AckAge() float64 {
	if c.inFlight() == 0 {
		return 0
	}
	return float64(c.world.tick - c.ackedTick)
}

// shotParts is how many parts make a shot. In a step there come as many as there are shots in a second.
func (c *Client) shotParts() int { return int(c.world.config.Hello.SimRate) }

// mostShots is a second's worth of shots.
func (c *Client) mostShots() int { return c.world.config.ShotRate * c.shotParts() }

// mostTokens is a second's worth of inputs.
func (c *Client) mostTokens() int {
	return c.world.config.InputRate * int(c.world.config.Hello.SimRate)
}
