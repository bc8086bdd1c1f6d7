package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const offerSize = 13

// Extensions is a set of extensions, one bit each.
type Extensions uint32

// ExtResume covers [ResumeInfo] and [Mark]: a client learns where its sequence numbers continue, and how far a
// later join may resume.
const ExtResume Extensions = 1 << 0

// Has reports whether all of want is in x.
func (x Extensions) Has(want Extensions) bool { return x&want == want }

// Offer names the extensions that its sender understands. What both sides have offered is in use. Bits without
// a meaning here are kept, so that a newer peer can be answered by an older one.
//
// On the wire: kind, session u64, extensions u32.
type Offer struct {
	Session    netcode.SessionID
	Extensions Extensions
}

// Size returns the length of the encoded frame in bytes.
func (o *Offer) Size() int { return offerSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (o *Offer) Append(dst []byte) []byte {
	dst, frame := extend(dst, offerSize, 0)
	b := (*[offerSize]byte)(frame)
	b[0] = byte(KindOffer)
	le.PutUint64(b[1:], uint64(o.Session))
	le.PutUint32(b[9:], uint32(o.Extensions))
	return dst
}

// Parse decodes frame into o. If it returns an error, a [*FrameError], o is unchanged.
func (o *Offer) Parse(frame []byte) error {
	if len(frame) != offerSize || frame[0] != byte(KindOffer) {
		return misfit(KindOffer, offerSize, frame)
	}
	b := (*[offerSize]byte)(frame)
	o.Session = netcode.SessionID(le.Uint64(b[1:]))
	o.Extensions = Extensions(le.Uint32(b[9:]))
	return nil
}
