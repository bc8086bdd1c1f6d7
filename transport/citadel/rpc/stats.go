package rpc

import "sync/atomic"

// Stats counts what a server has done. When nothing is being answered, Requests is the sum of Succeeded, Failed and
// Unsent.
type Stats struct {
	Requests  uint64 // parsed
	Succeeded uint64 // responses with a reply
	Failed    uint64 // responses with an error, whoever made it
	Unsent    uint64 // not answered, because the connection was gone

	// Of those that failed, the ones that the server decided.
	UnknownMethod    uint64
	RequestTooLarge  uint64
	Busy             uint64
	TimedOut         uint64
	Stopped          uint64
	ResponseTooLarge uint64

	Late       uint64 // handlers that returned after the answer was given for them
	Panics     uint64 // handlers that panicked
	Malformed  uint64 // requests that could not be parsed: dropped
	Unreliable uint64 // requests that came as datagrams: dropped

	Running int // handlers on goroutines, now
}

type counters struct {
	requests, succeeded, failed, unsent, unknownMethod, tooLarge, busy, timedOut, stopped, responseTooLarge,
	late, panics, malformed, unreliable atomic.Uint64
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	n := &s.stats
	return Stats{
		Requests:         n.requests.Load(),
		Succeeded:        n.succeeded.Load(),
		Failed:           n.failed.Load(),
		Unsent:           n.unsent.Load(),
		UnknownMethod:    n.unknownMethod.Load(),
		RequestTooLarge:  n.tooLarge.Load(),
		Busy:             n.busy.Load(),
		TimedOut:         n.timedOut.Load(),
		Stopped:          n.stopped.Load(),
		ResponseTooLarge: n.responseTooLarge.Load(),
		Late:             n.late.Load(),
		Panics:           n.panics.Load(),
		Malformed:        n.malformed.Load(),
		Unreliable:       n.unreliable.Load(),
		Running:          running,
	}
}

// ClientStats counts what a client has done.
type ClientStats struct {
	Calls      uint64 // sent
	Answered   uint64 // of those, the ones with a response, whatever its status
	GivenUp    uint64 // of those, the ones whose caller did not wait for the response
	Stale      uint64 // responses that nobody waits for: dropped
	Malformed  uint64 // responses that could not be parsed: dropped
	Unreliable uint64 // responses that came as datagrams: dropped

	Outstanding int // calls that wait, now
}
