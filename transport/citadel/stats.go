package citadel

import (
	"sync/atomic"
)

// Stats counts what a connection has done, or all connections of a server together. Bytes are those of the encoded
// envelopes; those of the link are in Link.
type Stats struct {
	FramesIn, BytesIn   uint64 // reliable envelopes received
	FramesOut, BytesOut uint64 // reliable envelopes handed to the link
	Writes              uint64 // stream writes that took: FramesOut/Writes says how well frames are batched
	DatagramsIn         uint64 // delivered to the inbox
	DatagramsOut        uint64 // handed to the link
	DatagramsReliable   uint64 // sent reliably instead

	Drops Drops

	// Link is what is known of the link, with the round-trip times of the connection that has the longest
	// if there are several.
	Link LinkStats

	QueuedIn           int // bytes in the inbox, with 64 for each event
	QueuedInDatagrams  int // datagrams in the inbox
	QueuedOut          int // bytes that the link has not taken yet, without datagrams
	QueuedOutFrames    int // envelopes that the link has not taken yet
	QueuedOutDatagrams int // datagrams that the link has not taken yet
	Reassembling       int // bytes of a session frame that is still arriving
}

// Drops counts what was not delivered, by reason.
type Drops struct {
	PreAuthDatagrams   uint64 // came before the handshake was over
	PreAuthFrames      uint64 // came from the server before its auth result
	StrayAuthFrames    uint64 // handshake frames that nobody waits for, also as datagrams
	MalformedDatagrams uint64
	InboundDatagrams   uint64 // the inbox had too many already
	OutboundDatagrams  uint64 // gave way to newer ones, or found too much queued where all is sent reliably
	OversizedDatagrams uint64 // no longer fitted the path when their turn came
	AbortedStreams     uint64 // the peer reset them
	FramesAfterClose   uint64 // came when this end had closed the connection
	BrokenTransfers    uint64 // session frames of which only a part arrived
}

type counters struct {
	framesIn, bytesIn, framesOut, bytesOut, writes, datagramsIn, datagramsOut, datagramsReliable atomic.Uint64

	preAuthDatagrams, preAuthFrames, strayAuth, malformedDatagrams, inboundDatagrams, outboundDatagrams,
	oversizedDatagrams, abortedStreams, framesAfterClose, brokenTransfers atomic.Uint64
}

// Stats returns the counters. They are read one after the other while the connection goes on.
func (c *Conn) Stats() Stats {
	n := &c.counters
	s := Stats{
		FramesIn:          n.framesIn.Load(),
		BytesIn:           n.bytesIn.Load(),
		FramesOut:         n.framesOut.Load(),
		BytesOut:          n.bytesOut.Load(),
		Writes:            n.writes.Load(),
		DatagramsIn:       n.datagramsIn.Load(),
		DatagramsOut:      n.datagramsOut.Load(),
		DatagramsReliable: n.datagramsReliable.Load(),
		Drops: Drops{
			PreAuthDatagrams:   n.preAuthDatagrams.Load(),
			PreAuthFrames:      n.preAuthFrames.Load(),
			StrayAuthFrames:    n.strayAuth.Load(),
			MalformedDatagrams: n.malformedDatagrams.Load(),
			InboundDatagrams:   n.inboundDatagrams.Load(),
			OutboundDatagrams:  n.outboundDatagrams.Load(),
			OversizedDatagrams: n.oversizedDatagrams.Load(),
			AbortedStreams:     n.abortedStreams.Load(),
			FramesAfterClose:   n.framesAfterClose.Load(),
			BrokenTransfers:    n.brokenTransfers.Load(),
		},
		Link:         c.link.Stats(),
		Reassembling: int(c.reassembling.Load()),
	}
	s.QueuedIn, s.QueuedInDatagrams = c.in.queued()
	s.QueuedOut, s.QueuedOutFrames = c.out.queued()
	s.QueuedOutDatagrams = c.unsent.queued()
	return s
}

// over returns s for a connection that is no more.
func (s Stats) over() Stats {
	s.QueuedIn, s.QueuedInDatagrams, s.QueuedOut, s.QueuedOutFrames, s.QueuedOutDatagrams, s.Reassembling = 0, 0, 0, 0, 0, 0
	s.Link.RTT, s.Link.MinRTT, s.Link.RTTJitter = 0, 0, 0
	return s
}

