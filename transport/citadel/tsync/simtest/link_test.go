package simtest

import (
	"math/rand/v2"
	"slices"
)

// horizon is more ticks than anything is on its way: orbitDelay, mostJitter, lateness and echoes together.
const horizon = 128

// weather is what one direction of a network does to datagrams. Chances are from 0 to 1, times are in ticks.
type weather struct {
	loss      float64
	duplicate float64
	late      float64 // chance of some more ticks, so that others overtake it
	delay     int
	jitter    int
}

// The most of it, in parts of a 60th of a second.
const (
	mostDelay  = 24
	mostJitter = 12
	orbitDelay = 60 // so long that more is on its way than either side keeps
	lateness   = 24
	echoes     = 16 // until a duplicate comes
)

// randomWeather returns weather that is fair at times, and at times as bad as it gets.
func randomWeather(rng *rand.Rand, simRate uint8) weather {
	if rng.IntN(4) == 0 {
		return weather{delay: rng.IntN(3)}
	}
	delay := rng.IntN(1 + mostDelay)
	if rng.IntN(10) == 0 {
		delay = orbitDelay
	}
	return weather{
		loss:      rng.Float64() * 0.30,
		duplicate: rng.Float64() * 0.20,
		late:      rng.Float64() * 0.10,
		delay:     delay * int(simRate) / 60,
		jitter:    rng.IntN(1+mostJitter) * int(simRate) / 60,
	}
}

// traffic counts what a network did.
type traffic struct {
	sent, lost, darkened, doubled uint64
}

// link is one direction of a network for datagrams. Everything that happens on it comes from its generator.
type link struct {
	weather
	dark    bool // nothing gets through
	rng     *rand.Rand
	traffic traffic
	slots   [horizon][][]byte // by tick of arrival
	free    [][]byte
}

func newLink(rng *rand.Rand, w weather) *link { return &link{weather: w, rng: rng} }

// send puts a datagram on its way that with no delay at all arrives at a tick. It retains nothing of it.
func (l *link) send(at int, kind byte, body []byte) {
	l.traffic.sent++
	if l.dark {
		l.traffic.darkened++
		return
	}
	if l.rng.Float64() < l.loss {
		l.traffic.lost++
		return
	}
	at += l.delay + l.rng.IntN(1+l.jitter)
	if l.rng.Float64() < l.late {
		at += 1 + l.rng.IntN(lateness)
	}
	l.put(at, kind, body)
	if l.rng.Float64() < l.duplicate {
		l.traffic.doubled++
		l.put(at+l.rng.IntN(echoes), kind, body)
	}
}

func (l *link) put(at int, kind byte, body []byte) {
	var packet []byte
	if n := len(l.free); n > 0 {
		packet, l.free = l.free[n-1][:0], l.free[:n-1]
	}
	packet = append(append(packet, kind), body...)
	slot := &l.slots[at%horizon]
	i := len(*slot)
	if l.late > 0 {
		i = l.rng.IntN(i + 1)
	}
	*slot = slices.Insert(*slot, i, packet)
}

// deliver calls f with every datagram that arrives at a tick. It is valid during the call.
func (l *link) deliver(now int, f func(kind byte, body []byte)) {
	slot := &l.slots[now%horizon]
	for _, packet := range *slot {
		f(packet[0], packet[1:])
	}
	l.free = append(l.free, *slot...)
	*slot = (*slot)[:0]
}

// stream is the reliable and ordered path that shares a network's weather: what is lost is sent again, and what comes
// after waits.
type stream struct {
	link  *link
	queue []streamed
	last  int // tick of the last arrival
}

type streamed struct {
	at   int
	kind byte
	body []byte
}

// recovery is how many ticks longer what was lost takes.
const recovery = 6

func (s *stream) send(now int, kind byte, body []byte) {
	at := now + s.link.delay
	for s.link.rng.Float64() < s.link.loss {
		at += recovery
	}
	s.last = max(s.last, at)
	s.queue = append(s.queue, streamed{s.last, kind, slices.Clone(body)})
}

// deliver calls f with everything that has arrived by a tick, in order.
func (s *stream) deliver(now int, f func(kind byte, body []byte)) {
	for len(s.queue) > 0 && s.queue[0].at <= now && !s.link.dark {
		head := s.queue[0]
		s.queue = s.queue[1:]
		f(head.kind, head.body)
	}
}
