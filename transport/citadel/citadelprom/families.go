package citadelprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// The labels by which values of one name are told apart.
const (
	byDirection = "direction"
	byReason    = "reason"
)

// ofListener is what only a listener has.
var ofListener = []family{
	gauge("connections", "connections, those that have not authenticated included",
		listener(func(s *citadel.ListenerStats) int { return s.Open })),
	gauge("connections_half_open", "of those, the ones that have not authenticated",
		listener(func(s *citadel.ListenerStats) int { return s.HalfOpen })),
	gauge("quic_handshakes", "QUIC handshakes that are not complete",
		listener(func(s *citadel.ListenerStats) int { return s.Shaking })),
	counter("handshakes_accepted_total", "handshakes that succeeded",
		listener(func(s *citadel.ListenerStats) uint64 { return s.Accepted })),
	counter("handshakes_rejected_total", "handshakes that were rejected, whatever the reason",
		listener(func(s *citadel.ListenerStats) uint64 { return s.Rejected })),
	counter("handshakes_timed_out_total", "of those, the ones that took too long",
		listener(func(s *citadel.ListenerStats) uint64 { return s.TimedOut })),
	counters("connections_refused_total", "connections that were not let in, by reason", byReason,
		value{"server_full", listener(func(s *citadel.ListenerStats) uint64 { return s.Refused.Full })},
		value{"address_full", listener(func(s *citadel.ListenerStats) uint64 { return s.Refused.PerIP })},
		value{"half_open", listener(func(s *citadel.ListenerStats) uint64 { return s.Refused.HalfOpen })},
		value{"quic_handshake", listener(func(s *citadel.ListenerStats) uint64 { return s.Refused.Handshake })},
		value{"shutdown", listener(func(s *citadel.ListenerStats) uint64 { return s.Refused.Shutdown })},
	),
	counter("connections_exhausted_total", "connections closed because MaxReassembly was reached",
		listener(func(s *citadel.ListenerStats) uint64 { return s.Exhausted })),
	gauge("reassembly_bytes", "bytes taken from MaxReassembly",
		listener(func(s *citadel.ListenerStats) int { return s.Reassembly })),
	gauge("reassembly_limit_bytes", "MaxReassembly", limit(func(c *citadel.ListenConfig) int { return c.MaxReassembly })),
	gauge("connections_limit", "MaxConnections", limit(func(c *citadel.ListenConfig) int { return c.MaxConnections })),
	gauge("connections_half_open_limit", "MaxHalfOpen", limit(func(c *citadel.ListenConfig) int { return c.MaxHalfOpen })),
}

