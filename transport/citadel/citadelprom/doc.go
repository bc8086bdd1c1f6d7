// Package citadelprom shows the statistics of citadel servers and connections to Prometheus.
//
//	registry.MustRegister(citadelprom.NewListener(ln))
//
// A collector asks for the statistics when it is scraped, and keeps none itself: it costs nothing in between, and a
// scrape costs what [citadel.Listener.Stats] does, which is time for each open connection.
//
// Several servers in one process are told apart by a label:
//
//	prometheus.WrapRegistererWith(prometheus.Labels{"server": "eu"}, registry).MustRegister(citadelprom.NewListener(ln))
//
// and so are connections, where a client has them. A server's own connections need no collectors: they are in the
// server's, all together. Metrics of one connection each, with a label for it, would be more than Prometheus likes.
//
// This package is a module of its own, so that nobody depends on the client library of Prometheus who does not want to.
//
// # Metrics
//
// Of a listener alone:
//
//	citadel_connections                     gauge    connections, those that have not authenticated included
//	citadel_connections_half_open           gauge    of those, the ones that have not authenticated
//	citadel_quic_handshakes                 gauge    QUIC handshakes that are not complete
//	citadel_handshakes_accepted_total       counter  handshakes that succeeded
//	citadel_handshakes_rejected_total       counter  handshakes that were rejected, whatever the reason
//	citadel_handshakes_timed_out_total      counter  of those, the ones that took too long
//	citadel_connections_refused_total       counter  connections that were not let in, by reason
//	citadel_connections_exhausted_total     counter  connections closed because MaxReassembly was reached
//	citadel_reassembly_bytes                gauge    bytes taken from MaxReassembly
//	citadel_reassembly_limit_bytes          gauge    MaxReassembly
//	citadel_connections_limit               gauge    MaxConnections
//	citadel_connections_half_open_limit     gauge    MaxHalfOpen
//
// The reasons of citadel_connections_refused_total:
//
//	server_full          MaxConnections
//	address_full         MaxConnectionsPerIP
//	half_open            MaxHalfOpen: the newcomer, or the one that had to go for it
//	quic_handshake       MaxHalfOpen, before the QUIC handshake had begun
//	shutdown             the server was about to close
//
// Of a connection, or of all of a listener's connections together, those that have ended included in what is counted:
//
//	citadel_envelopes_total                 counter  reliable envelopes, by direction
//	citadel_envelope_bytes_total            counter  bytes of them, by direction
//	citadel_stream_writes_total             counter  stream writes for the outgoing ones
//	citadel_datagrams_total                 counter  datagrams, by direction
//	citadel_datagrams_sent_reliably_total   counter  datagrams that were sent reliably instead
//	citadel_dropped_total                   counter  what was not delivered, by reason
//	citadel_link_packets_total              counter  packets of the links, by direction
//	citadel_link_bytes_total                counter  bytes of the links, by direction
//	citadel_link_packets_lost               gauge    packets believed lost so far, which may become less
//	citadel_link_bytes_lost                 gauge    bytes believed lost so far, which may become less
//	citadel_link_rtt_seconds                gauge    smoothed round-trip time; of a listener, the longest
//	citadel_link_rtt_min_seconds            gauge    shortest round-trip time of the same connection
//	citadel_link_rtt_jitter_seconds         gauge    mean deviation of the same connection
//	citadel_inbox_bytes                     gauge    bytes in the inbox, with 64 for each event
//	citadel_inbox_datagrams                 gauge    datagrams in the inbox
//	citadel_outbox_bytes                    gauge    bytes that the links have not taken yet
//	citadel_outbox_envelopes                gauge    envelopes that the links have not taken yet
//	citadel_outbox_datagrams                gauge    datagrams that the links have not taken yet
//	citadel_reassembling_bytes              gauge    bytes of session frames that are still arriving
//
// The directions are "in" and "out". The reasons of citadel_dropped_total:
//
//	pre_auth_datagram    came before the handshake was over
//	pre_auth_frame       came from the server before its answer
//	stray_auth_frame     a handshake frame that nobody waits for
//	malformed_datagram   was no envelope
//	inbound_datagram     the inbox had too many already
//	outbound_datagram    gave way to a newer one
//	oversized_datagram   no longer fitted the path when its turn came
//	link_datagram        the link dropped it; known only with Config.Tracer
//	aborted_stream       the peer reset the stream
//	frame_after_close    came when this end had closed the connection
//	broken_transfer      a session frame of which only a part arrived
package citadelprom
