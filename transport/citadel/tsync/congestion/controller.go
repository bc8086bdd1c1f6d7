package congestion

// Bounds of the recovery wait, and the good time after which it halves, in seconds.
const (
	leastWait = 1
	mostWait  = 60
	stable    = 1
)

// Mode is how much a client gets.
type Mode uint8

// The modes.
const (
	Good Mode = iota
	Floor
)

// String returns the mode's name.
func (m Mode) String() string {
	if m == Good {
		return "good"
	}
	return "floor"
}

// Observation is what is known of a client's path at one moment. A signal that is not finite is unknown, and not bad.
type Observation struct {
	Loss   float32 // of datagrams, 1 for all
	AckAge float64 // ticks since the newest snapshot was sent that the client has acknowledged
	Jitter float64 // milliseconds
	RTT    float64 // milliseconds
	Drops  uint64  // by the send queue, since the last observation
}

// Controller decides about one client. Make it with [New]. It is not safe for concurrent use.
type Controller struct {
	cfg       Config
	mode      Mode
	bad, good float64 // seconds that all has been so
	wait      float64 // seconds that all must be good
}

// New returns a controller in the mode Good. Its error is one of [Config.Validate].
func New(cfg Config) (*Controller, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Controller{cfg: cfg, wait: min(max(cfg.Recover, leastWait), mostWait)}, nil
}

// Observe takes what is known dt seconds after the last time, and reports whether the mode has changed. It changes at
// most once, however long that is. A dt that is not finite or not positive counts as 0.
func (c *Controller) Observe(o Observation, dt float64) (changed bool) {
	if !finite(dt) || dt < 0 {
		dt = 0
	}
	if c.cfg.bad(&o) {
		c.bad, c.good = c.bad+dt, 0
		if c.mode == Good && c.bad >= c.cfg.EnterFloor {
			c.wait = min(c.wait*2, mostWait)
			c.enter(Floor)
			return true
		}
		return false
	}
	c.good, c.bad = c.good+dt, 0
	switch {
	case c.mode == Floor && c.good >= c.wait:
		c.enter(Good)
		return true
	case c.mode == Good && c.good >= stable:
		c.wait = max(c.wait/2, leastWait)
		c.good = 0
	}
	return false
}

func (c *Controller) enter(m Mode) { c.mode, c.bad, c.good = m, 0, 0 }

// Mode returns the mode.
func (c *Controller) Mode() Mode { return c.mode }

// SendRate returns how many snapshots a second the client gets.
func (c *Controller) SendRate() uint8 {
	if c.mode == Good {
		return c.cfg.GoodRate
	}
	return c.cfg.FloorRate
}

// Budget returns how many updates a snapshot may have, 0 for all.
func (c *Controller) Budget() int {
	if c.mode == Good {
		return c.cfg.GoodBudget
	}
	return c.cfg.FloorBudget
}

// RecoverWait returns how many seconds all must be good for the mode to become Good again.
func (c *Controller) RecoverWait() float64 { return c.wait }

func (c *Config) bad(o *Observation) bool {
	return o.Drops > 0 ||
		c.above(o, 1) ||
		finite(o.RTT) && o.RTT > c.MaxRTT && c.above(o, 0.5)
}

// above reports whether one of the three signals that count alone is above a share of its limit.
func (c *Config) above(o *Observation, share float64) bool {
	return finite(float64(o.Loss)) && o.Loss > c.MaxLoss*float32(share) ||
		finite(o.AckAge) && o.AckAge > c.MaxAckAge*share ||
		finite(o.Jitter) && o.Jitter > c.MaxJitter*share
}

// finite reports whether f is a number: neither a NaN nor an infinity minus itself is 0.
func finite(f float64) bool { return f-f == 0 }
