package main

import "time"

// pacer turns time into steps of the simulation, on either side.
type pacer struct {
	origin time.Time // when step 0 was; zero before the first call
	step   int64     // the last one that was taken
}

// maxBehind is how many steps a pacer makes up for. Beyond that, time is lost rather than hurried through.
const maxBehind = simRate / 2

// due returns how many steps are to be taken now, and counts them as taken.
func (p *pacer) due(now time.Time) int {
	if p.origin.IsZero() {
		p.origin = now
	}
	n := int64(now.Sub(p.origin)*simRate/time.Second) - p.step
	if n > maxBehind {
		p.origin = p.origin.Add(time.Duration(n-maxBehind) * time.Second / simRate)
		n = maxBehind
	}
	p.step += max(n, 0)
	return int(max(n, 0))
}
