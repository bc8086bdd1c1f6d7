package protocol

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

const syncStatusSize = 18

// Status says how a sync request will be answered. The values are those of the wire.
type Status uint8

// The statuses, in wire order. The last two are refusals, and nothing follows them.
const (
	StatusReplay           Status = 0 // what changed since the client's revision follows
	StatusSnapshot         Status = 1 // a snapshot follows
	StatusSessionNotFound  Status = 2
	StatusProtocolMismatch Status = 3
)

var statusNames = [...]string{"replay", "snapshot", "session_not_found", "protocol_mismatch"}

// Valid reports whether s is one of the statuses above.
func (s Status) Valid() bool { return int(s) < len(statusNames) }

// String returns the name used in traces and conformance data.
func (s Status) String() string {
	if !s.Valid() {
		return fmt.Sprintf("status(%d)", uint8(s))
	}
	return statusNames[s]
}

// SyncStatus opens the answer to a [SyncRequest].
//
// On the wire: kind, status u8, session u64, protocol u64.
type SyncStatus struct {
	// Status must be valid; a frame with any other is one that nobody accepts.
	Status Status

	Session  netcode.SessionID
	Protocol netcode.ProtocolID
}

// Size returns the length of the encoded frame in bytes.
func (s *SyncStatus) Size() int { return syncStatusSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (s *SyncStatus) Append(dst []byte) []byte {
	dst, frame := extend(dst, syncStatusSize, 0)
	b := (*[syncStatusSize]byte)(frame)
	b[0] = byte(KindSyncStatus)
	b[1] = byte(s.Status)
	le.PutUint64(b[2:], uint64(s.Session))
	le.PutUint64(b[10:], uint64(s.Protocol))
	return dst
}

// Parse decodes frame into s. If it returns an error, a [*FrameError], s is unchanged.
func (s *SyncStatus) Parse(frame []byte) error {
	if len(frame) != syncStatusSize || frame[0] != byte(KindSyncStatus) {
		return misfit(KindSyncStatus, syncStatusSize, frame)
	}
	b := (*[syncStatusSize]byte)(frame)
	status := Status(b[1])
	if !status.Valid() {
		return refuse(KindSyncStatus, 1, ErrValue, int64(status))
	}
	s.Status = status
	s.Session = netcode.SessionID(le.Uint64(b[2:]))
	s.Protocol = netcode.ProtocolID(le.Uint64(b[10:]))
	return nil
}
