package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const (
	syncRequestFlags = 17 // offset of the flags
	syncRequestSize  = 42
)

// The flags of a sync request: which of the optional fields are there.
const (
	flagRevision     = 1 << 0
	flagLastResolved = 1 << 1
)

// SyncRequest asks the authority to bring the client up to date, by replay if it can and by snapshot if not.
//
// On the wire: kind, session u64, protocol u64, flags u8 (1 revision, 2 last resolved sequence), revision u64,
// last resolved sequence u64, step i64.
type SyncRequest struct {
	Session  netcode.SessionID
	Protocol netcode.ProtocolID

	// Revision is that of the authority's journal up to which the client knows everything, if HasRevision.
	Revision    netcode.Revision
	HasRevision bool

	// LastResolved ends the unbroken run of the client's own sequences whose outcome it knows, if
	// HasLastResolved.
	LastResolved    netcode.Sequence
	HasLastResolved bool

	// Step is the client's current step.
	Step netcode.Step
}

// Size returns the length of the encoded frame in bytes.
func (r *SyncRequest) Size() int { return syncRequestSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (r *SyncRequest) Append(dst []byte) []byte {
	dst, frame := extend(dst, syncRequestSize, 0)
	b := (*[syncRequestSize]byte)(frame)
	b[0] = byte(KindSyncRequest)
	le.PutUint64(b[1:], uint64(r.Session))
	le.PutUint64(b[9:], uint64(r.Protocol))
	b[syncRequestFlags] = flag(r.HasRevision)*flagRevision | flag(r.HasLastResolved)*flagLastResolved
	putOptional(b[18:], uint64(r.Revision), r.HasRevision)
	putOptional(b[26:], uint64(r.LastResolved), r.HasLastResolved)
	le.PutUint64(b[34:], uint64(r.Step))
	return dst
}

// Parse decodes frame into r. If it returns an error, a [*FrameError], r is unchanged.
func (r *SyncRequest) Parse(frame []byte) error {
	if len(frame) != syncRequestSize || frame[0] != byte(KindSyncRequest) {
		return misfit(KindSyncRequest, syncRequestSize, frame)
	}
	b := (*[syncRequestSize]byte)(frame)
	flags := b[syncRequestFlags]
	if flags&^(flagRevision|flagLastResolved) != 0 {
		return refuse(KindSyncRequest, syncRequestFlags, ErrFlags, int64(flags))
	}
	r.Session = netcode.SessionID(le.Uint64(b[1:]))
	r.Protocol = netcode.ProtocolID(le.Uint64(b[9:]))
	r.HasRevision = flags&flagRevision != 0
	r.Revision = netcode.Revision(optional(b[18:], r.HasRevision))
	r.HasLastResolved = flags&flagLastResolved != 0
	r.LastResolved = netcode.Sequence(optional(b[26:], r.HasLastResolved))
	r.Step = netcode.Step(le.Uint64(b[34:]))
	return nil
}
