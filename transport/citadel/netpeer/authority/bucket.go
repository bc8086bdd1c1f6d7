package authority

// bucket is an allowance that refills to a second's worth within a second.
type bucket struct {
	tokens, capacity float64
	last             uint64 // milliseconds
}

// rate returns how much there is in a second. What is not a positive number is nothing, so that an allowance of that
// neither sinks as time passes nor is without limit.
func rate(perSecond, usual float64) float64 {
	switch {
	case perSecond == 0:
		return usual
	case perSecond > 0:
		return perSecond
	}
	return 0
}

func newBucket(perSecond float64) bucket { return bucket{tokens: perSecond, capacity: perSecond} }

// refill brings the bucket to a time in milliseconds. Time that runs backwards stands still.
func (b *bucket) refill(now uint64) {
	if now <= b.last {
		return
	}
	gain := float64(float64(now-b.last) * (b.capacity / 1000)) // rounded before it is added, on all machines
	b.tokens = min(b.tokens+gain, b.capacity)
	b.last = now
}

// charge takes n at a time in milliseconds, or nothing if there is less.
func (b *bucket) charge(now uint64, n float64) bool {
	b.refill(now)
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

// account is the allowances of an identity. It outlives connections.
type account struct {
	bunches, bytes, fields, items bucket

	left bool // is on the list of those who have left, unless they came back since
}

func newAccount(l *Limits) *account {
	return &account{
		bunches: newBucket(l.BunchesPerSecond), bytes: newBucket(l.BytesPerSecond),
		fields: newBucket(l.FieldsPerSecond), items: newBucket(l.ItemsPerSecond),
	}
}

// full reports whether the account is as good as a new one at a time in milliseconds.
func (a *account) full(now uint64) bool {
	for _, b := range [...]*bucket{&a.bunches, &a.bytes, &a.fields, &a.items} {
		if b.refill(now); b.tokens < b.capacity {
			return false
		}
	}
	return true
}
