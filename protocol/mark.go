package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const markSize = 25

// Mark tells a client that it has been sent, on this connection, every outcome up to a revision of the
// authority's journal. A client that has received them all may resume from that revision. It belongs to
// [ExtResume].
//
// On the wire: kind, session u64, revision u64, outcomes u64.
type Mark struct {
	Session  netcode.SessionID
	Revision netcode.Revision

	// Outcomes is how many outcomes have been sent on this connection since its synchronization was completed.
	// A client that counted fewer has lost some and must not move its revision.
	Outcomes uint64
}

// Size returns the length of the encoded frame in bytes.
func (m *Mark) Size() int { return markSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (m *Mark) Append(dst []byte) []byte {
	dst, frame := extend(dst, markSize, 0)
	b := (*[markSize]byte)(frame)
	b[0] = byte(KindMark)
	le.PutUint64(b[1:], uint64(m.Session))
	le.PutUint64(b[9:], uint64(m.Revision))
	le.PutUint64(b[17:], m.Outcomes)
	return dst
}

// Parse decodes frame into m. If it returns an error, a [*FrameError], m is unchanged.
func (m *Mark) Parse(frame []byte) error {
	if len(frame) != markSize || frame[0] != byte(KindMark) {
		return misfit(KindMark, markSize, frame)
	}
	b := (*[markSize]byte)(frame)
	m.Session = netcode.SessionID(le.Uint64(b[1:]))
	m.Revision = netcode.Revision(le.Uint64(b[9:]))
	m.Outcomes = le.Uint64(b[17:])
	return nil
}
