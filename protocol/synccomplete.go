package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const (
	syncCompleteFlag = 9 // offset of the flag
	syncCompleteSize = 26
)

// SyncComplete ends the answer to a [SyncRequest].
//
// On the wire: kind, session u64, flag u8 (1 if there is a revision), revision u64, step i64.
type SyncComplete struct {
	Session netcode.SessionID

	// Revision is that of the authority's journal when the answer began, if HasRevision.
	Revision    netcode.Revision
	HasRevision bool

	// Step is the authority's current step.
	Step netcode.Step
}

// Size returns the length of the encoded frame in bytes.
func (c *SyncComplete) Size() int { return syncCompleteSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (c *SyncComplete) Append(dst []byte) []byte {
	dst, frame := extend(dst, syncCompleteSize, 0)
	b := (*[syncCompleteSize]byte)(frame)
	b[0] = byte(KindSyncComplete)
	le.PutUint64(b[1:], uint64(c.Session))
	b[syncCompleteFlag] = flag(c.HasRevision)
	putOptional(b[10:], uint64(c.Revision), c.HasRevision)
	le.PutUint64(b[18:], uint64(c.Step))
	return dst
}

// Parse decodes frame into c. If it returns an error, a [*FrameError], c is unchanged.
func (c *SyncComplete) Parse(frame []byte) error {
	if len(frame) != syncCompleteSize || frame[0] != byte(KindSyncComplete) {
		return misfit(KindSyncComplete, syncCompleteSize, frame)
	}
	b := (*[syncCompleteSize]byte)(frame)
	if b[syncCompleteFlag] > 1 {
		return refuse(KindSyncComplete, syncCompleteFlag, ErrFlags, int64(b[syncCompleteFlag]))
	}
	c.Session = netcode.SessionID(le.Uint64(b[1:]))
	c.HasRevision = b[syncCompleteFlag] != 0
	c.Revision = netcode.Revision(optional(b[10:], c.HasRevision))
	c.Step = netcode.Step(le.Uint64(b[18:]))
	return nil
}
