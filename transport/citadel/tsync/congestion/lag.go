package congestion

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/jitter"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// DelayRamp is how fast the interpolation delay of a [LagMeter] follows the client's, in seconds a second: so slowly
// that nobody's shots jump when the send rate does.
const DelayRamp = 0.1

// LagMeter keeps how far behind a client's screen is. The interpolation delay is reckoned as the client itself reckons
// it, by package jitter: by the gaps in what it acknowledges and the send rate. The zero value is ready. It is not safe for concurrent use.
type LagMeter struct {
	last    uint32 // newest snapshot known to be applied
	buffer  jitter.Buffer
	delay   float64 // seconds
	settled bool
}

// Acked takes an acknowledgement of the client, of which only ids up to issued, the newest that there is, count. An old
// one changes nothing. Neither does one without a history, such as inputs carry, unless it is for the snapshot that comes
// next: it does not say whether those between are missing, and the next one with a history will.
func (m *LagMeter) Acked(latest, history, issued uint32) {
	w, err := baseline.FromWire(latest, history)
	if err != nil || latest > issued || latest <= m.last {
		return
	}
	if history == 0 && m.last != 0 && latest-m.last > 1 {
		return
	}
	first := m.last + 1
	if latest-m.last > 33 {
		first = latest - 32
	}
	for id := first; ; id++ {
		if w.Contains(id) {
			m.applied(id)
		}
		if id == latest {
			return
		}
	}
}

// applied follows the client from one snapshot to the next that it applied.
func (m *LagMeter) applied(id uint32) {
	if m.last != 0 {
		m.buffer.Note(id - m.last)
	}
	m.last = id
}

// Lag returns how far behind the client is, with a connection as it is now, dt seconds after the last time. Rates are a
// second's snapshots and ticks; 0 counts as 1.
//
// No clock but the server's is asked, so one way alone cannot be timed. Half of the shortest round trip is taken for the
// way there, and all that a round trip takes longer at present: what queues up is snapshots rather than inputs. The rest
// is the way back.
func (m *LagMeter) Lag(p Path, sendRate, simRate uint8, dt float64) rewind.Lag {
	want, sim := m.buffer.Delay(sendRate), float64(max(simRate, 1))
	step := 0.0
	if dt > 0 {
		step = float64(DelayRamp * dt) // rounded before it is added, on all machines
	}
	switch {
	case !m.settled:
		m.delay, m.settled = want, true
	case m.delay < want:
		m.delay = min(m.delay+step, want)
	default:
		m.delay = max(m.delay-step, want)
	}
	rtt := max(p.RTT, 0)
	there := rtt - min(max(p.MinRTT, 0), rtt)/2
	if p.MinRTT <= 0 {
		there = rtt / 2
	}
	return rewind.Lag{
		OneWay:        there * sim / 1000,
		Uplink:        (rtt - there) * sim / 1000,
		Interpolation: m.delay * sim,
		RTT:           rtt,
	}
}
