package rooms

import "time"

// limiter bounds how often something happens. It holds the moment at which it would be as good as new.
type limiter struct {
	full time.Time
}

// rate is what a limiter allows: one event per interval, and burst of them after a pause.
type rate struct {
	interval time.Duration
	slack    time.Duration // how far into the future full may lie before an event
}

func perSecond(n, burst int) rate {
	interval := time.Second / time.Duration(n)
	return rate{interval, interval * time.Duration(burst-1)}
}

// allow reports whether an event may happen now, and if so counts it.
func (l *limiter) allow(now time.Time, r rate) bool {
	if l.full.Before(now) {
		l.full = now
	}
	if l.full.Sub(now) > r.slack {
		return false
	}
	l.full = l.full.Add(r.interval)
	return true
}