// ofConns is what a connection has, and a listener of all its connections together.
var ofConns = []family{
	counters("envelopes_total", "reliable envelopes, by direction", byDirection,
		value{"in", conns(func(s *citadel.Stats) uint64 { return s.FramesIn })},
		value{"out", conns(func(s *citadel.Stats) uint64 { return s.FramesOut })},
	),
	counters("envelope_bytes_total", "bytes of them, by direction", byDirection,
		value{"in", conns(func(s *citadel.Stats) uint64 { return s.BytesIn })},
		value{"out", conns(func(s *citadel.Stats) uint64 { return s.BytesOut })},
	),
	counter("stream_writes_total", "stream writes for the outgoing ones",
		conns(func(s *citadel.Stats) uint64 { return s.Writes })),
	counters("datagrams_total", "datagrams, by direction", byDirection,
		value{"in", conns(func(s *citadel.Stats) uint64 { return s.DatagramsIn })},
		value{"out", conns(func(s *citadel.Stats) uint64 { return s.DatagramsOut })},
	),
	counter("datagrams_sent_reliably_total", "datagrams that were sent reliably instead",
		conns(func(s *citadel.Stats) uint64 { return s.DatagramsReliable })),
	counters("dropped_total", "what was not delivered, by reason", byReason,
		value{"pre_auth_datagram", conns(func(s *citadel.Stats) uint64 { return s.Drops.PreAuthDatagrams })},
		value{"pre_auth_frame", conns(func(s *citadel.Stats) uint64 { return s.Drops.PreAuthFrames })},
		value{"stray_auth_frame", conns(func(s *citadel.Stats) uint64 { return s.Drops.StrayAuthFrames })},
		value{"malformed_datagram", conns(func(s *citadel.Stats) uint64 { return s.Drops.MalformedDatagrams })},
		value{"inbound_datagram", conns(func(s *citadel.Stats) uint64 { return s.Drops.InboundDatagrams })},
		value{"outbound_datagram", conns(func(s *citadel.Stats) uint64 { return s.Drops.OutboundDatagrams })},
		value{"oversized_datagram", conns(func(s *citadel.Stats) uint64 { return s.Drops.OversizedDatagrams })},
		value{"link_datagram", conns(func(s *citadel.Stats) uint64 { return s.Link.DatagramsDropped })},
		value{"aborted_stream", conns(func(s *citadel.Stats) uint64 { return s.Drops.AbortedStreams })},
		value{"frame_after_close", conns(func(s *citadel.Stats) uint64 { return s.Drops.FramesAfterClose })},
		value{"broken_transfer", conns(func(s *citadel.Stats) uint64 { return s.Drops.BrokenTransfers })},
	),
	counters("link_packets_total", "packets of the links, by direction", byDirection,
		value{"in", conns(func(s *citadel.Stats) uint64 { return s.Link.PacketsReceived })},
		value{"out", conns(func(s *citadel.Stats) uint64 { return s.Link.PacketsSent })},
	),
	counters("link_bytes_total", "bytes of the links, by direction", byDirection,
		value{"in", conns(func(s *citadel.Stats) uint64 { return s.Link.BytesReceived })},
		value{"out", conns(func(s *citadel.Stats) uint64 { return s.Link.BytesSent })},
	),
	// What was believed lost may turn up, and a counter must not go down.
	gauge("link_packets_lost", "packets believed lost so far, which may become less",
		conns(func(s *citadel.Stats) uint64 { return s.Link.PacketsLost })),
	gauge("link_bytes_lost", "bytes believed lost so far, which may become less",
		conns(func(s *citadel.Stats) uint64 { return s.Link.BytesLost })),
	gauge("link_rtt_seconds", "smoothed round-trip time; of a listener, the longest",
		conns(func(s *citadel.Stats) seconds { return seconds(s.Link.RTT.Seconds()) })),
	gauge("link_rtt_min_seconds", "shortest round-trip time of the same connection",
		conns(func(s *citadel.Stats) seconds { return seconds(s.Link.MinRTT.Seconds()) })),
	gauge("link_rtt_jitter_seconds", "mean deviation of the same connection",
		conns(func(s *citadel.Stats) seconds { return seconds(s.Link.RTTJitter.Seconds()) })),
	gauge("inbox_bytes", "bytes in the inbox, with 64 for each event",
		conns(func(s *citadel.Stats) int { return s.QueuedIn })),
	gauge("inbox_datagrams", "datagrams in the inbox",
		conns(func(s *citadel.Stats) int { return s.QueuedInDatagrams })),
	gauge("outbox_bytes", "bytes that the links have not taken yet",
		conns(func(s *citadel.Stats) int { return s.QueuedOut })),
	gauge("outbox_envelopes", "envelopes that the links have not taken yet",
		conns(func(s *citadel.Stats) int { return s.QueuedOutFrames })),
	gauge("outbox_datagrams", "datagrams that the links have not taken yet",
		conns(func(s *citadel.Stats) int { return s.QueuedOutDatagrams })),
	gauge("reassembling_bytes", "bytes of session frames that are still arriving",
		conns(func(s *citadel.Stats) int { return s.Reassembling })),
}

// seconds is how Prometheus wants durations.
type seconds float64

func gauge(name, help string, of func(*snapshot) float64) family {
	return family{name: name, help: help, typ: prometheus.GaugeValue, values: []value{{of: of}}}
}

func counter(name, help string, of func(*snapshot) float64) family {
	return family{name: name, help: help, typ: prometheus.CounterValue, values: []value{{of: of}}}
}

func counters(name, help, label string, values ...value) family {
	return family{name: name, help: help, typ: prometheus.CounterValue, label: label, values: values}
}

func listener[T int | uint64](of func(*citadel.ListenerStats) T) func(*snapshot) float64 {
	return func(s *snapshot) float64 { return float64(of(&s.listener)) }
}

func limit(of func(*citadel.ListenConfig) int) func(*snapshot) float64 {
	return func(s *snapshot) float64 { return float64(of(s.cfg)) }
}

func conns[T int | uint64 | seconds](of func(*citadel.Stats) T) func(*snapshot) float64 {
	return func(s *snapshot) float64 { return float64(of(&s.conns)) }
}