// add adds what another connection has done.
func (s *Stats) add(o *Stats) {
	s.FramesIn += o.FramesIn
	s.BytesIn += o.BytesIn
	s.FramesOut += o.FramesOut
	s.BytesOut += o.BytesOut
	s.Writes += o.Writes
	s.DatagramsIn += o.DatagramsIn
	s.DatagramsOut += o.DatagramsOut
	s.DatagramsReliable += o.DatagramsReliable
	s.Drops.add(&o.Drops)
	s.Link.add(&o.Link)
	s.QueuedIn += o.QueuedIn
	s.QueuedInDatagrams += o.QueuedInDatagrams
	s.QueuedOut += o.QueuedOut
	s.QueuedOutFrames += o.QueuedOutFrames
	s.QueuedOutDatagrams += o.QueuedOutDatagrams
	s.Reassembling += o.Reassembling
}

func (d *Drops) add(o *Drops) {
	d.PreAuthDatagrams += o.PreAuthDatagrams
	d.PreAuthFrames += o.PreAuthFrames
	d.StrayAuthFrames += o.StrayAuthFrames
	d.MalformedDatagrams += o.MalformedDatagrams
	d.InboundDatagrams += o.InboundDatagrams
	d.OutboundDatagrams += o.OutboundDatagrams
	d.OversizedDatagrams += o.OversizedDatagrams
	d.AbortedStreams += o.AbortedStreams
	d.FramesAfterClose += o.FramesAfterClose
	d.BrokenTransfers += o.BrokenTransfers
}

func (s *LinkStats) add(o *LinkStats) {
	s.PacketsSent += o.PacketsSent
	s.BytesSent += o.BytesSent
	s.PacketsReceived += o.PacketsReceived
	s.BytesReceived += o.BytesReceived
	s.PacketsLost += o.PacketsLost
	s.BytesLost += o.BytesLost
	s.DatagramsDropped += o.DatagramsDropped
	if o.RTT > s.RTT {
		s.RTT, s.MinRTT, s.RTTJitter = o.RTT, o.MinRTT, o.RTTJitter
	}
}

// ListenerStats counts what became of the connections to a server.
type ListenerStats struct {
	Open     int // now, those that have not authenticated included
	HalfOpen int // of those, the ones that have not authenticated
	Shaking  int // QUIC handshakes that are not complete

	Accepted  uint64 // handshakes that succeeded
	Rejected  uint64 // handshakes that were rejected, whatever the reason
	TimedOut  uint64 // of those, the ones that took too long
	Exhausted uint64 // connections closed because of MaxReassembly
	Refused   Refusals

	Reassembly int // bytes taken from MaxReassembly now

	// Conns is what all connections have done, those that have ended included.
	Conns Stats
}

// Refusals counts the connections that were not let in, by reason.
type Refusals struct {
	Full      uint64 // MaxConnections
	PerIP     uint64 // MaxConnectionsPerIP
	HalfOpen  uint64 // MaxHalfOpen: the newcomer, or the one that had to go for it
	Handshake uint64 // MaxHalfOpen, before the QUIC handshake had begun: every first packet counts
	Shutdown  uint64 // the server was about to close
}

// Total returns the sum.
func (r Refusals) Total() uint64 { return r.Full + r.PerIP + r.HalfOpen + r.Handshake + r.Shutdown }

type listenerCounters struct {
	accepted, rejected, timedOut, exhausted                                    atomic.Uint64
	refusedFull, refusedIP, refusedHalfOpen, refusedHandshake, refusedShutdown atomic.Uint64
}

// Stats returns the counters. That takes time for each open connection.
func (l *Listener) Stats() ListenerStats {
	n := &l.counters
	s := ListenerStats{
		Shaking:   int(l.shaking.Load()),
		Accepted:  n.accepted.Load(),
		Rejected:  n.rejected.Load(),
		TimedOut:  n.timedOut.Load(),
		Exhausted: n.exhausted.Load(),
		Refused: Refusals{
			Full: n.refusedFull.Load(), PerIP: n.refusedIP.Load(), HalfOpen: n.refusedHalfOpen.Load(),
			Handshake: n.refusedHandshake.Load(), Shutdown: n.refusedShutdown.Load(),
		},
		Reassembly: int(l.reassembly.used.Load()),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Open, s.HalfOpen = len(l.conns), len(l.census.halfOpen)
	s.Conns = l.past
	for c := range l.conns {
		stats := c.Stats()
		s.Conns.add(&stats)
	}
	return s
}
