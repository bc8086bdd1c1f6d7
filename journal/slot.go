package journal

import "github.com/ariadne-netcode/ariadne/netcode"

// slot is the place of one record in memory. Slots never move, so indexes and chains hold pointers to them,
// and they are reused, so a journal that drops as much as it records allocates none.
type slot struct {
	header, request netcode.Header

	// payload holds the request's bytes followed by the final ones, or the bytes of both just once when they
	// are equal. The request ends at requestEnd, the final payload starts at finalStart and runs to the end.
	payload                []byte
	requestEnd, finalStart int

	revision  netcode.Revision
	author    *author
	result    netcode.Result
	cancelled bool

	// admitted says that the record was accepted at some time. A reader may have seen that, so the bound on
	// refused records, which hides a record from everybody but its author, does not apply any more.
	admitted bool

	links [chains]link
}

// live reports whether the command takes part in the session: accepted and not cancelled.
func (s *slot) live() bool { return s.result == netcode.Accepted && !s.cancelled }

// record returns the slot's contents. The payloads borrow the slot's memory; their capacity ends where they
// do, so that appending to one cannot reach its neighbour.
func (s *slot) record() Record {
	r := Record{
		Header:    s.header,
		Request:   s.request,
		Result:    s.result,
		Revision:  s.revision,
		Cancelled: s.cancelled,
	}
	if end := s.requestEnd; end > 0 {
		r.RequestPayload = s.payload[:end:end]
	}
	if start, end := s.finalStart, len(s.payload); start < end {
		r.FinalPayload = s.payload[start:end:end]
	}
	return r
}

// slotsPerPage is how many slots are allocated at once.
const slotsPerPage = 64

// slots allocates slots by the page and keeps the free ones in a list through their first link.
type slots struct {
	free *slot
}

// take returns a zero slot.
func (p *slots) take() *slot {
	if p.free == nil {
		page := make([]slot, slotsPerPage)
		for i := range page {
			p.give(&page[i])
		}
	}
	s := p.free
	p.free = s.links[0].next
	s.links[0].next = nil
	return s
}

// give takes back a slot that nothing points to any more.
func (p *slots) give(s *slot) {
	*s = slot{}
	s.links[0].next = p.free
	p.free = s
}
