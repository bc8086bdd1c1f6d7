// Package congestion says how many snapshots a second a client gets, and how many updates each, from what is known of
// the way to it; and how far behind its screen is.
//
// # The model
//
// QUIC paces bytes and owns the congestion window. On top of that there are just two modes: good, and floor for when
// the path is bad. A [Controller] is told an [Observation] now and then and goes to the floor when all has been bad for
// a second, and back when all has been good for the recovery wait. The wait doubles with every step down and halves
// with every good second, so that a path on the brink does not go up and down with it.
//
// An observation is bad if loss, the age of the newest acknowledgement or jitter is above its limit, or if the send
// queue dropped something. A long round trip is no reason by itself: it counts only when one of the three is above half
// of its limit.
//
// Observations come from a [Meter], which compares the counters of a connection with those of the last time. It takes
// plain numbers, so that nothing here knows of QUIC:
//
//	s := conn.Stats()
//	o := meter.Observe(congestion.Path{
//		RTT:    float64(s.Link.RTT) / 1e6,
//		Jitter: float64(s.Link.RTTJitter) / 1e6,
//		Sent:   s.Link.PacketsSent,
//		Lost:   s.Link.PacketsLost,
//		Drops:  s.Drops.OutboundDatagrams + s.Drops.OversizedDatagrams + s.Link.DatagramsDropped,
//	}, ackAge, dt)
//	if controller.Observe(o, dt) {
//		// from now on, controller.SendRate() and controller.Budget()
//	}
//
// The worlds of package server have such a pair for every client, and want a Path only.
//
// A [LagMeter] makes of the same numbers, and of the acknowledgements, what package rewind needs.
//
// # Defaults and limits
//
// 20 Hz without a budget, 10 Hz and 16 updates at the floor. Bad is a loss above 5%, an acknowledgement older than 30
// ticks, jitter above 40 ms; a round trip counts above 200 ms. The wait is 4 s in the beginning, and 1 to 60 s. Loss is
// that of the last 0.6 to 0.8 s, as long as there were 8 packets: that is less than the second after which the mode
// changes, so that a single burst does not change it.
//
// Signals that are not finite are not bad. The numbers are those of the public Citadel reference, which gets its signals
// from outside: the meters are an addition. Everything is a few hundred bytes to a client, and allocates nothing;
// an observation and a lag together take 33 ns (BenchmarkObserve, on one of two virtual CPUs of an AMD EPYC, Go 1.26.8).
package congestion
