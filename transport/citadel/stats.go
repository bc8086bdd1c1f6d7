package citadel

import (
	"sync/atomic"
	"time"
)

// Stats counts what a connection has done. Bytes are those of the encoded envelopes, without QUIC's own.
type Stats struct {
	FramesIn, BytesIn   uint64 // reliable envelopes received
	FramesOut, BytesOut uint64 // reliable envelopes handed to QUIC
	Writes              uint64 // stream writes that took: FramesOut/Writes says how well frames are batched
	DatagramsIn         uint64 // delivered to the inbox
	DatagramsOut        uint64 // handed to QUIC

	Drops Drops

	RTT         time.Duration // smoothed
	PacketsLost uint64        // QUIC packets believed lost

	QueuedIn  int // bytes in the inbox, with 64 for each event
	QueuedOut int // bytes that QUIC has not taken yet
}

// Drops counts what was not delivered, by reason.
type Drops struct {
	PreAuthDatagrams   uint64 // came before the handshake was over
	PreAuthFrames      uint64 // came from the server before its auth result
	StrayAuthFrames    uint64 // handshake frames that nobody waits for, also as datagrams
	MalformedDatagrams uint64
	InboundDatagrams   uint64 // the inbox had too many already
	OutboundDatagrams  uint64 // gave way to newer ones
	OversizedDatagrams uint64 // no longer fitted the path when their turn came
	AbortedStreams     uint64 // the peer reset them
	FramesAfterClose   uint64
}

type counters struct {
	framesIn, bytesIn, framesOut, bytesOut, writes, datagramsIn, datagramsOut atomic.Uint64

	preAuthDatagrams, preAuthFrames, strayAuth, malformedDatagrams, inboundDatagrams, outboundDatagrams,
	oversizedDatagrams, abortedStreams, framesAfterClose atomic.Uint64
}

// Stats returns the counters. They are read one after the other while the connection goes on.
func (c *Conn) Stats() Stats {
	n := &c.counters
	q := c.qc.ConnectionStats()
	return Stats{
		FramesIn:     n.framesIn.Load(),
		BytesIn:      n.bytesIn.Load(),
		FramesOut:    n.framesOut.Load(),
		BytesOut:     n.bytesOut.Load(),
		Writes:       n.writes.Load(),
		DatagramsIn:  n.datagramsIn.Load(),
		DatagramsOut: n.datagramsOut.Load(),
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
		},
		RTT:         q.SmoothedRTT,
		PacketsLost: q.PacketsLost,
		QueuedIn:    c.in.queued(),
		QueuedOut:   c.out.queued(),
	}
}

// ListenerStats counts what became of the connections to a server.
type ListenerStats struct {
	Open     int    // now, those that have not authenticated yet included
	Accepted uint64 // handshakes that succeeded
	Rejected uint64 // handshakes that were rejected, whatever the reason
	TimedOut uint64 // of those, the ones that took too long
	Refused  uint64 // connections beyond MaxConnections
}

type listenerCounters struct{ accepted, rejected, timedOut, refused atomic.Uint64 }

// Stats returns the counters.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	open := len(l.conns)
	l.mu.Unlock()
	return ListenerStats{
		Open:     open,
		Accepted: l.counters.accepted.Load(),
		Rejected: l.counters.rejected.Load(),
		TimedOut: l.counters.timedOut.Load(),
		Refused:  l.counters.refused.Load(),
	}
}
