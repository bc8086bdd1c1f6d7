package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const (
	outcomeResult = 1 + headerSize    // offset of the result
	outcomeSize   = outcomeResult + 1 // without the payload
)

// Outcome tells what the authority made of a command.
//
// On the wire: kind, header as in [Proposal], result u8, payload.
type Outcome struct {
	// Result must be valid; a frame with any other is one that nobody accepts.
	Result netcode.Result

	Header netcode.Header

	// Payload is the encoded command as it will be executed, which is empty unless it was accepted. In a parsed
	// outcome it borrows from the frame.
	Payload []byte
}

// Size returns the length of the encoded frame in bytes.
func (o *Outcome) Size() int { return outcomeSize + len(o.Payload) }

// Append appends the encoded frame to dst and returns the extended slice.
func (o *Outcome) Append(dst []byte) []byte {
	dst, frame := extend(dst, outcomeSize, len(o.Payload))
	b := (*[outcomeSize]byte)(frame)
	b[0] = byte(KindOutcome)
	putHeader((*[headerSize]byte)(b[1:]), &o.Header)
	b[outcomeResult] = byte(o.Result)
	return append(dst, o.Payload...)
}

// Parse decodes frame into o, whose Payload then borrows from it. If it returns an error, a [*FrameError], o is
// unchanged.
func (o *Outcome) Parse(frame []byte) error {
	// Accepting first, so that nothing lies in the way of the frames that arrive all the time.
	if len(frame) >= outcomeSize {
		b := (*[outcomeSize]byte)(frame)
		if b[0] == byte(KindOutcome) {
			result := netcode.Result(b[outcomeResult])
			if !result.Valid() {
				return refuse(KindOutcome, outcomeResult, ErrValue, int64(result))
			}
			o.Result = result
			readHeader(&o.Header, (*[headerSize]byte)(b[1:]))
			o.Payload = frame[outcomeSize:len(frame):len(frame)]
			return nil
		}
	}
	return misfit(KindOutcome, outcomeSize, frame)
}
