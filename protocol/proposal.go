package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const proposalSize = 1 + headerSize // without the payload

// Proposal asks the authority to admit a command. The step and the order in its header are the client's
// wishes; the author counts for nothing, because the authority knows whose connection it came by.
//
// On the wire: kind, header (session u64, author u32, sequence u64, type u64, step i64, order u32), payload.
type Proposal struct {
	Header netcode.Header

	// Payload is the encoded command. In a parsed proposal it borrows from the frame.
	Payload []byte
}

// Size returns the length of the encoded frame in bytes.
func (p *Proposal) Size() int { return proposalSize + len(p.Payload) }

// Append appends the encoded frame to dst and returns the extended slice.
func (p *Proposal) Append(dst []byte) []byte {
	dst, frame := extend(dst, proposalSize, len(p.Payload))
	b := (*[proposalSize]byte)(frame)
	b[0] = byte(KindProposal)
	putHeader((*[headerSize]byte)(b[1:]), &p.Header)
	return append(dst, p.Payload...)
}

// Parse decodes frame into p, whose Payload then borrows from it. If it returns an error, a [*FrameError], p is
// unchanged.
func (p *Proposal) Parse(frame []byte) error {
	// Accepting first, so that nothing lies in the way of the frames that arrive all the time.
	if len(frame) >= proposalSize {
		b := (*[proposalSize]byte)(frame)
		if b[0] == byte(KindProposal) {
			readHeader(&p.Header, (*[headerSize]byte)(b[1:]))
			p.Payload = frame[proposalSize:len(frame):len(frame)]
			return nil
		}
	}
	return misfit(KindProposal, proposalSize, frame)
}
