package netem

import (
	"math/rand/v2"
	"time"
)

// direction of travel through the relay.
type direction int

const (
	toTarget direction = iota
	toClient
	directions
)

// A link decides the fate of one direction's packets. It holds no clock: time is an argument.
type link struct {
	rng  *rand.Rand
	last time.Time // when the packet before leaves

	sent uint64 // highest arrival number among the packets that left
}

func newLink(seed uint64, d direction) *link {
	return &link{rng: rand.New(rand.NewPCG(seed, uint64(d)+1))}
}

// schedule says when a packet that arrived at now leaves, and false if it is lost. The number of random draws
// does not depend on the configuration, so that changing the lag does not change which packets are lost.
func (l *link) schedule(c *Config, now time.Time) (time.Time, bool) {
	lost := l.rng.Float64() < c.Loss
	swing := l.rng.Float64() - 0.5
	if lost {
		return time.Time{}, false
	}
	delay := c.Lag/2 + time.Duration(swing*float64(c.Jitter))
	at := now.Add(max(delay, 0))
	if !c.ReorderOK && at.Before(l.last) {
		at = l.last
	}
	l.last = at
	return at, true
}

// left notes that the packet with this arrival number left, and reports whether it overtook nobody.
func (l *link) left(number uint64) (inOrder bool) {
	if number < l.sent {
		return false
	}
	l.sent = number
	return true
}
