package motion

import "fmt"

// DefaultMost is the most that an [Allowance] saves up by default, in seconds. It has to bridge the longest pause
// after which a connection delivers what it has held back.
const DefaultMost = 1.0

// Allowance is the time that an owner may still use: inputs that together last longer than time itself would make it
// faster than the speed limit. The zero value grants everything.
//
// What is granted is less than an input wanted for a moment after a pause that was longer than Most, or if the owner's
// clock is faster than the server's. The owner then sees a correction, as it does whenever a limit strikes.
type Allowance struct {
	// Most is how many seconds can be saved up, and what there is in the beginning. Zero means that there is no
	// bound.
	Most float64

	used float64 // of Most
}

// Validate returns an error that wraps [ErrLimits] if Most is negative or not a number.
func (a *Allowance) Validate() error {
	if !(a.Most >= 0) {
		return fmt.Errorf("%w: Most is %v", ErrLimits, a.Most)
	}
	return nil
}

// Pass adds the seconds of a step of the server's simulation. Nonsense adds nothing.
func (a *Allowance) Pass(dt float64) {
	if dt > 0 {
		a.used = max(a.used-dt, 0)
	}
}

// Spend takes what an input wants, at most most, and returns what of it is granted, in seconds. With nothing left that
// is 0: the input still counts, but moves nothing.
func (a *Allowance) Spend(want, most float32) float32 {
	want = clampDT(want, most)
	if a.Most == 0 {
		return want
	}
	left := float32(max(a.Most-a.used, 0))
	want = min(want, left)
	a.used += float64(want)
	return want
}

// Reset makes the allowance full again, for another owner.
func (a *Allowance) Reset() { a.used = 0 }
