package protocol

import (
	"fmt"
	"math"

	"github.com/ariadne-netcode/ariadne/netcode"
)

const (
	snapshotLength = 45                 // offset of the model's length
	snapshotSize   = snapshotLength + 4 // without the model
)

// MaxModel is the greatest length in bytes of a snapshot's model state. The length field could say 49 more,
// but then the frame's own size would not be an int on every platform.
const MaxModel = math.MaxInt32 - snapshotSize

// Snapshot is a state from which a client can continue.
//
// On the wire: kind, session u64, protocol u64, cursor (step i64, order u32), preparation (next id u64, random
// state u64), length of the model i32, model.
type Snapshot struct {
	Session  netcode.SessionID
	Protocol netcode.ProtocolID

	// Cursor holds the last step that the model state contains, and the highest order that the authority has
	// given out.
	Cursor netcode.Cursor

	Preparation netcode.PreparationState

	// Model is the state that the model saved, at most [MaxModel] bytes. In a parsed snapshot it borrows from
	// the frame.
	Model []byte
}

// Size returns the length of the encoded frame in bytes. It means nothing if s.Model is longer than [MaxModel].
func (s *Snapshot) Size() int { return snapshotSize + len(s.Model) }

// Append appends the encoded frame to dst and returns the extended slice. This is the one frame that may be
// impossible to encode: if s.Model is longer than [MaxModel], Append returns dst as it was and an error that
// matches [ErrModelSize].
func (s *Snapshot) Append(dst []byte) ([]byte, error) {
	if err := checkModel(len(s.Model)); err != nil {
		return dst, err
	}
	dst, frame := extend(dst, snapshotSize, len(s.Model))
	b := (*[snapshotSize]byte)(frame)
	b[0] = byte(KindSnapshot)
	le.PutUint64(b[1:], uint64(s.Session))
	le.PutUint64(b[9:], uint64(s.Protocol))
	le.PutUint64(b[17:], uint64(s.Cursor.Step))
	le.PutUint32(b[25:], uint32(s.Cursor.Order))
	le.PutUint64(b[29:], s.Preparation.NextID)
	le.PutUint64(b[37:], s.Preparation.RandomState)
	le.PutUint32(b[snapshotLength:], uint32(len(s.Model)))
	return append(dst, s.Model...), nil
}

// checkModel refuses a model of n bytes that does not fit a frame.
func checkModel(n int) error {
	if n > MaxModel {
		return fmt.Errorf("%w: %d bytes of at most %d", ErrModelSize, n, MaxModel)
	}
	return nil
}

// Parse decodes frame into s, whose Model then borrows from it. If it returns an error, a [*FrameError], s is
// unchanged.
func (s *Snapshot) Parse(frame []byte) error {
	if len(frame) < snapshotSize || frame[0] != byte(KindSnapshot) {
		return misfit(KindSnapshot, snapshotSize, frame)
	}
	b := (*[snapshotSize]byte)(frame)
	// Signed on the wire, and an int holds it on every platform. A negative length matches no frame.
	n := int32(le.Uint32(b[snapshotLength:]))
	if int(n) != len(frame)-snapshotSize || n > MaxModel {
		return refuse(KindSnapshot, snapshotLength, ErrLength, int64(n))
	}
	s.Session = netcode.SessionID(le.Uint64(b[1:]))
	s.Protocol = netcode.ProtocolID(le.Uint64(b[9:]))
	s.Cursor.Step = netcode.Step(le.Uint64(b[17:]))
	s.Cursor.Order = netcode.Order(le.Uint32(b[25:]))
	s.Preparation.NextID = le.Uint64(b[29:])
	s.Preparation.RandomState = le.Uint64(b[37:])
	s.Model = frame[snapshotSize:len(frame):len(frame)]
	return nil
}
