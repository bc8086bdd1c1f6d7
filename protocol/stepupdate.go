package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const stepUpdateSize = 17

// StepUpdate announces the authority's current step.
//
// On the wire: kind, session u64, step i64.
type StepUpdate struct {
	Session netcode.SessionID
	Step    netcode.Step
}

// Size returns the length of the encoded frame in bytes.
func (u *StepUpdate) Size() int { return stepUpdateSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (u *StepUpdate) Append(dst []byte) []byte {
	dst, frame := extend(dst, stepUpdateSize, 0)
	b := (*[stepUpdateSize]byte)(frame)
	b[0] = byte(KindStepUpdate)
	le.PutUint64(b[1:], uint64(u.Session))
	le.PutUint64(b[9:], uint64(u.Step))
	return dst
}

// Parse decodes frame into u. If it returns an error, a [*FrameError], u is unchanged.
func (u *StepUpdate) Parse(frame []byte) error {
	if len(frame) != stepUpdateSize || frame[0] != byte(KindStepUpdate) {
		return misfit(KindStepUpdate, stepUpdateSize, frame)
	}
	b := (*[stepUpdateSize]byte)(frame)
	u.Session = netcode.SessionID(le.Uint64(b[1:]))
	u.Step = netcode.Step(le.Uint64(b[9:]))
	return nil
}
