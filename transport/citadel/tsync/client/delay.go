package client

// The jitter buffer: how many send intervals behind the newest snapshot the world is shown.
const (
	ceiling = 2.5  // what it begins with, and the most
	floor   = 1.5  // the least: there is then always a sample on either side
	relief  = 0.02 // less for every snapshot that follows upon the last one
	penalty = 0.5  // more for every snapshot that is missing in between

	maxDelay = 0.4 // seconds, unless floor intervals are more
)

// jitter adapts the multiplier of the send interval to what is lost.
type jitter struct{ multiplier float64 }

// note takes how far a snapshot is from the one before: 1 if none is missing.
func (j *jitter) note(gap uint32) {
	if gap > 1 {
		j.multiplier = min(j.multiplier+float64(penalty*float64(gap-1)), ceiling)
	} else {
		j.multiplier = max(j.multiplier-relief, floor)
	}
}

// delay returns the delay in seconds at a send rate. With a rate of 3 or less, floor intervals are more than maxDelay,
// and the floor wins: to show what is between two snapshots one has to have both.
func (j *jitter) delay(sendRate uint8) float64 {
	interval := 1 / float64(sendRate)
	return max(min(float64(j.multiplier*interval), maxDelay), float64(floor*interval))
}
