package congestion

// Path is what a connection says of its link: what a Stats of package citadel has, in plain numbers. The counters are
// those since the connection began.
type Path struct {
	RTT    float64 // smoothed round-trip time, milliseconds; 0 if it is not known
	MinRTT float64 // shortest one, milliseconds; 0 if it is not known
	Jitter float64 // mean deviation of the round-trip time, milliseconds

	Sent, Lost uint64 // packets; Lost may go down when one turns up after all
	Drops      uint64 // datagrams that were not sent, whatever the reason
}

// How long loss is remembered: in spans of so many seconds, of which the current one and those before it count.
const (
	lossSpan  = 0.2
	lossSpans = 4
)

// leastPackets is the evidence without which there is no loss.
const leastPackets = 8

// Meter makes observations of what a connection says from time to time. The zero value is ready. It is not safe for
// concurrent use.
type Meter struct {
	last  Path
	begun bool

	spans [lossSpans]span
	now   int     // the current one
	into  float64 // seconds
}

// span counts what happened in a while. Lost may be negative.
type span struct {
	sent, lost int64
}

// Observe returns what is known dt seconds after the last time, with the age of the newest acknowledgement in ticks.
// The first time, nothing is known of loss and drops. Counters that have gone back, other than Lost, count from there.
//
// The age is that of the newest snapshot that the client has acknowledged, and 0 as long as nothing was sent that it
// has not.
func (m *Meter) Observe(p Path, ackAge, dt float64) Observation {
	o := Observation{AckAge: ackAge, Jitter: p.Jitter, RTT: p.RTT}
	m.pass(dt)
	if m.begun {
		s := &m.spans[m.now]
		s.sent += int64(rise(m.last.Sent, p.Sent))
		s.lost += int64(p.Lost - m.last.Lost)
		o.Drops = rise(m.last.Drops, p.Drops)
	}
	m.last, m.begun = p, true
	o.Loss = m.loss()
	return o
}

// pass lets time go by.
func (m *Meter) pass(dt float64) {
	if !(dt > 0) {
		return
	}
	m.into += min(dt, lossSpan*lossSpans)
	for m.into >= lossSpan {
		m.into -= lossSpan
		m.now = (m.now + 1) % lossSpans
		m.spans[m.now] = span{}
	}
}

func (m *Meter) loss() float32 {
	var sum span
	for _, s := range m.spans {
		sum.sent += s.sent
		sum.lost += s.lost
	}
	if sum.sent < leastPackets || sum.lost <= 0 {
		return 0
	}
	return min(float32(float64(sum.lost)/float64(sum.sent)), 1)
}

func rise(from, to uint64) uint64 {
	if to < from {
		return 0
	}
	return to - from
}
