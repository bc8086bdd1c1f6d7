// Package jitter is how far behind its newest snapshot a client of transform sync shows the world. The client goes by it,
// and so does the server, which has to know what a shooter saw.
//
// The delay is a multiple of the send interval: 2.5 in the beginning, 0.02 less for every snapshot that follows upon the
// last one, down to 1.5, and 0.5 more for every one that is missing, up to 2.5 again. It is at most 0.4 s, but at least
// 1.5 intervals. These are the rules of existing clients; a send rate of 1 to 3, with which some of those stop, makes the
// delay longer than 0.4 s, because to show what is between two snapshots one has to have both.
package jitter

// Ceiling and Floor are the most and the least send intervals that a [Buffer] holds.
const (
	Ceiling = 2.5
	Floor   = 1.5 // there is then always a snapshot on either side
)

const (
	relief  = 0.02 // less for every snapshot that follows upon the last one
	penalty = 0.5  // more for every snapshot that is missing in between

	maxDelay = 0.4 // seconds, unless Floor intervals are more
)

// Buffer adapts the multiplier of the send interval to what is lost. The zero value is that of a client that has not
// got anything. It is not safe for concurrent use.
type Buffer struct {
	multiplier float64 // 0 for Ceiling
}

// Multiplier returns how many send intervals the buffer holds, from [Floor] to [Ceiling].
func (b *Buffer) Multiplier() float64 {
	if b.multiplier == 0 {
		return Ceiling
	}
	return b.multiplier
}

// Note takes how far a snapshot that was applied is from the one applied before: 1 if none is missing.
func (b *Buffer) Note(gap uint32) {
	if m := b.Multiplier(); gap > 1 {
		b.multiplier = min(m+float64(penalty*float64(gap-1)), Ceiling)
	} else {
		b.multiplier = max(m-relief, Floor)
	}
}

// Delay returns the delay in seconds at a send rate, a second's snapshots. A rate of 0 counts as 1.
func (b *Buffer) Delay(sendRate uint8) float64 {
	interval := 1 / float64(max(sendRate, 1))
	return max(min(float64(b.Multiplier()*interval), maxDelay), float64(Floor*interval))
}
