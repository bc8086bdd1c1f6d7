package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const (
	resumeInfoFlag = 17 // offset of the flag
	resumeInfoSize = 26
)

// ResumeInfo tells a joining client where its own sequence numbers continue, so that a process that has
// forgotten what it sent uses none twice, and which run of the authority it has reached. It belongs to
// [ExtResume].
//
// On the wire: kind, session u64, epoch u64, flag u8 (1 if there is a next sequence), next sequence u64.
type ResumeInfo struct {
	Session netcode.SessionID

	// Epoch differs between runs of the authority that do not share a journal.
	Epoch uint64

	// NextSequence lies above every sequence that the authority has seen from this author, if HasNext. Without
	// it there is nothing to continue from.
	NextSequence netcode.Sequence
	HasNext      bool
}

// Size returns the length of the encoded frame in bytes.
func (r *ResumeInfo) Size() int { return resumeInfoSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (r *ResumeInfo) Append(dst []byte) []byte {
	dst, frame := extend(dst, resumeInfoSize, 0)
	b := (*[resumeInfoSize]byte)(frame)
	b[0] = byte(KindResumeInfo)
	le.PutUint64(b[1:], uint64(r.Session))
	le.PutUint64(b[9:], r.Epoch)
	b[resumeInfoFlag] = flag(r.HasNext)
	putOptional(b[18:], uint64(r.NextSequence), r.HasNext)
	return dst
}

// Parse decodes frame into r. If it returns an error, a [*FrameError], r is unchanged.
func (r *ResumeInfo) Parse(frame []byte) error {
	if len(frame) != resumeInfoSize || frame[0] != byte(KindResumeInfo) {
		return misfit(KindResumeInfo, resumeInfoSize, frame)
	}
	b := (*[resumeInfoSize]byte)(frame)
	if b[resumeInfoFlag] > 1 {
		return refuse(KindResumeInfo, resumeInfoFlag, ErrFlags, int64(b[resumeInfoFlag]))
	}
	r.Session = netcode.SessionID(le.Uint64(b[1:]))
	r.Epoch = le.Uint64(b[9:])
	r.HasNext = b[resumeInfoFlag] != 0
	r.NextSequence = netcode.Sequence(optional(b[18:], r.HasNext))
	return nil
}
